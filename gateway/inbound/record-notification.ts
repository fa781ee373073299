import { type NotificationEvent } from '../cloud-api/notification';
import { wants } from '../forwarding/destination';
import { type DestinationRegistry } from '../forwarding/destination-registry';
import { type Dispatcher } from '../forwarding/dispatcher';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { type CustomerServiceWindows } from '../messages/customer-service-window';
import { type Store } from '../store/database';
import { type MessageChange, type NewEvent, type WindowChange } from '../store/writes';
import { isoTime, SECOND, type Clock } from '../time';

export interface RecordingDeps {
  store: Store;
  lines: LineRegistry;
  destinations: DestinationRegistry;
  dispatcher: Dispatcher;
  windows: CustomerServiceWindows;
  eventId: () => string;
  /** Told of each notification: how many events were new, how many repeats. @param seconds until it was recorded */
  recorded(fresh: number, repeats: number, seconds: number): void;
  clock: Clock;
}

/**
 * Makes a notification durable, all of it in one write: its events, the deliveries that they owe, what they tell of
 * messages and of windows. Once that is committed, the deliveries go to the dispatcher.
 *
 * Repeats of events that are there already change nothing. Events of no line of this gateway are kept, and owed to nobody.
 * @returns the events that were new
 */
export async function recordNotification(
  deps: RecordingDeps,
  found: NotificationEvent[],
): Promise<NotificationEvent[]> {
  if (!found.length) return [];
  const began = deps.clock();
  const now = isoTime(began);
  const events: NewEvent[] = [];
  const messages: MessageChange[] = [];
  const windows: WindowChange[] = [];

  for (const event of found) {
    const lines = linesOf(deps.lines, event);
    const [line] = lines;
    events.push(newEvent(deps, event, lines, now));
    if (!line || lines.length > 1) continue;
    if (event.subject === 'messageStatus') messages.push(...messageChange(line.id, event, now));
    // A time ahead of ours would hold the window open for longer than upstream does.
    const at = isoTime(Math.min(event.occurredAt ?? Number.POSITIVE_INFINITY, deps.windows.now()));
    windows.push(
      ...event.opensWindowOf.map((contact) => ({ line_id: line.id, contact, last_inbound_at: at })),
    );
  }

  let recorded: NotificationEvent[] = [];
  await deps.dispatcher.take(events, async () => {
    const fresh = new Set(await deps.store.write({ kind: 'notification', events, messages, windows }));
    deps.recorded(fresh.size, events.length - fresh.size, (deps.clock() - began) / SECOND);
    recorded = found.filter((_event, index) => fresh.has(events[index]?.id ?? ''));
    return fresh;
  });
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

function newEvent(
  { destinations, eventId }: RecordingDeps,
  event: NotificationEvent,
  lines: Line[],
  now: string,
): NewEvent {
  const id = eventId();
  const receivers = lines.flatMap((line) => destinations.ofLine(line.id)).filter((one) => wants(one, event));
  return {
    id,
    line_id: lines.length === 1 ? (lines[0]?.id ?? null) : null,
    subject: event.subject,
    kind: event.kind,
    identity: event.identity,
    contact: event.contact,
    wamid: event.wamid,
    phone_number_id: event.phoneNumberId,
    waba_id: event.wabaId,
    body: event.body,
    received_at: now,
    deliveries: receivers.map((destination) => ({
      destination_id: destination.id,
      lane: event.contact ?? id,
      due_at: now,
      claimed_by: null,
    })),
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
