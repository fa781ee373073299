import { SECOND } from '../time';
import { type DeliveryState, type EventTable } from './schema';

/**
 * What the hot paths ask of a database, as plain data: writes, and claims of what waits. Writes are collected while the
 * last commit runs and applied in one transaction (`group-commit.ts`): everything that one of them holds is durable, or
 * none of it is.
 */
export type Write =
  /** What one upstream notification tells. Done: the ids of the events that were not there before. */
  | {
      kind: 'notification';
      events: NewEvent[];
      messages: MessageChange[];
      windows: WindowChange[];
      aliases?: AliasChange[];
      /** The process that records it: other processes are woken for what is left to them. */
      process_id?: string;
    }
  /** A message that upstream accepted, and what its answer tells of the contact. */
  | { kind: 'message'; message: MessageChange; aliases?: AliasChange[] }
  /** What came of one attempt to deliver. */
  | { kind: 'attempt'; attempt: AttemptRecord };

/** The characters that a write keeps in memory until it is committed: bodies are all of it that may be large. */
export const sizeOfWrite = (write: Write): number =>
  write.kind === 'notification' ? write.events.reduce((sum, { body }) => sum + body.length, 0) : 0;

/** Inserted unless an event of the same identity is there; its deliveries are inserted with it, or not at all. Wholes stand last. */
export interface NewEvent extends Readonly<EventTable> {
  deliveries: NewDelivery[];
}

/** All that a notification holds of a line, as one. */
export const isWhole = ({ subject }: NewEvent): boolean => subject === 'notification';

/** Whether a whole is worth its own event: one whose events are all repeats, in whatever batch they come, is none. */
export const tellsAnything = (whole: NewEvent, fresh: NewEvent[]): boolean =>
  fresh.some((event) => !isWhole(event) && [null, whole.line_id].includes(event.line_id));

export interface NewDelivery {
  destination_id: number;
  lane: string;
  due_at: string;
  /**
   * The process that would send it from memory. It gets it only while no other process owns the destination and nothing
   * waits for it in the database that comes first; otherwise this is null once the write is done.
   */
  claimed_by: string | null;
}

/** What waits for a destination and is due this soon comes before what is fresh; but not what is replayed. */
export const COMES_FIRST = 40 * SECOND;

/**
 * What is now known of a message. The order in which changes arrive does not matter: of two times the earlier stays, a
 * failure stays with its time, and the contact is the one of the answer to the send where that is known.
 */
export interface MessageChange {
  line_id: number;
  wamid: string;
  contact?: string | null;
  type?: string | null;
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

export const MESSAGE_COLUMNS = [
  'contact',
  'type',
  'client_ref',
  'failure',
  ...MESSAGE_TIMES,
] as const satisfies (keyof MessageChange)[];

/** A contact wrote. An older time than the stored one changes nothing. */
export interface WindowChange {
  line_id: number;
  contact: string;
  last_inbound_at: string;
}

/** Upstream reports a contact under another identity than the one he is addressed by. */
export interface AliasChange {
  line_id: number;
  contact: string;
  identity: string;
}

/** One attempt, and what it makes of its delivery. A delivery that is no longer pending keeps its state. */
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
  /** When the next attempt is due, where the state is still pending. */
  due_at: string;
  /** The process that keeps it in memory until then; null lets any process pick it up. */
  claimed_by: string | null;
  /** The process that made it. Where another holds the delivery by now, a failure changes nothing of it. */
  made_by?: string;
}

/** What a process takes of one destination's deliveries: what nobody holds, longest due first, given back in no order. */
export interface Claim {
  process_id: string;
  destination_id: number;
  /** Everything pending that is due before this time. */
  due_before: string;
  limit: number;
  /** Bytes of bodies after which it ends, be it with the first. */
  most_size: number;
  /** Only this one. */
  event_id?: string;
  /** Only what is replayed, or only the rest. */
  replayed?: boolean;
  /** Of these lanes nothing that was not tried yet. */
  lanes_left_out?: string[];
  /** Of each lane no more than so many that were not tried yet. */
  most_of_lane?: number;
}

export interface ClaimedDelivery {
  destination_id: number;
  event_id: string;
  lane: string;
  attempts: number;
  /** Of these, the attempts before it was last replayed. */
  attempts_before: number;
  due_at: string;
  body: string;
}
