import {
  type DeliveryState,
  type EventTable,
  type GatheringTable,
  type IdempotencyKeyTable,
  type SentBodyTable,
} from '../schema';

/**
 * The frequent writes, as plain data. They are collected during the last commit and applied in one transaction
 * (`group-commit.ts`). Each write is applied completely or not at all.
 */
export type Write =
  | NotificationWrite
  | MessageWrite
  /** Claims an Idempotency-Key for a send if the key is free. */
  | { kind: 'key'; claim: KeyClaim }
  /** Records the result of one attempt. */
  | { kind: 'attempt'; attempt: AttemptRecord }
  /** Sends an answer that its question's callback rejects to the line's destinations instead. */
  | { kind: 'release'; release: AnswerRelease };

/**
 * An accepted message, the contact's names in the platform's response, and the response stored for its
 * Idempotency-Key.
 */
export interface MessageWrite {
  kind: 'message';
  message: MessageChange;
  aliases?: AliasChange[];
  answered?: AnsweredKey | undefined;
  /** The id of the question that the message asks. */
  asks?: string | undefined;
  /** The sent message; undefined if it is not stored. */
  sent?: SentBody | undefined;
}

/** Some or all events of one notification. */
export interface NotificationWrite {
  kind: 'notification';
  events: NewEvent[];
  messages: MessageChange[];
  /** Messages sent from the phone app. */
  sent?: SentBody[];
  windows: WindowChange[];
  aliases?: AliasChange[];
  /**
   * The recording process. It is offered the deliveries of its own destinations; the owners of the others are woken.
   */
  recorder?: string;
}

/** The result of a write. */
export type WriteResult<Kind extends Write['kind'] = Write['kind']> = {
  notification: Recorded;
  /** `moved`: whether the delivery still had the state that the attempt found, or could still become delivered. */
  attempt: { moved: boolean };
  message: null;
  /** Null if the key is now claimed for this send; otherwise the send that claimed it first. */
  key: TakenKey | null;
  /** Null if the answer was delivered, or had already ended. */
  release: Recorded | null;
}[Kind];

export interface Recorded {
  /** The ids of the new events. */
  fresh: string[];
  /** The deliveries of new events to destinations that the recorder owns. */
  own: { destination_id: number; event_id: string; sequence: number }[];
  /** The new events that answer an ended question. */
  late: { event_id: string; question_id: string }[];
  /** Destinations of the recorder with unread deliveries that other processes recorded. */
  behind: number[];
}

/** Characters that a write keeps in memory until the commit. Only bodies count, because the rest is small. */
export function sizeOfWrite(write: Write): number {
  if (write.kind === 'message') return write.sent?.body.length ?? 0;
  if (write.kind !== 'notification') return 0;
  return [...write.events, ...(write.sent ?? [])].reduce((sum, { body }) => sum + body.length, 0);
}

/** The approximate number of rows of a write. */
export const rowsOfWrite = (write: Write): number =>
  write.kind === 'notification'
    ? write.events.reduce((sum, one) => sum + 1 + one.deliveries.length + (one.gathering?.length ?? 0), 0) +
      write.messages.length +
      (write.sent?.length ?? 0) +
      write.windows.length
    : 2;

/**
 * An event and its deliveries, inserted unless an event with the same identity exists. Whole notifications come last.
 */
export interface NewEvent extends Readonly<Omit<EventTable, 'late_answer_to' | 'country'>> {
  deliveries: NewDelivery[];
  /** Messages to group at destinations until the contact pauses, inserted with the event. */
  gathering?: NewGathering[];
  /** The event as a possible answer to a question; null or undefined if it cannot be one. */
  reply?: Reply | null;
}

/** The columns of a new event, in the order in which they are written. */
export const EVENT_COLUMNS = [
  'id',
  'line_id',
  'subject',
  'kind',
  'identity',
  'contact',
  'wamid',
  'phone_number_id',
  'waba_id',
  'body',
  'received_at',
  'automation',
] as const satisfies (keyof NewEvent)[];

/** The fields of a recorded event that the queues need in memory. */
export type OfferedEvent = Pick<NewEvent, 'id' | 'contact' | 'body' | 'received_at' | 'automation'>;

export type NewGathering = Readonly<Omit<GatheringTable, 'group_id' | 'done_at'>>;

/** A contact's message, as a possible answer to a question. */
export interface Reply {
  /** The contact's names: phone numbers in their first spelling, and user ids. */
  names: string[];
  /** A kind that questions can accept; null for other messages. */
  kind: string | null;
  /** For a tap: the id of the button or row. */
  choice: string | null;
  /** The id of the tapped or quoted message. */
  to: string | null;
}

/** An answer that the callback of its question rejects. */
export interface AnswerRelease {
  question_id: string;
  /** The event, and the destination of its delivery to the callback. */
  event_id: string;
  destination_id: number;
  /** The deliveries to the line's destinations; empty if they already received the answer. */
  deliveries: NewDelivery[];
  at: string;
  recorder: string;
}

/** Whether an event is a line's raw notification. */
export const isWhole = ({ subject, kind }: NewEvent): boolean => subject === 'notification' && kind === 'raw';

/** Whether to store a raw notification: no, if all its events are repeats. */
export const tellsAnything = (whole: NewEvent, fresh: NewEvent[]): boolean =>
  fresh.some((event) => !isWhole(event) && [null, whole.line_id].includes(event.line_id));

/** The separate deliveries of each event in a raw notification, used if one of the events answers a question. */
export const apart = (whole: NewEvent, events: NewEvent[]): (NewDelivery & { event_id: string })[] =>
  events
    .filter((event) => !isWhole(event) && [null, whole.line_id].includes(event.line_id))
    .flatMap(({ id, contact, received_at: due_at }) =>
      whole.deliveries.map(({ destination_id }) => ({
        destination_id,
        event_id: id,
        lane: contact ?? id,
        due_at,
      })),
    );

export interface NewDelivery {
  destination_id: number;
  lane: string;
  due_at: string;
}

/**
 * New facts about a message, applied in any order. The earlier of two times wins, and the smaller of two pricings; a
 * failure keeps its time, and the contact in the platform's response to the send wins if known.
 */
export interface MessageChange {
  line_id: number;
  wamid: string;
  contact?: string | null;
  type?: string | null;
  template_name?: string | null;
  template_language?: string | null;
  sent_from?: 'app' | null;
  client_ref?: string | null;
  accepted_at?: string | null;
  sent_at?: string | null;
  delivered_at?: string | null;
  read_at?: string | null;
  played_at?: string | null;
  failed_at?: string | null;
  failure?: string | null;
  pricing?: string | null;
}

export const MESSAGE_TIMES = [
  'accepted_at',
  'sent_at',
  'delivered_at',
  'read_at',
  'played_at',
  'failed_at',
] as const satisfies (keyof MessageChange)[];

/** Columns of which the smallest value wins. */
export const SMALLEST_WINS = ['pricing', ...MESSAGE_TIMES] as const;

/**
 * The UTC days whose usage a changed message is part of, in ten characters each: the day of its acceptance, or of any
 * status if it was sent past the gateway, because it counts on the day of the first.
 */
export const USAGE_DAYS = `coalesce(substr(accepted_at, 1, 10), ${MESSAGE_TIMES.map(
  (column) => `coalesce(substr(${column}, 1, 10), '')`,
).join(' || ')})`;

/** The different days in values of `USAGE_DAYS`. */
export const daysIn = (told: Iterable<string>): Set<string> =>
  new Set([...told].flatMap((days) => days.match(/.{10}/g) ?? []));

/** Columns whose first recorded value stays. */
export const MESSAGE_FACTS = [
  'type',
  'template_name',
  'template_language',
  'sent_from',
  'client_ref',
] as const satisfies (keyof MessageChange)[];

export const MESSAGE_COLUMNS = [
  'contact',
  ...MESSAGE_FACTS,
  'failure',
  ...SMALLEST_WINS,
] as const satisfies (keyof MessageChange)[];

/** A message from a contact. A time older than the stored one changes nothing. */
export interface WindowChange {
  line_id: number;
  contact: string;
  last_inbound_at: string;
}

/** Claims a key at `started_at` if the key is free, or if its last claim is from `since` or earlier. */
export interface KeyClaim {
  line_id: number;
  key: string;
  body_hash: string;
  started_at: string;
  since: string;
}

export type SentBody = Readonly<SentBodyTable>;

/** The send that claimed the key; `answer` as in `IdempotencyKeyTable`. */
export type TakenKey = Pick<IdempotencyKeyTable, 'body_hash' | 'started_at' | 'answer'>;

export type AnsweredKey = Pick<IdempotencyKeyTable, 'line_id' | 'key'> & { answer: string };

/** The platform reports a contact under another identity than sends use. */
export interface AliasChange {
  line_id: number;
  contact: string;
  identity: string;
}

/**
 * One attempt, and its effect on a delivery that is pending with the same number of attempts as before. A successful
 * attempt makes the delivery delivered even if a failure was recorded in between, but does not end a later replay.
 */
export interface AttemptRecord {
  destination_id: number;
  event_id: string;
  number: number;
  started_at: string;
  duration_ms: number;
  http_status: number | null;
  outcome: string;
  answer: string | null;
  state: DeliveryState;
  /** When the next attempt is due, if the delivery remains pending. */
  due_at: string;
}
