import {
  type DeliveryState,
  type EventTable,
  type GatheringTable,
  type IdempotencyKeyTable,
  type SentBodyTable,
} from '../schema';

/**
 * The writes of the hot paths, as plain data. They are collected while the last commit runs and applied in one transaction
 * (`group-commit.ts`). A write is applied as a whole, or not at all.
 */
export type Write =
  | NotificationWrite
  | MessageWrite
  /** Claims an Idempotency-Key for a send, unless it is claimed already. */
  | { kind: 'key'; claim: KeyClaim }
  /** Records the result of one attempt. */
  | { kind: 'attempt'; attempt: AttemptRecord }
  /** The callback of a question does not accept its answer, which goes to the line's destinations instead. */
  | { kind: 'release'; release: AnswerRelease };

/** An accepted message, the names of the contact in the platform's answer, and the answer for its key. */
export interface MessageWrite {
  kind: 'message';
  message: MessageChange;
  aliases?: AliasChange[];
  answered?: AnsweredKey | undefined;
  /** The id of the question that the message asks. */
  asks?: string | undefined;
  /** The sent message, if it is stored. */
  sent?: SentBody | undefined;
}

/** The events of one notification, or a part of them. */
export interface NotificationWrite {
  kind: 'notification';
  events: NewEvent[];
  messages: MessageChange[];
  /** Messages that were sent from the phone app. */
  sent?: SentBody[];
  windows: WindowChange[];
  aliases?: AliasChange[];
  /** The recording process: its own deliveries are offered to it, and the owners of the others are woken. */
  recorder?: string;
}

/** The result of a write. */
export type WriteResult<Kind extends Write['kind'] = Write['kind']> = {
  notification: Recorded;
  /** `moved`: whether the delivery was as the attempt found it, or could still become delivered. */
  attempt: { moved: boolean };
  message: null;
  /** Null if the key is now claimed for this send; otherwise the send that claimed it before. */
  key: TakenKey | null;
  /** Null if the answer was delivered, or had ended before. */
  release: Recorded | null;
}[Kind];

export interface Recorded {
  /** The ids of the new events. */
  fresh: string[];
  /** The new events' deliveries to destinations that the recorder owns. */
  own: { destination_id: number; event_id: string; sequence: number }[];
  /** The new events that answer an ended question. */
  late: { event_id: string; question_id: string }[];
  /** The recorder's destinations for which other processes have recorded something that is still unread. */
  behind: number[];
}

/** The characters that a write keeps in memory until it is committed. Only bodies count, because only they are large. */
export function sizeOfWrite(write: Write): number {
  if (write.kind === 'message') return write.sent?.body.length ?? 0;
  if (write.kind !== 'notification') return 0;
  return [...write.events, ...(write.sent ?? [])].reduce((sum, { body }) => sum + body.length, 0);
}

/** About how many rows a write has. */
export const rowsOfWrite = (write: Write): number =>
  write.kind === 'notification'
    ? write.events.reduce((sum, one) => sum + 1 + one.deliveries.length + (one.gathering?.length ?? 0), 0) +
      write.messages.length +
      (write.sent?.length ?? 0) +
      write.windows.length
    : 2;

/**
 * Inserted with its deliveries, unless there is an event of the same identity. Whole notifications come last.
 */
export interface NewEvent extends Readonly<Omit<EventTable, 'late_answer_to'>> {
  deliveries: NewDelivery[];
  /** Inserted with it as well: messages that wait at destinations until their contact stops writing. */
  gathering?: NewGathering[];
  /** Its content, if it may answer a question; null or missing if it cannot. */
  reply?: Reply | null;
}

/** What memory needs of an event whose deliveries were recorded. */
export type OfferedEvent = Pick<NewEvent, 'id' | 'contact' | 'body' | 'received_at' | 'automation'>;

export type NewGathering = Readonly<Omit<GatheringTable, 'group_id' | 'done_at'>>;

/** A contact's message, as a possible answer to a question. */
export interface Reply {
  /** Names of the contact: phone numbers in the first of their spellings, and user ids. */
  names: string[];
  /** One of the kinds that a question accepts; null for every other message. */
  kind: string | null;
  /** For a tap: the id of the button or row. */
  choice: string | null;
  /** The message that was tapped or quoted. */
  to: string | null;
}

/** An answer that the callback of its question does not accept. */
export interface AnswerRelease {
  question_id: string;
  /** The event and the delivery to the callback. */
  event_id: string;
  destination_id: number;
  /** To the line's destinations. Empty if the answer went there as well in the first place. */
  deliveries: NewDelivery[];
  at: string;
  recorder: string;
}

/** Whether an event is a line's raw notification. */
export const isWhole = ({ subject, kind }: NewEvent): boolean => subject === 'notification' && kind === 'raw';

/** Whether a raw notification is stored: not if all its events are repeats. */
export const tellsAnything = (whole: NewEvent, fresh: NewEvent[]): boolean =>
  fresh.some((event) => !isWhole(event) && [null, whole.line_id].includes(event.line_id));

/**
 * The deliveries if an event of a raw notification answers a question: every other event is then sent
 * separately.
 */
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
 * The new facts about a message. The order in which changes arrive does not matter: the earlier of two times
 * stays, a failure stays with its time, and the contact is the one in the answer to the send, if known.
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
}

export const MESSAGE_TIMES = [
  'accepted_at',
  'sent_at',
  'delivered_at',
  'read_at',
  'played_at',
  'failed_at',
] as const satisfies (keyof MessageChange)[];

/** The first of these that is recorded stays. */
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
  ...MESSAGE_TIMES,
] as const satisfies (keyof MessageChange)[];

/** A contact wrote. An older time than the stored one changes nothing. */
export interface WindowChange {
  line_id: number;
  contact: string;
  last_inbound_at: string;
}

/** Claims a key at `started_at` if it is free, or was last claimed at or before `since`. */
export interface KeyClaim {
  line_id: number;
  key: string;
  body_hash: string;
  started_at: string;
  since: string;
}

export type SentBody = Readonly<SentBodyTable>;

/** The send that has taken a key; `answer` as in `IdempotencyKeyTable`. */
export type TakenKey = Pick<IdempotencyKeyTable, 'body_hash' | 'started_at' | 'answer'>;

export type AnsweredKey = Pick<IdempotencyKeyTable, 'line_id' | 'key'> & { answer: string };

/** The platform reports a contact under another identity than the one that sends use. */
export interface AliasChange {
  line_id: number;
  contact: string;
  identity: string;
}

/**
 * One attempt, and its effect on its delivery, if that is pending with the same number of attempts as before.
 * A delivered delivery counts as delivered even if a failure was recorded in between; but it does not end a
 * later replay.
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
  /** When the next attempt is due, if the state is still pending. */
  due_at: string;
}
