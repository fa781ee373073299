/**
 * Validates a template message against the approved template: whether it exists, and whether the parameters
 * match header, body, buttons and each carousel card.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/reference/whatsapp-business-phone-number/template-message-api;
 * for carousels and offers, …/templates/marketing-templates/media-card-carousel-templates and
 * …/limited-time-offer-templates
 */
import {
  insideMissing,
  parameterInvalid,
  parameterMissing,
  parameterNotObject,
  templateCount,
  templateDisabled,
  templateFormat,
  templatePaused,
  templateTooLong,
  templateUnknown,
  templateValueInvalid,
} from '../platform/errors';
import { isObject, lengthOf, type JsonObject } from '../platform/json';
import { type AcceptedMessage, type Tap } from '../contacts/accepted-message';
import { type Template, type TemplateButton, type ComponentDefinition } from '../templates/starter-templates';

type Part<T extends ComponentDefinition['type']> = Extract<ComponentDefinition, { type: T }>;

/** Returns the distinct variables in order: {{1}} or {{customer_name}}. */
const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name)),
];

const part = <T extends ComponentDefinition['type']>(template: Template, type: T) =>
  template.components.find((component): component is Part<T> => component.type === type);

/** Returns the message of the template: text, buttons and category. */
export function validateTemplate(
  content: JsonObject,
  templates: readonly Template[],
): Pick<AcceptedMessage, 'shown' | 'card' | 'taps' | 'category'> {
  const template = templateNamed(content, templates);
  const components = sentComponents(content.components);
  validateOffer(template, parametersOf(components, 'limited_time_offer'));
  const ofCards = validateCards(template, components);
  return { ...validateFrame(template, components, ofCards), category: template.category };
}

/** Validates a template, or one carousel card as if it were a template. */
function validateFrame(
  template: Template,
  components: JsonObject[],
  ofCards: Tap[],
): Pick<AcceptedMessage, 'shown' | 'card' | 'taps'> {
  const header = validateHeader(template, parametersOf(components, 'header'));
  const body = validateVariables(
    'body',
    part(template, 'BODY')?.text ?? '',
    template.parameter_format,
    parametersOf(components, 'body'),
  );
  const footer = part(template, 'FOOTER')?.text;
  const buttons = part(template, 'BUTTONS')?.buttons ?? [];
  return {
    shown: [header, body, footer].filter(Boolean).join('\n\n'),
    card: { ...(header && { header }), body, ...(footer && { footer }), buttons },
    taps: [...validateTemplateButtons(buttons, components), ...ofCards],
  };
}

/** Requires the expiration time for an offer that expires, in milliseconds since 1970. */
function validateOffer(template: Template, [parameter]: JsonObject[]): void {
  if (!part(template, 'LIMITED_TIME_OFFER')?.limited_time_offer.has_expiration) return;
  const offer = parameter?.limited_time_offer;
  if (!isObject(offer) || typeof offer.expiration_time_ms !== 'number') {
    throw parameterInvalid(
      "limited_time_offer: Parameter 'expiration_time_ms' is mandatory for a template with an expiration",
    );
  }
}

/** Requires every approved card with its own values. Returns the cards' buttons. */
function validateCards(template: Template, components: JsonObject[]): Tap[] {
  const { cards } = part(template, 'CAROUSEL') ?? { cards: [] };
  const carousel = components.find((component) => String(component.type).toLowerCase() === 'carousel');
  const sent = Array.isArray(carousel?.cards) ? carousel.cards.filter(isObject) : [];
  if (sent.length !== cards.length) {
    throw parameterInvalid(
      `carousel: number of cards (${sent.length}) does not match the expected number of cards (${cards.length})`,
    );
  }
  return cards.flatMap((card, index) => {
    const given = sent.find(({ card_index: at }) => Number(at) === index);
    if (!given) throw parameterInvalid(`carousel: The card at index ${index} is missing`);
    const asTemplate = { ...template, components: card.components };
    return validateFrame(asTemplate, sentComponents(given.components), []).taps;
  });
}

function templateNamed(content: JsonObject, templates: readonly Template[]): Template {
  const name = content.name;
  if (typeof name !== 'string' || name === '') throw parameterMissing("template['name']");
  if (!isObject(content.language)) throw parameterMissing("template['language']");
  const language = content.language.code;
  if (typeof language !== 'string' || language === '') throw parameterMissing("template['language']['code']");
  const template = templates.find((each) => each.name === name && each.language === language);
  if (template?.status === 'PAUSED') throw templatePaused(name);
  if (template?.status === 'DISABLED') throw templateDisabled(name);
  if (template?.status !== 'APPROVED') throw templateUnknown(name, language);
  return template;
}

function sentComponents(components: unknown): JsonObject[] {
  if (components === undefined || components === null) return [];
  if (!Array.isArray(components)) throw parameterInvalid("template['components'] must be a list");
  if (!components.every(isObject)) throw parameterNotObject("template['components'][*]");
  return components;
}

const parametersIn = (component: JsonObject | undefined): JsonObject[] =>
  Array.isArray(component?.parameters) ? component.parameters.filter(isObject) : [];

const parametersOf = (components: JsonObject[], type: string): JsonObject[] =>
  parametersIn(components.find((component) => String(component.type).toLowerCase() === type));

function validateHeader(template: Template, parameters: JsonObject[]): string {
  const header = part(template, 'HEADER');
  if (!header || header.format === 'TEXT')
    return validateVariables('header', header?.text ?? '', template.parameter_format, parameters);
  const [first] = parameters;
  const received = first ? String(first.type).toUpperCase() : 'UNKNOWN';
  if (received !== header.format) throw templateFormat('header', header.format, received);
  const kind = header.format.toLowerCase();
  if (!isObject(first?.[kind]))
    throw parameterInvalid(`Parameter '${kind}' is mandatory for component parameter type '${kind}'`);
  return `[${kind}]`;
}

/** Fills the variables from the parameters, by position or by `parameter_name`. */
function validateVariables(
  component: 'header' | 'body',
  text: string,
  format: Template['parameter_format'],
  parameters: JsonObject[],
): string {
  const variables = variablesOf(text);
  if (parameters.length !== variables.length) {
    throw templateCount(component, parameters.length, variables.length);
  }
  const values = new Map(
    parameters.map((parameter, index) => {
      if (format === 'POSITIONAL') return [variables[index], shownParameter(parameter)];
      const name = parameter.parameter_name;
      if (typeof name !== 'string' || name === '')
        throw parameterInvalid('Parameter name is missing or empty');
      if (!variables.includes(name)) {
        throw parameterInvalid(`Parameter name '${name}' is not a variable of the template's ${component}`);
      }
      return [name, shownParameter(parameter)];
    }),
  );
  if (values.size < variables.length) throw templateCount(component, values.size, variables.length);
  for (const value of values.values()) validateValue(component, value);
  return filled(component, text, (name) => values.get(name) ?? '');
}

/** The most characters of a text after its values are filled in. */
const FILLED_MOST = { header: 60, body: 1024, buttons: 2000 };

/** Replaces the variables with their values. */
function filled(
  component: keyof typeof FILLED_MOST,
  text: string,
  valueOf: (name: string) => string,
): string {
  const shown = text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => valueOf(name));
  const [length, most] = [lengthOf(shown), FILLED_MOST[component]];
  if (length > most) throw templateTooLong(component, length, most);
  return shown;
}

/** Refuses values that would break the approved layout. */
function validateValue(component: string, value: string): void {
  if (/[\r\n\t]| {5}/.test(value)) throw templateValueInvalid(component);
}

/** Returns the text of a parameter; for money and dates, their fallback. */
function shownParameter(parameter: JsonObject): string {
  const type = String(parameter.type).toLowerCase();
  const value = parameter[type];
  if (type === 'text' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  if (type === 'text' && typeof value === 'string' && value !== '') return value;
  if (type !== 'text' && isObject(value)) return String(value.fallback_value ?? '');
  throw parameterInvalid(`Parameter '${type}' is mandatory for component parameter type '${type}'`);
}

/**
 * Requires a parameter for each button with variable content. A quick reply's payload defaults to its text.
 */
function validateTemplateButtons(buttons: TemplateButton[], components: JsonObject[]): Tap[] {
  const sent = components.filter((component) => String(component.type).toLowerCase() === 'button');
  const parameterAt = (index: number): JsonObject | undefined =>
    parametersIn(sent.find((component) => String(component.index ?? 0) === String(index)))[0];

  const beyond = sent.find((component) => buttons[Number(component.index ?? 0)] === undefined);
  if (beyond)
    throw parameterInvalid(`buttons: The template has no button at index ${String(beyond.index ?? 0)}`);

  return buttons.flatMap((button, index): Tap[] => {
    const parameter = parameterAt(index);
    if (button.type === 'URL' && variablesOf(button.url).length > 0 && !parameter?.text) {
      throw insideMissing(`buttons: Button at index ${index} of type Url requires a parameter`);
    }
    if (button.type === 'URL' && parameter) {
      const value = String(parameter.text);
      validateValue('buttons', value);
      filled('buttons', button.url, () => value);
    }
    if (button.type === 'COPY_CODE' && !parameter?.coupon_code) {
      throw insideMissing(`buttons: Button at index ${index} of type CopyCode requires a parameter`);
    }
    if (button.type === 'COPY_CODE') validateValue('buttons', String(parameter?.coupon_code));
    if ((button.type === 'FLOW' || button.type === 'MPM') && !isObject(parameter?.action)) {
      const name = button.type === 'FLOW' ? 'Flow' : 'Mpm';
      throw insideMissing(`buttons: Button at index ${index} of type ${name} requires a parameter`);
    }
    if (button.type !== 'QUICK_REPLY') return [];
    const payload = typeof parameter?.payload === 'string' ? parameter.payload : button.text;
    return [{ kind: 'template_button', payload, text: button.text }];
  });
}
