import { isKeptNumber, parseExactly } from './json/exact-json';
import { isObject, objects, type Json } from './json/json-value';
import { SECOND } from '../time';
import { fact, type Fact } from '../wording/facts';
import { type NotificationEvent } from './notification';
import {
  readComponents,
  rejectedReasonOf,
  templateStateOf,
  textOf,
  type TemplateComponent,
} from './template';

/**
 * An account event about a template or a phone number.
 * Format: developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference, one page per
 * field.
 */
export type AccountEvent =
  | { of: 'template'; change: TemplateUpdate }
  /** The event does not contain the new values, so they must be read from the platform. */
  | {
      of: 'phoneNumber';
      phoneNumber: string | null;
      /**
       * The restriction of the whole account; null if it was lifted, undefined if the event is about
       * something else.
       */
      account?: AccountWarning | null;
    };

/** The platform's restriction of a business account, and its end (ms) if known. */
export interface AccountWarning {
  said: Fact;
  until: number | null;
}

/** Changes of a template in an event. */
export interface TemplateUpdate {
  id: string | null;
  name: string;
  language: string;
  status?: string;
  /** Set with the status; null if nothing was rejected. */
  rejectedReason?: string | null;
  quality?: string;
  category?: string;
  texts?: TemplateTexts;
  /** Whether the event lacks details, so that the list of templates must be read. */
  isPart: boolean;
}

/** New texts of an edited template; null for a component that it lacks. */
export interface TemplateTexts {
  header: string | null;
  body: string;
  footer: string | null;
}

/** Each of these events can mean a change of quality, which the platform no longer sends itself. */
const PHONE_NUMBER_FIELDS = [
  'phone_number_quality_update',
  'phone_number_name_update',
  'account_update',
  'account_review_update',
  'business_capability_update',
];

/**
 * Words of `message_template_status_update` that are not statuses: LOCKED only blocks editing, and UNARCHIVED
 * restores the earlier status.
 */
const NO_STATUS = ['LOCKED', 'UNLOCKED', 'UNARCHIVED'];

const LONGEST = 512;

/** Returns null for an event about neither, or an unreadable one. */
export function readAccountEvent({ subject, kind, body }: NotificationEvent): AccountEvent | null {
  if (subject !== 'account') return null;
  const value = changeIn(body, kind);
  if (PHONE_NUMBER_FIELDS.includes(kind)) {
    return {
      of: 'phoneNumber',
      phoneNumber: phoneNumberIn(value),
      ...(kind === 'account_update' && value && { account: warningIn(value) }),
    };
  }
  const name = text(value?.message_template_name);
  const language = text(value?.message_template_language);
  if (!value || name === null || language === null) return null;
  const facts = factsIn(kind, value);
  // The webhook sends en-US, the list of templates en_US.
  const named = { id: text(value.message_template_id), name, language: language.replaceAll('-', '_') };
  return facts && { of: 'template', change: { ...named, ...facts } };
}

/**
 * Returns the template and the phone number (in digits) that an account event is about. A restriction is about the
 * whole account.
 */
export function namedIn({ kind, body }: Pick<NotificationEvent, 'kind' | 'body'>): {
  template: string | null;
  phoneNumber: string | null;
} {
  const value = changeIn(body, kind);
  const isOfAccount = kind === 'account_update' && value && warningIn(value) !== undefined;
  return {
    template: text(value?.message_template_name),
    phoneNumber: isOfAccount ? null : phoneNumberIn(value),
  };
}

const phoneNumberIn = (value: Json | null): string | null =>
  (text(value?.display_phone_number) ?? text(value?.phone_number))?.replace(/\D/g, '') || null;

/**
 * Returns the account's restriction in an `account_update`; null if it was lifted, undefined if the event is
 * about something else.
 */
function warningIn(value: Json): AccountWarning | null | undefined {
  switch (text(value.event)) {
    case 'ACCOUNT_RESTRICTION': {
      const all = objects(value.restriction_info);
      const from = all.flatMap(({ restriction_type: type }) => text(type) ?? []);
      const ends = all.map(({ expiration }) => Number(text(expiration)) * SECOND).filter((end) => end > 0);
      return { said: fact('account.restricted', { from }), until: ends.length ? Math.max(...ends) : null };
    }
    case 'ACCOUNT_VIOLATION': {
      const type = isObject(value.violation_info) ? text(value.violation_info.violation_type) : null;
      return { said: fact('account.violation', { type }), until: null };
    }
    case 'DISABLED_UPDATE': {
      const ban = isObject(value.ban_info) ? value.ban_info : {};
      const state = text(ban.waba_ban_state) ?? '';
      if (state === 'REINSTATE') return null;
      return { said: fact('account.disabled', { state, date: text(ban.waba_ban_date) }), until: null };
    }
    case 'ACCOUNT_DELETED':
      return { said: fact('account.deleted', {}), until: null };
    default:
      return undefined;
  }
}

function factsIn(kind: string, value: Json): Omit<TemplateUpdate, 'id' | 'name' | 'language'> | null {
  switch (kind) {
    case 'message_template_status_update': {
      const word = text(value.event);
      const status = word !== null && !NO_STATUS.includes(word.toUpperCase()) ? word : null;
      const category = text(value.message_template_category);
      return {
        ...(status !== null && { status, rejectedReason: rejectedReasonOf(value.reason) }),
        ...(category !== null && { category }),
        isPart: status === null || templateStateOf(status) === null,
      };
    }
    case 'message_template_quality_update': {
      const quality = text(value.new_quality_score);
      return { ...(quality !== null && { quality }), isPart: quality === null };
    }
    // Also sent for a future change; `new_category` then holds the current category.
    case 'template_category_update': {
      const category = text(value.new_category);
      return { ...(category !== null && { category }), isPart: category === null };
    }
    case 'message_template_components_update': {
      const body = value.message_template_element;
      const header = string(value.message_template_title);
      const footer = string(value.message_template_footer);
      return { ...(typeof body === 'string' && { texts: { header, body, footer } }), isPart: true };
    }
    default:
      return null;
  }
}

/**
 * Returns the components of a template after its texts were edited. Components that the event lacks or
 * contains in part stay unchanged: a header without text, and the buttons.
 */
export function withTexts(components: TemplateComponent[], texts: TemplateTexts): TemplateComponent[] {
  const stored = (type: string) => components.find((one) => one.type.toUpperCase() === type);
  const header = stored('HEADER');
  const isMedia = typeof header?.format === 'string' && header.format.toUpperCase() !== 'TEXT';
  const edited = (type: string, words: string | null, more: object = {}): TemplateComponent[] =>
    words === null ? [] : [{ type, ...more, text: words }];
  return readComponents([
    ...(header && isMedia ? [header] : edited('HEADER', texts.header, { format: 'TEXT' })),
    ...edited('BODY', texts.body),
    ...edited('FOOTER', texts.footer),
    ...components.filter(({ type }) => !['HEADER', 'BODY', 'FOOTER'].includes(type.toUpperCase())),
  ]);
}

/** Returns the value of the single change in an event. */
function changeIn(body: string, field: string): Json | null {
  const { entry } = parseExactly(body) as { entry?: unknown };
  const changes = objects(entry).flatMap((one) => objects(one.changes));
  const { value } = changes.find((change) => change.field === field) ?? {};
  return isObject(value) ? value : null;
}

/** Converts to text. An ID can be a number with too many digits for JavaScript. */
const text = (value: unknown): string | null =>
  textOf(isKeptNumber(value) ? JSON.stringify(value) : value, LONGEST);
const string = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
