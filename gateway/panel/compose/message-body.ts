import { templateBody } from '../ui/send/template-form';
import { type FormState } from '../form-state';
import { type TemplateRecord } from '../../templates/template-record';

export type Json = Record<string, unknown>;

/** What can be written here; all else goes by the API. */
export const KINDS = ['text', 'template', 'buttons', 'list', 'media'] as const;
export type Kind = (typeof KINDS)[number];

export const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

export const kindOf = (state: FormState): Kind => KINDS.find((kind) => kind === state.text('kind')) ?? 'text';

/** A file that the platform has. */
export interface Uploaded {
  type: MediaType;
  id: string;
  filename: string;
}

/** What the message is made of besides the form. */
interface Given {
  /** That which is chosen; null where there is none. */
  template: TemplateRecord | null;
  /** Null where none was uploaded. */
  uploaded: Uploaded | null;
}

/** The body of a send as the form says it. What is missing is an issue of the form; then the body is not to be sent. */
export function messageBody(state: FormState, given: Given): Json {
  const to = state.required('to', 'Give the number of the contact, with its country code.');
  return { messaging_product: 'chat', to, ...PARTS[kindOf(state)](state, given) };
}

const PARTS: Record<Kind, (state: FormState, given: Given) => Json> = {
  text: (state) => ({ type: 'text', text: { body: state.required('text', 'Write the text.') } }),
  template: templateOf,
  buttons: (state) =>
    interactive(state, 'button', {
      buttons: buttonsOf(state).map((title) => ({ type: 'reply', reply: { id: title, title } })),
    }),
  list: (state) =>
    interactive(state, 'list', {
      button: state.required('list_label', 'Say what stands on the button that opens the list.'),
      sections: [{ rows: rowsOf(state) }],
    }),
  media: mediaOf,
};

function templateOf(state: FormState, { template }: Given): Json {
  if (!template) {
    state.addIssue('template', 'Choose a template.');
    return {};
  }
  return { type: 'template', template: templateBody(state, template) };
}

const interactive = (state: FormState, type: string, action: Json): Json => ({
  type: 'interactive',
  interactive: {
    type,
    body: { text: state.required('question', 'Write the text above the choices.') },
    ...(state.text('footer') && { footer: { text: state.text('footer') } }),
    action,
  },
});

export const BUTTONS = ['button_1', 'button_2', 'button_3'];

export function buttonsOf(state: FormState): string[] {
  const titles = BUTTONS.map((name) => state.text(name)).filter(Boolean);
  if (!titles.length) state.addIssue('button_1', 'Write on at least one button.');
  return titles;
}

/** One in each line: what is chosen, and behind a bar what is said of it. */
export function rowsOf(state: FormState): { id: string; title: string; description?: string }[] {
  const rows = state
    .text('rows')
    .split('\n')
    .map((line) => line.split('|').map((part) => part.trim()))
    .flatMap(([title = '', ...more]) => {
      const description = more.join('|').trim();
      return title ? [{ id: title, title, ...(description && { description }) }] : [];
    });
  if (!rows.length) state.addIssue('rows', 'Write at least one choice, each in a line of its own.');
  return rows;
}

function mediaOf(state: FormState, { uploaded }: Given): Json {
  const chosen = MEDIA_TYPES.find((one) => one === state.text('media_type')) ?? 'image';
  const type = uploaded?.type ?? chosen;
  const link = state.text('link');
  if (!uploaded && !URL.canParse(link))
    state.addIssue('link', 'Choose a file, or give the address of one that everybody may open.');
  const caption = state.text('caption');
  const filename = uploaded?.filename ?? URL.parse(link)?.pathname.split('/').pop() ?? '';
  return {
    type,
    [type]: {
      ...(uploaded ? { id: uploaded.id } : { link }),
      ...(caption && !['audio', 'sticker'].includes(type) && { caption }),
      ...(type === 'document' && filename && { filename: filename.slice(-240) }),
    },
  };
}
