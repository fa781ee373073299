import { type TemplateMessage } from '../cloud-api/validate/message-request';
import { quoted, templateNotApproved, templateParamsMismatch, type Refusal } from '../errors';
import { sentence } from '../wording/facts';
import { type TemplateRecord } from './template-record';

/**
 * Refuses a message that the platform would refuse because of its template: the template must be approved, and
 * header, body and buttons must have their values. Parts that the gateway cannot check (carousels, offers, flows) are
 * left to the platform.
 */
export function preflight(message: TemplateMessage, template: TemplateRecord): Refusal | null {
  if (template.status !== 'approved') return notApproved(template);
  const name = `Template ${quoted(template.name)} (${template.language})`;
  const components = (message.components ?? []).map(readComponent);
  const mismatch =
    headerMismatch(components, template) ??
    bodyMismatch(components, template) ??
    buttonMismatch(components, template);
  return mismatch === null ? null : templateParamsMismatch(`${name}: ${mismatch}`);
}

function notApproved(template: TemplateRecord): Refusal {
  const named = { name: quoted(template.name), language: template.language };
  const word = template.platform_status ?? template.status;
  if (word === 'PAUSED') {
    return templateNotApproved(
      132015,
      sentence('Template {name} ({language}) is paused by the platform because of its low quality.', named),
      'Use another template, or wait.',
    );
  }
  const code = word === 'DISABLED' ? 132016 : 132001;
  return templateNotApproved(
    code,
    sentence("Template {name} ({language}) cannot be sent: the platform's status for it is {word}.", {
      ...named,
      word,
    }),
    'Choose an approved template.',
  );
}

interface Component {
  type: string;
  index: number | null;
  parameters: { type: string; name: string | null }[];
}

type GivenComponent = NonNullable<TemplateMessage['components']>[number];

const readComponent = (component: GivenComponent): Component => ({
  type: component.type.toLowerCase(),
  index: component.index === undefined || component.index === null ? null : Number(component.index),
  parameters: (component.parameters ?? []).map((parameter) => {
    const { parameter_name: name } = parameter as { parameter_name?: unknown };
    return { type: parameter.type.toLowerCase(), name: typeof name === 'string' ? name : null };
  }),
});

const parametersOf = (components: Component[], type: string) =>
  components.filter((component) => component.type === type).flatMap(({ parameters }) => parameters);

function headerMismatch(
  components: Component[],
  { header, header_variables }: TemplateRecord,
): string | null {
  const given = parametersOf(components, 'header');
  if (header === null || header.type === 'text') return valuesMismatch('header', header_variables, given);
  if (given.length === 1 && given[0]?.type === header.type) return null;
  const came = given.length ? given.map(({ type }) => type).join(', ') : 'none';
  return `its header needs one parameter of type "${header.type}"; ${came} came.`;
}

const bodyMismatch = (components: Component[], { variable_names }: TemplateRecord): string | null =>
  valuesMismatch('body', variable_names, parametersOf(components, 'body'));

function valuesMismatch(component: string, needed: string[], given: Component['parameters']): string | null {
  if (needed.length !== given.length) {
    const list = needed.length ? ` (${needed.map((name) => `{{${name}}}`).join(', ')})` : '';
    return `its ${component} needs ${counted(needed.length, 'value')}${list}; ${given.length} came.`;
  }
  const isNamed = needed.some((name) => !/^\d+$/.test(name));
  if (!isNamed) return null;
  const missing = needed.filter((name) => !given.some((parameter) => parameter.name === name));
  if (!missing.length) return null;
  return `its ${component} needs a parameter with "parameter_name" ${missing.map(quoted).join(', ')}.`;
}

/** Other buttons are not checked, because the platform treats their values as optional or uses another format. */
const JUDGED_BUTTONS = ['url', 'copy_code'];

function buttonMismatch(components: Component[], { buttons }: TemplateRecord): string | null {
  const given = components.filter(({ type }) => type === 'button');
  const outside = given.find(({ index }) => index !== null && !buttons[index]);
  if (outside) {
    return `it has ${counted(buttons.length, 'button')}, so there is none with index ${outside.index} (the first is 0).`;
  }
  for (const button of buttons.filter(({ type }) => JUDGED_BUTTONS.includes(type))) {
    const values = given
      .filter(({ index }) => index === button.index)
      .flatMap(({ parameters }) => parameters).length;
    if (values === button.variables) continue;
    return `its button ${button.index} (${quoted(button.text)}) needs ${counted(button.variables, 'value')}; ${values} came.`;
  }
  return null;
}

const counted = (count: number, what: string): string => `${count || 'no'} ${what}${count === 1 ? '' : 's'}`;
