import pino from 'pino';
import { readNotification } from '../../../gateway/cloud-api/notification';
import {
  insertDestination,
  markPaused,
  markRemoved,
  markRepaired,
  replaceSecret,
  type NewDestination,
} from '../../../gateway/forwarding/destinations/destination-rows';
import { type Destination } from '../../../gateway/forwarding/destination';
import { destinationRegistry } from '../../../gateway/forwarding/destination-registry';
import { Bystander } from '../../../gateway/forwarding/bystander';
import { Dispatcher, type DispatcherDeps } from '../../../gateway/forwarding/dispatcher';
import { createSecret } from '../../../gateway/forwarding/signatures';
import { replay } from '../../../gateway/forwarding/replay';
import { resumeDestination } from '../../../gateway/forwarding/destinations/resume-destination';
import { makeDueNow } from '../../../gateway/forwarding/destinations/try-now';
import { destinationRules } from '../../../gateway/http/destination-address';
import { createHttpClient, type HttpClient } from '../../../gateway/http/http-client';
import { recordNotification } from '../../../gateway/inbound/record-notification';
import { lineRegistry } from '../../../gateway/lines/line-registry';
import { customerServiceWindows } from '../../../gateway/messages/customer-service-window';
import { ALL_ROLES, type ProcessRoles } from '../../../gateway/process-roles';
import { openStore, type Store } from '../../../gateway/store/store';
import { eventIds } from '../../../gateway/store/event-id';
import { followRegistry } from '../../../gateway/store/follow-registry';
import { createVault } from '../../../gateway/store/vault';
import { isoTime, type Clock } from '../../../gateway/time';
import { type Received } from '../../support/http-peer';
import { notification, PHONE_NUMBER_ID, textFrom, WABA_ID } from '../../support/test-gateway';

/** As pino numbers it. */
const ERROR = 50;

const OPERATOR = { who: 'operator', through: 'command', address: null } as const;

interface LogLine {
  level: number;
  msg: string;
  destination?: number;
}

export type Forwarding = Awaited<ReturnType<typeof openForwarding>>;

/**
 * The gateway's own forwarding, put together as the gateway does, on its real parts; `start` it like the gateway.
 * @param watched looks on at what the store is asked
 * @param client calls a receiver that is in this process
 * @param heard told of each line of the log
 * @param processName one of its own where none is given
 * @param roles of the process; without `deliver` it has no dispatcher
 */
export async function openForwarding(
  url: string,
  clock: Clock = Date.now,
  {
    watched = (store) => store,
    client,
    heard = () => undefined,
    processName,
    isClockConfirmed = async () => true,
    attempted = () => undefined,
    roles = ALL_ROLES,
  }: {
    watched?(store: Store): Store;
    client?: HttpClient;
    heard?(line: LogLine): void;
    processName?: string;
    isClockConfirmed?(): Promise<boolean>;
    attempted?: DispatcherDeps['attempted'];
    roles?: ProcessRoles;
  } = {},
) {
  const store = watched(await openStore(url, 'first command', Date.now, processName));
  const vault = createVault('a key for tests, and for nothing else');
  const failures: unknown[] = [];
  // The gateway's own logger: its methods need what they belong to.
  const write = (text: string) => {
    const line = JSON.parse(text) as LogLine;
    if (line.level >= ERROR) failures.push(line);
    heard(line);
  };
  const log = pino({ level: 'warn' }, { write });
  const lines = lineRegistry(store, vault, clock, log);
  const destinations = destinationRegistry(store, vault, clock, log);
  const registry = await followRegistry(
    store,
    async () => {
      await Promise.all([lines.load(), destinations.load()]);
    },
    (error) => failures.push(error),
  );
  const rules = destinationRules(['127.0.0.0/8']);
  const http = client ?? createHttpClient({ rules, maxAnswerBytes: 16 * 1024, brokenBody: 'ignored' });
  const changes = { store, registry, clock };
  const forwarding: DispatcherDeps = {
    roles,
    store,
    vault,
    destinations,
    http,
    clock,
    lineName: (id) => lines.byId(id)?.phoneNumberId ?? '',
    pause: (destination, reason) => markPaused(changes, destination.id, reason, destination.url),
    isClockConfirmed,
    attempted,
    expire: (destination) => markRemoved(changes, destination.id),
    refresh: registry.refresh,
    log,
  };
  const dispatcher = roles.has('deliver') ? new Dispatcher(forwarding) : new Bystander(forwarding);
  const addLine = (phoneNumberId: string) =>
    store.lines.insert({
      name: 'Test line',
      phone_number_id: phoneNumberId,
      phone_number: '15550783881',
      waba_id: WABA_ID,
      access_token_sealed: null,
      app_secret_sealed: null,
      verify_token: 'verify',
      window_mode: 'text',
      quality_mode: 'normal',
      deactivated_at: null,
      api_disabled_at: null,
      created_at: new Date(clock()).toISOString(),
      upstream_node: null,
      status_checked_at: null,
      status_refresh_at: null,
      templates_synced_at: null,
      templates_refresh_at: null,
    });
  const [known] = await store.lines.all();
  const line = known ?? (await addLine(PHONE_NUMBER_ID));
  await registry.refresh();
  const recording = {
    store,
    lines,
    destinations,
    dispatcher,
    metrics: { recorded: () => undefined },
    windows: customerServiceWindows(store, clock),
    eventId: eventIds(clock),
    clock,
  };

  return {
    store,
    vault,
    dispatcher,
    destinations,
    registry,
    /** Whatever was logged as an error. */
    failures,
    /** One more beside the first, which is there from the beginning. @returns its id */
    addLine: async (phoneNumberId: string) => (await addLine(phoneNumberId))?.id,
    addDestination: (
      to: string,
      more: Partial<Pick<NewDestination, 'expiresIn' | 'headers' | 'mode'>> = {},
      lineId = line?.id,
    ): Promise<Destination> =>
      insertDestination({ store, vault, rules, registry, clock }, lineId ?? 0, {
        url: to,
        origin: 'token',
        ...more,
      }),
    removeDestination: (id: number) => markRemoved(changes, id),
    pauseDestination: (id: number) => markPaused(changes, id, 'Paused by hand.'),
    /** At once, or the queue would read between what lets it go on and what makes all due. */
    resumeDestination: async (id: number) => {
      const destination = destinations.byId(id);
      if (destination) await resumeDestination({ ...changes, vault }, OPERATOR, destination);
    },
    tryNow: (id: number) => makeDueNow(changes, id),
    /** As after a test event that was accepted. */
    repaired: (id: number) => markRepaired(changes, id),
    /** @returns the new secret */
    rotateSecret: (id: number, overlap: number) => replaceSecret({ ...changes, vault }, id, null, overlap),
    /** Everything that is over at this destination goes out again. */
    replay: (id: number) => replay({ store, clock }, { states: ['delivered', 'dead'], destinationIds: [id] }),
    /** Resolves once the notification is recorded. */
    notified: (body: object) => {
      const raw = Buffer.from(JSON.stringify(body));
      return recordNotification(recording, readNotification(raw), raw);
    },
    /** A contact writes; the text is the message's id as well. Resolves once that is recorded. */
    receive: (contact: string, text: string) => {
      const raw = Buffer.from(JSON.stringify(notification(textFrom(contact, text, `wamid.${text}`))));
      return recordNotification(recording, readNotification(raw), raw);
    },
    async stop() {
      await dispatcher.stop();
      await http.close();
      await store.close();
    },
  };
}

/** A destination that is in no database. */
export const destinationTo = (url: string, more: Partial<Destination> = {}): Destination => ({
  id: 1,
  lineId: 1,
  url,
  secret: createSecret(),
  origin: 'token',
  tokenId: null,
  adminTokenId: null,
  mode: 'split',
  quietSeconds: null,
  events: ['messages'],
  createdAt: '',
  expiresAt: null,
  pausedAt: null,
  pausedBecause: null,
  previousSecrets: [],
  headers: {},
  failingSince: null,
  lastFailure: null,
  lastTriedAt: null,
  failingSeconds: 0,
  tryNowAt: null,
  ...more,
});

/** The text that a forwarded event holds. */
export const textOf = ({ body }: Pick<Received, 'body'>): string => {
  const { entry } = JSON.parse(body) as {
    entry: { changes: { value: { messages: { text: { body: string } }[] } }[] }[];
  };
  return entry[0]?.changes[0]?.value.messages[0]?.text.body ?? '';
};

export const ANA = '16505551111';

/** The states of a destination's deliveries, in the order of arrival. */
export const statesOf = async ({ store }: Forwarding, id: number) =>
  (await store.deliveries.ofDestination(id)).map(({ state }) => state);

/** Records a delivery that has failed this often already, and that nobody holds. */
export async function seedFailing(
  { store }: Forwarding,
  id: number,
  name: string,
  attempts: number,
  more: { lane?: string; due_at?: string } = {},
): Promise<void> {
  const now = isoTime(Date.now());
  await store.write({
    kind: 'notification',
    messages: [],
    windows: [],
    events: [
      {
        id: `evt_${name}`,
        line_id: 1,
        subject: 'message',
        kind: 'text',
        identity: name,
        contact: ANA,
        wamid: name,
        phone_number_id: null,
        waba_id: null,
        body: `"${name}"`,
        received_at: now,
        automation: null,
        deliveries: [{ destination_id: id, lane: ANA, due_at: now, ...more }],
      },
    ],
  });
  for (let number = 1; number <= attempts; number++) {
    await store.write({
      kind: 'attempt',
      attempt: {
        destination_id: id,
        event_id: `evt_${name}`,
        number,
        started_at: now,
        duration_ms: 1,
        http_status: 500,
        outcome: 'http_error',
        answer: '',
        state: 'pending',
        due_at: more.due_at ?? now,
      },
    });
  }
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
