import { createHash } from 'node:crypto';
import { notificationCutter, type NotificationEvent } from '../cloud-api/notification';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { messageIn } from '../cloud-api/written-text';
import { waitsForPause, wants, type Destination } from '../forwarding/destination';
import { type DestinationRegistry } from '../forwarding/destination-registry';
import { type AnyDispatcher } from '../forwarding/dispatcher';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { type CustomerServiceWindows } from '../messages/customer-service-window';
import { firstSpellings } from '../questions/question';
import { type Store } from '../store/store';
import {
  type MessageChange,
  type NewEvent,
  type NotificationWrite,
  type SentBody,
} from '../store/commit/writes';
import { isoTime, SECOND, type Clock } from '../time';
import { toldPricing } from '../usage/pricing';
import { pausedAmong } from './automation-pauses';
import { placeEvents, type PlacedEvent } from './lines-of-event';
import { noteOptOuts } from './opt-outs';

export interface RecordingDeps {
  store: Store;
  lines: LineRegistry;
  destinations: DestinationRegistry;
  dispatcher: AnyDispatcher;
  windows: CustomerServiceWindows;
  eventId: () => string;
  metrics: {
    /** Counts the new events and repeats of a notification. @param seconds until they were recorded */
    recorded(fresh: number, repeats: number, seconds: number): void;
  };
  clock: Clock;
}

/** Rows per write. This many take some 25 ms, which delays all other writes. */
const ROWS_OF_A_PART = 1_000;

type Cut = ReturnType<typeof notificationCutter>;

/** Kinds of messages that are taps on a button or a list row. */
const TAPS = ['button', 'interactive'];
const LONG_AGO = isoTime(0);

/** An event with all names of its writer, if they matter. */
type KnownEvent = PlacedEvent & { isPaused: boolean; names: string[] | undefined };

/** One event with its changes to messages and windows. */
type Told = { event: NewEvent } & Required<
  Pick<NotificationWrite, 'messages' | 'sent' | 'windows' | 'aliases'>
>;

/**
 * Stores a notification: its events, their deliveries, and the changes to messages and windows. A large one is stored
 * in several parts, but an event and its deliveries always in one. After the commit of a part, its deliveries are
 * offered to the dispatcher. If a later part fails, the platform resends the whole notification, and the first parts
 * count as repeats.
 *
 * Repeated events change nothing. Events of unknown lines are stored without deliveries.
 * @param raw the bytes of the notification, for destinations in raw mode
 * @returns the new events
 */
export async function recordNotification(
  deps: RecordingDeps,
  found: NotificationEvent[],
  raw: Buffer,
): Promise<NotificationEvent[]> {
  if (!found.length) return [];
  const began = deps.clock();
  const now = isoTime(began);
  const placed = await placeEvents(deps, found);
  const noting = noteOptOuts(deps.store, placed, deps.windows.now());
  if (noting) await noting;
  const paused = await pausedAmong(deps, placed);
  const names = await namesOfWriters(deps, placed);
  const known = placed.map((one) => ({
    ...one,
    isPaused: paused.has(one.event),
    names: names.get(one.event),
  }));
  const { parts, raws } = tellAll(deps, known, raw, now);

  const fresh = new Set<string>();
  for (const part of parts) {
    // A raw notification is stored with the first part that has a new event.
    const left = raws.filter(({ id }) => !fresh.has(id));
    const recorded = await record(deps, part, left);
    recorded.forEach((id) => fresh.add(id));
  }
  const told = parts.flat();
  const isFresh = (_: unknown, index: number) => fresh.has(told[index]?.event.id ?? '');
  const recorded = found.filter(isFresh);
  deps.metrics.recorded(recorded.length, found.length - recorded.length, (deps.clock() - began) / SECOND);
  return recorded;
}

/** What is stored of a notification: its events in parts, and those of lines that receive all of them as one. */
function tellAll(
  deps: RecordingDeps,
  known: KnownEvent[],
  raw: Buffer,
  now: string,
): { parts: Told[][]; raws: NewEvent[] } {
  const [only] = known;
  if (only && known.length === 1) return { parts: [[tell(deps, only, () => false, now)]], raws: [] };
  const ofLine = Map.groupBy(
    known.flatMap((event) => event.lines.map((line) => ({ line, event }))),
    ({ line }) => line,
  );
  /** Lines that do not receive all events of their business account in the notification. */
  const partial = new Set(known.flatMap(({ others }) => others));
  /** Whether the notification has several events of the line, and none of its account that are not for the line. */
  const canBeWhole = (line: Line) => (ofLine.get(line)?.length ?? 0) > 1 && !partial.has(line);
  /** Whether destinations in raw mode get all events of the line as one. */
  let isWhole = canBeWhole;
  const inParts = () => partsOf(known.map((event) => tell(deps, event, isWhole, now)));
  let parts = inParts();
  if (parts.length > 1 && [...ofLine.keys()].some((line) => asksQuestions(deps, line))) {
    // A raw notification is stored with one part, where questions answered in other parts are unknown.
    isWhole = (line) => canBeWhole(line) && !asksQuestions(deps, line);
    parts = inParts();
  }
  let cutter: Cut | null = null;
  const cut: Cut = (isOfLine) => (cutter ??= notificationCutter(raw))(isOfLine);
  const raws = [...ofLine].flatMap(([line, owned]) => {
    const events = owned.map(({ event: { event } }) => event);
    const isPaused = owned.every(({ event }) => event.isPaused);
    return isWhole(line) ? rawOf(deps, line, events, cut, now, isPaused) : [];
  });
  return { parts, raws };
}

/** @returns the ids of the new events */
async function record(
  { store, dispatcher, windows: known }: RecordingDeps,
  part: Told[],
  raws: NewEvent[],
): Promise<string[]> {
  const events = [...part.map(({ event }) => event), ...raws];
  const [only] = part;
  const { messages, sent, windows, aliases } = only && part.length === 1 ? only : joined(part);
  const write = {
    kind: 'notification',
    events,
    messages,
    sent,
    windows,
    aliases,
    recorder: dispatcher.processId,
  } as const;
  await dispatcher.settle(destinationsOf(events));
  try {
    const recorded = await store.write(write);
    dispatcher.offer(events, recorded);
    known.aliases.written(aliases);
    windows.forEach((one) => known.opened(one.line_id, one.contact, Date.parse(one.last_inbound_at)));
    return recorded.fresh;
  } catch (error) {
    // The transaction may have been committed although it reported an error.
    dispatcher.lookAgain(destinationsOf(events));
    throw error;
  }
}

const joined = (part: Told[]): Omit<Told, 'event'> => ({
  messages: part.flatMap((one) => one.messages),
  sent: part.flatMap((one) => one.sent),
  windows: part.flatMap((one) => one.windows),
  aliases: part.flatMap((one) => one.aliases),
});

const destinationsOf = (events: NewEvent[]): number[] =>
  events.flatMap(({ deliveries }) => deliveries.map(({ destination_id: id }) => id));

/**
 * Divides events into as few parts as possible of at most `ROWS_OF_A_PART` rows, but with at least one event each.
 */
function partsOf(told: Told[]): Told[][] {
  const parts: Told[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const one of told) {
    const { deliveries, gathering } = one.event;
    const ofEvent = 1 + deliveries.length + (gathering?.length ?? 0);
    const ofOne = ofEvent + one.messages.length + one.sent.length + one.windows.length;
    if (rows + ofOne > ROWS_OF_A_PART) {
      parts.push([]);
      rows = 0;
    }
    parts.at(-1)?.push(one);
    rows += ofOne;
  }
  return parts;
}

function tell(
  deps: RecordingDeps,
  { event, lines, isPaused, names }: KnownEvent,
  isWhole: (line: Line) => boolean,
  now: string,
): Told {
  const line = lines.length === 1 ? lines[0] : undefined;
  const [waiting, others]: [Destination[], Destination[]] = [[], []];
  for (const one of lines)
    for (const destination of deps.destinations.ofLine(one.id)) {
      if (!wants(destination, event) || (destination.mode === 'raw' && isWhole(one))) continue;
      (waitsForPause(destination, event) ? waiting : others).push(destination);
    }
  const recorded = newEvent(deps, event, line?.id ?? null, others, now, isPaused);
  if (event.reply) recorded.reply = { ...event.reply, names: names ?? firstSpellings(event.people.flat()) };
  if (waiting.length)
    recorded.gathering = waiting.map(({ id }) => ({
      destination_id: id,
      identity: event.identity,
      event_id: recorded.id,
      contact: event.contact ?? '',
      body: event.body,
      // A tap ends the wait for further messages.
      arrived_at: TAPS.includes(event.kind) ? LONG_AGO : now,
    }));
  if (!line) return { event: recorded, messages: [], sent: [], windows: [], aliases: [] };
  // A time in the future would keep the window open longer than on the platform.
  const at = isoTime(Math.min(event.occurredAt ?? Number.POSITIVE_INFINITY, deps.windows.now()));
  const { messages, sent } = messageTold(line.id, event, now);
  return {
    event: recorded,
    messages,
    sent,
    windows: event.opensWindowOf.map((contact) => ({ line_id: line.id, contact, last_inbound_at: at })),
    aliases: event.people.flatMap((names) => deps.windows.aliases.newAmong(line.id, names)),
  };
}

const asksQuestions = ({ destinations }: Pick<RecordingDeps, 'destinations'>, { id }: Line): boolean =>
  destinations.ofQuestions(id).length > 0;

/**
 * On lines that ask questions: all names of the contact, including those learned after the question was asked. On
 * other lines, the names in the event are enough.
 */
function namesOfWriters(
  deps: Pick<RecordingDeps, 'store' | 'destinations'>,
  placed: PlacedEvent[],
): Promise<WritersNames> | WritersNames {
  const isAsked = ({ event, lines: [line] }: PlacedEvent) => event.reply && line && asksQuestions(deps, line);
  return placed.some(isAsked) ? findNames(deps, placed) : NO_NAMES;
}

type WritersNames = ReadonlyMap<NotificationEvent, string[]>;

const NO_NAMES: WritersNames = new Map();

async function findNames(
  deps: Pick<RecordingDeps, 'store' | 'destinations'>,
  placed: PlacedEvent[],
): Promise<WritersNames> {
  const names = new Map<NotificationEvent, string[]>();
  const find = async (event: NotificationEvent, { id }: Line) => {
    const known = await deps.store.windows.identitiesOf(id, event.people.flat(), spellingsOf);
    names.set(event, firstSpellings(known));
  };
  const asked = placed.flatMap(({ event, lines: [line] }) =>
    event.reply && line && asksQuestions(deps, line) ? [find(event, line)] : [],
  );
  await Promise.all(asked);
  return names;
}

/** All of a line's events in a notification as one event, if the line has destinations in raw mode. */
function rawOf(
  deps: RecordingDeps,
  line: Line,
  events: NotificationEvent[],
  cut: Cut,
  now: string,
  isPaused: boolean,
): NewEvent[] {
  const receivers = deps.destinations
    .ofLine(line.id)
    .filter(({ mode }) => mode === 'raw')
    .filter((destination) => events.some((event) => wants(destination, event)));
  if (!receivers.length) return [];
  return [newEvent(deps, wholeOf(line, events, cut), line.id, receivers, now, isPaused)];
}

/** The stored part of an event, or of a line's raw notification. */
type Kept = Pick<
  NotificationEvent,
  'kind' | 'identity' | 'contact' | 'wamid' | 'phoneNumberId' | 'wabaId' | 'body'
> &
  Pick<NewEvent, 'subject'>;

function newEvent(
  { eventId }: RecordingDeps,
  kept: Kept,
  lineId: number | null,
  receivers: Destination[],
  now: string,
  isPaused: boolean,
): NewEvent {
  const id = eventId();
  return {
    id,
    line_id: lineId,
    subject: kept.subject,
    kind: kept.kind,
    identity: kept.identity,
    contact: kept.contact,
    wamid: kept.wamid,
    phone_number_id: kept.phoneNumberId,
    waba_id: kept.wabaId,
    body: kept.body,
    received_at: now,
    automation: isPaused ? 'paused' : null,
    deliveries: receivers.map((destination) => ({
      destination_id: destination.id,
      lane: kept.contact ?? id,
      due_at: now,
    })),
  };
}

/** A line's part of the notification, as one event. */
function wholeOf(line: Line, events: NotificationEvent[], cut: Cut): Kept {
  const { phoneNumberId, wabaId } = line;
  // Events that this callback refused are not in `events` and stay excluded.
  const hasOfAccount = events.some((event) => event.phoneNumberId === null);
  const body = cut((of) =>
    of.phoneNumberId === null ? hasOfAccount && of.wabaId === wabaId : of.phoneNumberId === phoneNumberId,
  );
  const contacts = new Set(events.map(({ contact }) => contact));
  return {
    subject: 'notification',
    kind: 'raw',
    identity: `notification:${phoneNumberId}:${createHash('sha256').update(body).digest('hex')}`,
    // If all events concern one contact, they keep their order with the contact's other events.
    contact: contacts.size === 1 ? (events[0]?.contact ?? null) : null,
    wamid: null,
    phoneNumberId,
    wabaId,
    body,
  };
}

/** Statuses with their own column in `messages`, such as `sent_at`. */
const STATUSES = ['sent', 'delivered', 'read', 'played', 'failed'];

/**
 * The change that an event makes to a sent message. Each status has its own time, so the order of arrival does not
 * matter.
 */
function messageTold(
  lineId: number,
  { subject, kind, wamid, contact, clientRef, errors, pricing, occurredAt, body }: NotificationEvent,
  now: string,
): { messages: MessageChange[]; sent: SentBody[] } {
  if (wamid === null || subject === 'message' || subject === 'account') return { messages: [], sent: [] };
  const at = occurredAt === null ? now : isoTime(occurredAt);
  const key = { line_id: lineId, wamid };
  if (subject === 'echo') {
    // The time of arrival, as for the contact's messages: the platform's times are whole seconds, and replies can be
    // faster.
    const accepted = { ...key, accepted_at: now };
    return {
      messages: [{ ...accepted, contact, type: kind, sent_from: 'app', sent_at: at }],
      sent: [{ ...accepted, body: JSON.stringify(messageIn(body)) }],
    };
  }
  if (!STATUSES.includes(kind)) return { messages: [], sent: [] };
  const change = {
    ...key,
    ...{ contact, client_ref: clientRef, [`${kind}_at`]: at },
    ...(errors && { failure: JSON.stringify(errors) }),
    pricing: toldPricing(kind, pricing),
  };
  return { messages: [change], sent: [] };
}
