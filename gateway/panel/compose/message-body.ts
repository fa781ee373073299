import { isObject, type Json } from '../../cloud-api/json/json-value';
import { DEEPEST, depthOf } from '../../cloud-api/json/json-depth';
import { isRecipient, normalizedRecipient } from '../../cloud-api/validate/message-request';
import { templateBody } from '../send/template-form';
import { type FormState } from '../form-state';
import { type TemplateRecord } from '../../templates/template-record';
import { t } from '../languages/t';

/** The kinds of message in this form. */
export const KINDS = ['text', 'template', 'buttons', 'list', 'link', 'flow', 'media', 'json'] as const;
export type ComposeKind = (typeof KINDS)[number];

export const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];
/** File types allowed in a header. */
export const HEADER_TYPES = ['image', 'video', 'document'] as const satisfies readonly MediaType[];

export const kindOf = (state: FormState): ComposeKind =>
  KINDS.find((kind) => kind === state.text('kind')) ?? 'text';

/** A file stored by the platform. */
export interface Uploaded {
  type: MediaType;
  id: string;
  filename: string;
}

/** Input for the message body besides the form. */
interface Given {
  /** The chosen template; null if none. */
  template: TemplateRecord | null;
  /** Null if no file was uploaded. */
  uploaded: Uploaded | null;
}

/** Builds the body of a send from the form. Do not send it if the state has issues. */
export function messageBody(state: FormState, given: Given): Json {
  const to = state.required('to', t("Enter the contact's number with country code."));
  const isGroup = state.has('group');
  state.addIssue('to', isGroup || isNumber(to) ? null : noNumber());
  return {
    messaging_product: 'chat',
    ...(isGroup && { recipient_type: 'group' }),
    to,
    ...PARTS[kindOf(state)](state, given),
  };
}

/**
 * Whether the text is a complete recipient. With a country code, phone numbers have at least seven digits.
 */
export const isNumber = (to: string): boolean =>
  isRecipient(to) && !/^\d{1,6}$/.test(normalizedRecipient(to));

export const noNumber = (): string => t('Enter a phone number with country code.');

const PARTS: Record<ComposeKind, (state: FormState, given: Given) => Json> = {
  text: (state) => ({ type: 'text', text: { body: state.required('text', t('Enter the text.')) } }),
  template: templateOf,
  buttons: (state, given) =>
    interactive(state, 'button', headerOf(state, given), {
      buttons: buttonsOf(state).map((title) => ({ type: 'reply', reply: { id: title, title } })),
    }),
  list: (state) =>
    interactive(state, 'list', textHeader(state), {
      button: state.required('list_label', t('Enter the text of the button that opens the list.')),
      sections: [{ rows: rowsOf(state) }],
    }),
  link: (state, given) =>
    interactive(state, 'cta_url', headerOf(state, given), {
      name: 'cta_url',
      parameters: {
        display_text: state.required('link_label', t('Enter the text of the button.')),
        url: state.required('link_url', t('Enter the URL that the button opens.')),
      },
    }),
  flow: (state, given) =>
    interactive(state, 'flow', headerOf(state, given), { name: 'flow', parameters: flowOf(state) }),
  media: mediaOf,
  json: writtenOf,
};

/** The file in the form, if the chosen kind has one. */
export function fileOf(state: FormState): File | null {
  const kind = kindOf(state);
  if (kind === 'media') return state.file('file');
  return ['buttons', 'link', 'flow'].includes(kind) ? state.file('header_file') : null;
}

function templateOf(state: FormState, { template }: Given): Json {
  if (!template) {
    state.addIssue('template', t('Choose a template.'));
    return {};
  }
  return { type: 'template', template: templateBody(state, template) };
}

const textHeader = (state: FormState): Json | null =>
  state.text('header') ? { type: 'text', text: state.text('header') } : null;

/** The header: a line of text or a file; null if empty. */
function headerOf(state: FormState, { uploaded }: Given): Json | null {
  const link = state.text('header_link');
  if (!uploaded && !link) return textHeader(state);
  if (textHeader(state))
    state.addIssue('header', t('A header is a line of text or a file, not both. Empty one of them.'));
  const type = HEADER_TYPES.find((one) => one === (uploaded?.type ?? state.text('header_type')));
  if (!type) {
    state.addIssue('header_file', t('A header is a picture, a video or a document. Choose one.'));
    return null;
  }
  return { type, [type]: sourceOf(state, 'header_link', uploaded) };
}

const sourceOf = (state: FormState, name: string, uploaded: Uploaded | null): Json =>
  uploaded ? { id: uploaded.id } : { link: state.text(name) };

const interactive = (state: FormState, type: string, header: Json | null, action: Json): Json => ({
  type: 'interactive',
  interactive: {
    type,
    ...(header && { header }),
    body: { text: state.required('question', t('Enter the text above the choices.')) },
    ...(state.text('footer') && { footer: { text: state.text('footer') } }),
    action,
  },
});

export const BUTTONS = ['button_1', 'button_2', 'button_3'];

function buttonsOf(state: FormState): string[] {
  const titles = BUTTONS.map((name) => state.text(name)).filter(Boolean);
  if (!titles.length) state.addIssue('button_1', t('Enter the text of at least one button.'));
  return titles;
}

/** Parses one row per line: the title, and an optional description after a `|`. */
function rowsOf(state: FormState): { id: string; title: string; description?: string }[] {
  const rows = state
    .text('rows')
    .split('\n')
    .map((line) => line.split('|').map((part) => part.trim()))
    .flatMap(([title = '', ...more]) => {
      const description = more.join('|').trim();
      return title ? [{ id: title, title, ...(description && { description }) }] : [];
    });
  if (!rows.length) state.addIssue('rows', t('Enter at least one choice, one per line.'));
  return rows;
}

function flowOf(state: FormState): Json {
  const flow = state.required('flow', t('Enter the ID or name of the flow.'));
  const screen = state.text('flow_screen');
  return {
    flow_message_version: '3',
    [/^\d+$/.test(flow) ? 'flow_id' : 'flow_name']: flow,
    flow_cta: state.required('flow_label', t('Enter the text of the button.')),
    ...(state.has('flow_draft') && { mode: 'draft' }),
    ...(screen && { flow_action: 'navigate', flow_action_payload: { screen } }),
  };
}

/** A JSON body as in the API, without the recipient, which has its own field. */
function writtenOf(state: FormState): Json {
  const text = state.text('json');
  const written = depthOf(text) > DEEPEST ? null : jsonIn(text);
  if (!isObject(written) || typeof written.type !== 'string') {
    state.addIssue('json', t('Enter the message as a JSON object with a “type”.'));
    return {};
  }
  return Object.fromEntries(Object.entries(written).filter(([name]) => name !== 'to'));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function mediaOf(state: FormState, { uploaded }: Given): Json {
  const chosen = MEDIA_TYPES.find((one) => one === state.text('media_type')) ?? 'image';
  const type = uploaded?.type ?? chosen;
  const link = state.text('link');
  if (!uploaded && !URL.canParse(link)) state.addIssue('link', t('Choose a file, or enter a public URL.'));
  const caption = state.text('caption');
  const filename = uploaded?.filename ?? URL.parse(link)?.pathname.split('/').pop() ?? '';
  return {
    type,
    [type]: {
      ...sourceOf(state, 'link', uploaded),
      ...(caption && !['audio', 'sticker'].includes(type) && { caption }),
      ...(type === 'document' && filename && { filename: filename.slice(-240) }),
    },
  };
}
