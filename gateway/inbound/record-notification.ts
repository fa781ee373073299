import { createHash } from 'node:crypto';
import { notificationCutter, type NotificationEvent } from '../cloud-api/notification';
import { wants, type Destination } from '../forwarding/destination';
import { type DestinationRegistry } from '../forwarding/destination-registry';
import { type Dispatcher } from '../forwarding/dispatcher';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { type CustomerServiceWindows } from '../messages/customer-service-window';
import { type Store } from '../store/database';
import { type AliasChange, type MessageChange, type NewEvent, type WindowChange } from '../store/writes';
import { isoTime, SECOND, type Clock } from '../time';

export interface RecordingDeps {
  store: Store;
  lines: LineRegistry;
  destinations: DestinationRegistry;
  dispatcher: Dispatcher;
  windows: CustomerServiceWindows;
  eventId: () => string;
  metrics: {
    /** Told of each notification: how many events were new, how many repeats. @param seconds until it was recorded */
    recorded(fresh: number, repeats: number, seconds: number): void;
  };
  clock: Clock;
}

/**
 * Makes a notification durable, all of it in one write: its events, the deliveries that they owe, what they tell of
 * messages and of windows. Once that is committed, the deliveries go to the dispatcher.
 *
 * Repeats of events that are there already change nothing. Events of no line of this gateway are kept, and owed to nobody.
 * @param raw the notification itself, for destinations that take it whole
 * @returns the events that were new
 */
export async function recordNotification(
  deps: RecordingDeps,
  found: NotificationEvent[],
  raw: Buffer,
): Promise<NotificationEvent[]> {
  if (!found.length) return [];
  const began = deps.clock();
  const now = isoTime(began);
  const events: NewEvent[] = [];
  const messages: MessageChange[] = [];
  const windows: WindowChange[] = [];
  const aliases: AliasChange[] = [];

  const placed = found.map((event) => ({ event, lines: linesOf(deps.lines, event) }));
  const ofLine = Map.groupBy(
    placed.flatMap(({ event, lines }) => lines.map((line) => ({ line, event }))),
    ({ line }) => line,
  );
  /** Whether the line has several events here, which go out together to destinations that take them so. */
  const hasSeveral = (line: Line) => (ofLine.get(line)?.length ?? 0) > 1;

  for (const { event, lines } of placed) {
    const [line] = lines;
    const receivers = lines.flatMap((one) =>
      deps.destinations
        .ofLine(one.id)
        .filter(({ mode }) => mode === 'split' || !hasSeveral(one))
        .filter((destination) => wants(destination, event)),
    );
    events.push(
      newEvent(deps, { ...event, lineId: lines.length === 1 ? (line?.id ?? null) : null }, receivers, now),
    );
    if (!line || lines.length > 1) continue;
    if (event.subject === 'messageStatus') messages.push(...messageChange(line.id, event, now));
    // A time ahead of ours would hold the window open for longer than upstream does.
    const at = isoTime(Math.min(event.occurredAt ?? Number.POSITIVE_INFINITY, deps.windows.now()));
    aliases.push(...deps.windows.aliases.newAmong(line.id, event.opensWindowOf));
    windows.push(
      ...event.opensWindowOf.map((contact) => ({ line_id: line.id, contact, last_inbound_at: at })),
    );
  }

  let cut: ReturnType<typeof notificationCutter> | null = null;
  for (const [line, owned] of ofLine) {
    const receivers = deps.destinations
      .ofLine(line.id)
      .filter(({ mode }) => mode === 'raw' && hasSeveral(line))
      .filter((destination) => owned.some(({ event }) => wants(destination, event)));
    if (!receivers.length) continue;
    cut ??= notificationCutter(raw);
    const ofOne = owned.map(({ event }) => event);
    events.push(newEvent(deps, wholeOf(line, ofOne, cut), receivers, now));
  }

  let recorded: NotificationEvent[] = [];
  await deps.dispatcher.take(events, async () => {
    const fresh = new Set(
      await deps.store.write({
        kind: 'notification',
        events,
        messages,
        windows,
        aliases,
        process_id: deps.dispatcher.processId,
      }),
    );
    recorded = found.filter((_event, index) => fresh.has(events[index]?.id ?? ''));
    deps.metrics.recorded(recorded.length, found.length - recorded.length, (deps.clock() - began) / SECOND);
    return fresh;
  });
  deps.windows.aliases.written(aliases);
  windows.forEach((window) =>
    deps.windows.opened(window.line_id, window.contact, Date.parse(window.last_inbound_at)),
  );
  return recorded;
}

/** The line that an event happened on; for one of a business account as a whole, every line of that account. */
export function linesOf(lines: LineRegistry, { phoneNumberId, wabaId }: NotificationEvent): Line[] {
  if (phoneNumberId === null) return wabaId === null ? [] : lines.ofBusinessAccount(wabaId);
  const line = lines.byPhoneNumberId(phoneNumberId);
  return line ? [line] : [];
}

/** What is kept of an event, or of all events of a line at once. */
type Kept = Pick<
  NotificationEvent,
  'kind' | 'identity' | 'contact' | 'wamid' | 'phoneNumberId' | 'wabaId' | 'body'
> & { subject: NewEvent['subject']; lineId: number | null };

function newEvent({ eventId }: RecordingDeps, kept: Kept, receivers: Destination[], now: string): NewEvent {
  const id = eventId();
  return {
    id,
    line_id: kept.lineId,
    subject: kept.subject,
    kind: kept.kind,
    identity: kept.identity,
    contact: kept.contact,
    wamid: kept.wamid,
    phone_number_id: kept.phoneNumberId,
    waba_id: kept.wabaId,
    body: kept.body,
    received_at: now,
    deliveries: receivers.map((destination) => ({
      destination_id: destination.id,
      lane: kept.contact ?? id,
      due_at: now,
      claimed_by: null,
    })),
  };
}

/** All that the notification holds of a line, as one. */
function wholeOf(line: Line, events: NotificationEvent[], cut: ReturnType<typeof notificationCutter>): Kept {
  const { phoneNumberId, wabaId } = line;
  // What was refused at this callback is none of these events, and stays out.
  const hasOfAccount = events.some((event) => event.phoneNumberId === null);
  const body = cut((of) =>
    of.phoneNumberId === null ? hasOfAccount && of.wabaId === wabaId : of.phoneNumberId === phoneNumberId,
  );
  const contacts = new Set(events.map(({ contact }) => contact));
  return {
    subject: 'notification',
    kind: 'raw',
    identity: `notification:${phoneNumberId}:${createHash('sha256').update(body).digest('hex')}`,
    // In order with what else comes of a contact, where it speaks of one alone.
    contact: contacts.size === 1 ? (events[0]?.contact ?? null) : null,
    wamid: null,
    phoneNumberId,
    wabaId,
    body,
    lineId: line.id,
  };
}

type StatusColumn = 'sent_at' | 'delivered_at' | 'read_at' | 'played_at' | 'failed_at';

/** The column that holds the time of each message status. */
const STATUS_COLUMNS = new Map<string, StatusColumn>([
  ['sent', 'sent_at'],
  ['delivered', 'delivered_at'],
  ['read', 'read_at'],
  ['played', 'played_at'],
  ['failed', 'failed_at'],
]);

/** Each status has a time of its own, so that whatever the order of arrival, the record tells the same. */
function messageChange(lineId: number, event: NotificationEvent, now: string): MessageChange[] {
  const column = STATUS_COLUMNS.get(event.kind);
  if (!column || event.wamid === null) return [];
  return [
    {
      line_id: lineId,
      wamid: event.wamid,
      contact: event.contact,
      client_ref: event.clientRef,
      [column]: event.occurredAt === null ? now : isoTime(event.occurredAt),
      ...(event.errors && { failure: JSON.stringify(event.errors) }),
    },
  ];
}
