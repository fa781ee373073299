import { openStore, type Store, type WholeStore } from '../../../gateway/store/store';
import { type NewEvent, type NotificationWrite, type Write } from '../../../gateway/store/commit/writes';
import { isoTime, SECOND } from '../../../gateway/time';

const START = Date.parse('2026-03-01T12:00:00.000Z');

/** ISO time, some seconds after the moment at which every test begins. */
export const at = (seconds: number): string => isoTime(START + seconds * SECOND);

/** The stores that a test opens; all are closed after it. */
export function openStores() {
  let opened: WholeStore[] = [];
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    opened = [];
  });
  return async (url: string): Promise<WholeStore> => {
    const store = await openStore(url);
    opened.push(store);
    return store;
  };
}

/** @param name becomes its id and its identity */
export const event = (name: string, more: Partial<NewEvent> = {}): NewEvent => ({
  id: `evt_${name}`,
  line_id: 1,
  subject: 'message',
  kind: 'text',
  identity: `message:${name}`,
  contact: '16505551234',
  wamid: `wamid.${name}`,
  phone_number_id: '106540352242922',
  waba_id: '102290129340398',
  body: `{"name":"${name}"}`,
  received_at: at(0),
  automation: null,
  deliveries: [],
  ...more,
});

/** An event that is owed to these destinations. */
export const owed = (
  name: string,
  destinations: number[],
  more: { lane?: string; due_at?: string } = {},
): NewEvent =>
  event(name, {
    deliveries: destinations.map((destination_id) => ({
      destination_id,
      lane: '16505551234',
      due_at: at(0),
      ...more,
    })),
  });

export const notificationOf = (
  events: NewEvent[],
  more: Partial<NotificationWrite> = {},
): NotificationWrite => ({ kind: 'notification', events, messages: [], windows: [], ...more });

/** Records events, as one notification does. @returns the ids of those that were new */
export const record = async (
  store: Store,
  events: NewEvent[],
  more: Partial<NotificationWrite> = {},
): Promise<string[]> => (await store.write(notificationOf(events, more))).fresh;

export const attempt = (
  destination_id: number,
  name: string,
  number: number,
  more: Partial<Extract<Write, { kind: 'attempt' }>['attempt']> = {},
): Write => ({
  kind: 'attempt',
  attempt: {
    destination_id,
    event_id: `evt_${name}`,
    number,
    started_at: at(number),
    duration_ms: 12,
    http_status: 500,
    outcome: 'http_error',
    answer: 'no',
    state: 'pending',
    due_at: at(number + 5),
    ...more,
  },
});

/** Attempts, one after the other, of which all fail; what is said more is said of the last. */
export async function tried(
  store: Store,
  destination_id: number,
  name: string,
  numbers: { from?: number; to: number },
  more: Parameters<typeof attempt>[3] = {},
): Promise<void> {
  for (let number = numbers.from ?? 1; number <= numbers.to; number++)
    await store.write(attempt(destination_id, name, number, number === numbers.to ? more : {}));
}

/** A line of its own. @returns its id */
export async function addLine(store: Store, phoneNumberId = '106540352242922'): Promise<number> {
  const line = await store.lines.insert({
    name: 'Test line',
    phone_number_id: phoneNumberId,
    phone_number: '15550783881',
    waba_id: '102290129340398',
    access_token_sealed: null,
    app_secret_sealed: null,
    verify_token: 'verify',
    window_mode: 'text',
    quality_mode: 'normal',
    deactivated_at: null,
    api_disabled_at: null,
    created_at: at(0),
    upstream_node: null,
    status_checked_at: null,
    status_refresh_at: null,
    templates_synced_at: null,
    templates_refresh_at: null,
  });
  if (!line) throw new Error('There is a line with that phone number id already');
  return line.id;
}

/** A destination of a line. @returns its id */
export async function addDestination(
  store: Store,
  lineId: number,
  more: { expires_at?: string | null; secret_sealed?: string; removed_at?: string } = {},
): Promise<number> {
  const { id } = await store.destinations.insert({
    line_id: lineId,
    url: 'https://example.com/hook',
    secret_sealed: 'sealed',
    origin: 'token',
    mode: 'split',
    events: '["messages"]',
    created_at: at(0),
    expires_at: null,
    paused_at: null,
    paused_because: null,
    previous_secret_sealed: null,
    previous_secret_until: null,
    headers_sealed: null,
    failing_since: null,
    last_failure: null,
    removed_at: null,
    ...more,
  });
  return id;
}
