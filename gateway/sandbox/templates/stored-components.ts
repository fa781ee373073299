/**
 * Converts components that the rules of templates allow to the stored form. Kinds that the sandbox cannot show are
 * refused.
 */
import { parameterMissing, parameterNotOneOf } from '../platform/errors';
import { isObject, type JsonObject } from '../platform/json';
import { type ComponentDefinition, type TemplateButton, type TemplateCategory } from './starter-templates';

const FORMATS = ['IMAGE', 'VIDEO', 'GIF', 'DOCUMENT', 'LOCATION', 'PRODUCT'] as const;
/** Buttons with a text only, and their usual text. */
const PLAIN_BUTTONS = {
  QUICK_REPLY: '',
  CATALOG: 'View catalog',
  MPM: 'View items',
  SPM: 'View',
  VOICE_CALL: 'Call',
} as const;
const BUTTONS = [...Object.keys(PLAIN_BUTTONS), 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'FLOW', 'OTP'];
const COMPONENTS = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'LIMITED_TIME_OFFER', 'CAROUSEL'];

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const kindOf = (value: unknown): string => String(value).toUpperCase();

export function storedComponents(given: unknown, category: TemplateCategory): ComponentDefinition[] {
  if (given === undefined || given === null) throw parameterMissing('components');
  return objectsIn(given).map((component) =>
    category === 'AUTHENTICATION' ? presetComponent(component) : storedComponent(component),
  );
}

function storedComponent(given: JsonObject): ComponentDefinition {
  const type = kindOf(given.type);
  const text = String(given.text);
  const example = isObject(given.example) ? { example: given.example } : {};
  switch (type) {
    case 'HEADER': {
      const name = kindOf(given.format);
      if (name === 'TEXT') return { type, format: 'TEXT', text, ...example };
      const format = FORMATS.find((each) => each === name);
      if (!format) throw parameterNotOneOf("components[*]['format']", ['TEXT', ...FORMATS], given.format);
      return { type, format, ...example };
    }
    case 'BODY':
      return { type, text, ...example };
    case 'FOOTER':
      return { type, text };
    case 'BUTTONS':
      return { type, buttons: objectsIn(given.buttons).map(storedButton) };
    case 'LIMITED_TIME_OFFER': {
      const offer = isObject(given.limited_time_offer) ? given.limited_time_offer : {};
      const has_expiration = offer.has_expiration === true;
      return { type, limited_time_offer: { text: String(offer.text), has_expiration } };
    }
    case 'CAROUSEL':
      return {
        type,
        cards: objectsIn(given.cards).map((card) => ({
          components: objectsIn(card.components).map(storedComponent),
        })),
      };
    default:
      throw parameterNotOneOf("components[*]['type']", COMPONENTS, given.type);
  }
}

function storedButton(given: JsonObject): TemplateButton {
  const type = kindOf(given.type);
  const text = typeof given.text === 'string' ? given.text : '';
  const examples = [given.example].flat().filter((each) => typeof each === 'string');
  const example = examples.length > 0 ? { example: examples } : {};
  switch (type) {
    case 'URL':
      return { type, text, url: String(given.url), ...example };
    case 'PHONE_NUMBER':
      return { type, text, phone_number: String(given.phone_number) };
    case 'COPY_CODE':
      return { type, text: 'Copy offer code', ...example };
    case 'FLOW':
      return { type, text, ...(typeof given.flow_id === 'string' && { flow_id: given.flow_id }) };
    case 'QUICK_REPLY':
    case 'CATALOG':
    case 'MPM':
    case 'SPM':
    case 'VOICE_CALL':
      return { type, text: text || PLAIN_BUTTONS[type] };
    default:
      throw parameterNotOneOf("buttons[*]['type']", BUTTONS, given.type);
  }
}

/**
 * The platform writes the texts of authentication templates, and makes a URL button of the OTP button.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/authentication-templates
 */
function presetComponent(given: JsonObject): ComponentDefinition {
  const type = kindOf(given.type);
  if (type === 'BODY') {
    const advice =
      given.add_security_recommendation === true ? ' For your security, do not share this code.' : '';
    return {
      type,
      text: `*{{1}}* is your verification code.${advice}`,
      example: { body_text: [['123456']] },
    };
  }
  if (type === 'FOOTER') {
    const minutes = typeof given.code_expiration_minutes === 'number' ? given.code_expiration_minutes : 10;
    return { type, text: `This code expires in ${minutes} minutes.` };
  }
  const [button = {}] = objectsIn(given.buttons);
  const kind = kindOf(button.otp_type);
  const [text, usual] =
    kind === 'COPY_CODE' ? [button.text, 'Copy code'] : [button.autofill_text, 'Autofill'];
  return {
    type: 'BUTTONS',
    buttons: [
      {
        type: 'URL',
        text: typeof text === 'string' ? text : usual,
        url: `https://www.whatsapp.com/otp/code/?otp_type=${kind}&code=otp{{1}}`,
        example: ['123456'],
      },
    ],
  };
}
