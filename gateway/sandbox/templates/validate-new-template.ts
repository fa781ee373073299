/**
 * Validates new or edited template content with the platform's automatic checks, before the review.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/template-management
 * Omitted on purpose: one-time passwords, products as header, and whether the examples and the flow exist.
 */
import {
  parameterInvalid,
  parameterMissing,
  parameterNotObject,
  parameterNotOneOf,
  parameterNotText,
  templateFault,
} from '../platform/errors';
import { isMissing, isObject, type JsonObject, lengthOf } from '../platform/json';
import {
  type Template,
  type TemplateButton,
  type TemplateCategory,
  type ComponentDefinition,
} from './starter-templates';

const NAME_MOST = 512;
const HEADER_MOST = 60;
const BODY_MOST = 1024;
const FOOTER_MOST = 60;
const BUTTONS_MOST = 10;
const BUTTON_TEXT_MOST = 25;
const URL_MOST = 2000;
const COMPONENTS_MOST = 5;
const OFFER_MOST = 16;
const CARDS_MOST = 10;

const CATEGORIES: readonly TemplateCategory[] = ['UTILITY', 'MARKETING', 'AUTHENTICATION'];
const COMPONENT_TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'LIMITED_TIME_OFFER', 'CAROUSEL'] as const;
const MEDIA_FORMATS = ['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'] as const;

type NewTemplate = Pick<Template, 'name' | 'language' | 'category' | 'parameter_format' | 'components'>;

export function validateNewTemplate(body: JsonObject): NewTemplate {
  const name = text(body.name, 'name');
  if (!/^[a-z0-9_]+$/.test(name) || name.length > NAME_MOST) {
    throw parameterInvalid(
      `Message template name can only have lowercase letters, numbers and underscores, ${NAME_MOST} at most`,
    );
  }
  const language = text(body.language, 'language');
  if (!/^[a-z]{2,3}(?:_[A-Za-z]{2,4})?$/.test(language))
    throw parameterInvalid(`Unknown language ${language.slice(0, 64)}`);
  return {
    name,
    language,
    category: validateCategory(body.category),
    parameter_format: validateFormat(body.parameter_format),
    components: validateComponents(body.components),
  };
}

export function validateCategory(given: unknown): TemplateCategory {
  const name = text(given, 'category').toUpperCase();
  const category = CATEGORIES.find((each) => each === name);
  if (!category) throw parameterNotOneOf('category', CATEGORIES, given);
  return category;
}

export function validateFormat(given: unknown): Template['parameter_format'] {
  const name = given === undefined || given === null ? 'POSITIONAL' : String(given).toUpperCase();
  if (name !== 'POSITIONAL' && name !== 'NAMED') {
    throw parameterNotOneOf('parameter_format', ['POSITIONAL', 'NAMED'], given);
  }
  return name;
}

export function validateComponents(given: unknown): ComponentDefinition[] {
  if (given === undefined || given === null) throw parameterMissing('components');
  if (!Array.isArray(given)) throw parameterInvalid('components must be a list');
  if (given.length > COMPONENTS_MOST) throw parameterInvalid('components has more than one of a kind');
  const components = given.map(validateComponent);
  const types = components.map(({ type }) => type);
  if (new Set(types).size < types.length) throw parameterInvalid('components has more than one of a kind');
  if (!types.includes('BODY')) throw parameterInvalid('components must have a BODY');
  return components;
}

function validateComponent(given: unknown): ComponentDefinition {
  if (!isObject(given)) throw parameterNotObject('components[*]');
  const example = isObject(given.example) ? { example: given.example } : {};
  const type = text(given.type, "components[*]['type']").toUpperCase();
  switch (type) {
    case 'HEADER':
      return { ...validateHeader(given), ...example };
    case 'BODY':
      return { type, text: bounded(given.text, 'body', BODY_MOST, 2388072), ...example };
    case 'FOOTER':
      return { type, text: bounded(given.text, 'footer', FOOTER_MOST, 2388073) };
    case 'BUTTONS':
      return { type, buttons: validateButtons(given.buttons) };
    case 'LIMITED_TIME_OFFER': {
      const offer = isObject(given.limited_time_offer) ? given.limited_time_offer : {};
      const words = bounded(offer.text, 'limited_time_offer', OFFER_MOST, 2388040);
      return { type, limited_time_offer: { text: words, has_expiration: offer.has_expiration === true } };
    }
    case 'CAROUSEL':
      return { type, cards: validateCards(given.cards) };
    default:
      throw parameterNotOneOf("components[*]['type']", COMPONENT_TYPES, given.type);
  }
}

/** Allows 1 to 10 cards, all with the same kinds of components. */
function validateCards(given: unknown): { components: ComponentDefinition[] }[] {
  if (!Array.isArray(given) || given.length < 1 || given.length > CARDS_MOST) {
    throw parameterInvalid(`cards must be a list of 1 to ${CARDS_MOST} cards`);
  }
  const cards = given.map((card) => {
    const components = isObject(card) && Array.isArray(card.components) ? card.components : [];
    const validated = components.map(validateComponent);
    if (validated.some(({ type }) => !['HEADER', 'BODY', 'BUTTONS'].includes(type))) {
      throw parameterInvalid('cards can have a HEADER, a BODY and BUTTONS only');
    }
    return { components: validated };
  });
  const kinds = cards.map(({ components }) => components.map(({ type }) => type).join());
  if (new Set(kinds).size > 1) throw parameterInvalid('All cards must have the same components');
  return cards;
}

function validateHeader(given: JsonObject): ComponentDefinition & { type: 'HEADER' } {
  const name = text(given.format, "components[*]['format']").toUpperCase();
  if (name === 'TEXT')
    return { type: 'HEADER', format: 'TEXT', text: bounded(given.text, 'header', HEADER_MOST, 2388047) };
  const format = MEDIA_FORMATS.find((each) => each === name);
  if (!format) throw parameterNotOneOf("components[*]['format']", ['TEXT', ...MEDIA_FORMATS], given.format);
  return { type: 'HEADER', format };
}

function validateButtons(given: unknown): TemplateButton[] {
  if (!Array.isArray(given) || given.length < 1 || given.length > BUTTONS_MOST) {
    throw parameterInvalid(`buttons must be a list of 1 to ${BUTTONS_MOST} buttons`);
  }
  return given.map((button): TemplateButton => {
    if (!isObject(button)) throw parameterNotObject('buttons[*]');
    const type = text(button.type, "buttons[*]['type']").toUpperCase();
    const label = () => bounded(button.text, 'button', BUTTON_TEXT_MOST, 2388040);
    switch (type) {
      case 'QUICK_REPLY':
        return { type, text: label() };
      case 'URL':
        return {
          type,
          text: label(),
          url: bounded(button.url, 'URL', URL_MOST, 2388040),
          ...examplesOf(button),
        };
      case 'PHONE_NUMBER':
        return {
          type,
          text: label(),
          phone_number: bounded(button.phone_number, 'phone number', 20, 2388040),
        };
      case 'COPY_CODE':
        return { type, text: 'Copy offer code', ...examplesOf(button) };
      case 'FLOW':
        return {
          type,
          text: label(),
          ...(button.flow_id !== undefined && { flow_id: text(button.flow_id, 'flow_id') }),
        };
      case 'CATALOG':
      case 'MPM':
        return { type, text: label() };
      default:
        throw parameterNotOneOf(
          "buttons[*]['type']",
          ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'FLOW', 'CATALOG', 'MPM'],
          button.type,
        );
    }
  });
}

function examplesOf({ example }: JsonObject): { example?: string[] } {
  const examples = Array.isArray(example) ? example : [example];
  return examples.every((each) => typeof each === 'string') ? { example: examples } : {};
}

function text(value: unknown, name: string): string {
  if (isMissing(value)) throw parameterMissing(name);
  if (typeof value !== 'string') throw parameterNotText(name);
  return value;
}

/** Checks length and variables of a text. A body must not start or end with a variable. */
function bounded(value: unknown, part: string, most: number, subcode: number): string {
  const given = text(value, part);
  if (lengthOf(given) > most) {
    throw templateFault(2388040, 'Character Limit Exceeded', `The ${part} has more than ${most} characters.`);
  }
  if (part === 'body' && (/^\s*\{\{/.test(given) || /\}\}\s*$/.test(given))) {
    throw templateFault(
      2388299,
      "Parameters Can't Be at the Start or End",
      "Variables can't be at the start or end of the template.",
    );
  }
  if (/\{\{(?!\s*\w+\s*\}\})/.test(given)) {
    throw templateFault(
      subcode,
      'Incorrect Format',
      `The ${part} has a variable that is not written as {{1}} or {{name}}.`,
    );
  }
  return given;
}
