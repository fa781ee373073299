import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type FastifyBaseLogger } from 'fastify';
import pino from 'pino';
import { platformReads } from '../api/http/platform-reads';
import { tokenFailures } from '../api/http/token-failures';
import { tokenRates } from '../api/http/token-rates';
import { tokenUses } from '../api/http/token-uses';
import { cloudApi, UPSTREAM_TIMEOUT } from '../cloud-api/client';
import { type Config } from '../config';
import { SettingError } from '../errors';
import { destinationRegistry } from '../forwarding/destination-registry';
import { Dispatcher } from '../forwarding/dispatcher';
import { markPaused, markRemoved } from '../forwarding/destinations/destination-rows';
import { destinationRules } from '../http/destination-address';
import { createHttpClient } from '../http/http-client';
import { accountEvents } from '../inbound/account-events';
import { lineRegistry, type LineRegistry } from '../lines/line-registry';
import { pollLineStatus } from '../lines/line-status';
import { createPolling } from '../lines/polling';
import { refresher } from '../lines/refresh';
import { customerServiceWindows, type CustomerServiceWindows } from '../messages/customer-service-window';
import { forgetOldKeys } from '../messages/idempotent-send';
import { sendRates } from '../messages/send-rates';
import { createMetrics } from '../monitoring/metrics';
import { onceInAWhile } from '../once-in-a-while';
import { watchPressure } from '../monitoring/pressure';
import { type Sandbox } from '../sandbox/server';
import { createServer } from '../server';
import { openStore, type Store } from '../store/database';
import { eventIds } from '../store/event-id';
import { followRegistry } from '../store/follow-registry';
import { createVault } from '../store/vault';
import { KnownTemplates } from '../templates/known-templates';
import { templateSync } from '../templates/sync-templates';
import { noticeUnknownStatuses } from '../templates/unknown-statuses';
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '../time';
import { dataFolder, sandboxFile, sqliteFile } from './data-folder';
import { endOf } from './end-server';
import { filesOpenToOthers } from './file-modes';
import { clearWhatIsOld, clockDoubts } from './housekeeping';
import { scheduleBackups } from './scheduled-backups';
import { createLink } from '../users/links';
import { logInLimits } from '../users/log-in';
import { logInWatch } from '../users/log-in-watch';

export interface RunningGateway {
  /** Where it listens. */
  url: string;
  /** Of the embedded sandbox, where that is the upstream. */
  sandboxUrl: string | null;
  /** With which the first user of the control panel is set up, once; null where there is one. */
  setUpUrl: string | null;
  lines: LineRegistry;
  windows: CustomerServiceWindows;
  /** Reads at once what another process, or the caller, has changed. */
  refresh(): Promise<void>;
  /** Asks upstream about what is due by now, as it does by itself from time to time. */
  pollDue(): Promise<void>;
  /**
   * Takes no more requests, finishes what is on its way, closes the database.
   * @param isNoticed whether balancers and clients first get the time to notice that it ends
   */
  stop(isNoticed?: boolean): Promise<void>;
}

/** Tells in the log that it serves: programs that started it wait for that. */
export const tellListening = (log: FastifyBaseLogger, { url, sandboxUrl }: RunningGateway): void =>
  log.info({ url, ...(sandboxUrl !== null && { sandbox: sandboxUrl }) }, 'listening');

/** An upstream answer: a page of 100 templates is some 300 KB. */
const UPSTREAM_ANSWER_LIMIT = 32 * 1024 * 1024;
/** What is kept of a destination's answer. */
const DESTINATION_ANSWER_LIMIT = 16 * 1024;
/** How often it is written down who has used a token. */
const TOKEN_USE_INTERVAL = MINUTE;

/** So long events that still arrive go out at once; after that they are left to other processes, or to the next start. */
const FORWARDING_GOES_ON = 5 * SECOND;

export const createLog = ({
  GATEWAY_LOG_LEVEL: level,
}: Pick<Config, 'GATEWAY_LOG_LEVEL'>): FastifyBaseLogger =>
  pino({
    level,
    redact: ['req.headers.authorization', 'headers.authorization'],
    serializers: { error: pino.stdSerializers.err },
  });

/**
 * Puts the parts together and starts them.
 * @param given a clock of the caller's own; null for the database's
 * @param pollsByItself false where whoever moves the clock also says when to look for what is due
 * @throws SettingError for settings with which it cannot run.
 */
// eslint-disable-next-line max-lines-per-function -- wires all parts together
export async function startGateway(
  config: Config,
  log: FastifyBaseLogger,
  given: Clock | null = null,
  pollsByItself = true,
): Promise<RunningGateway> {
  // Before a file is opened: what is made beside a database takes its mode from that.
  warnOfOpenFiles(config, log);
  const processName = config.GATEWAY_PROCESS_NAME ?? `${hostname()}:${config.GATEWAY_PORT}`;
  const store = await openStore(config.GATEWAY_DATABASE_URL, true, Date.now, processName);
  const clock = given ?? store.clock;
  const closeStore = async (error: unknown): Promise<never> => {
    await store.close();
    throw error;
  };
  const vault = createVault(config.GATEWAY_SECRET_KEY, config.GATEWAY_OLD_SECRET_KEYS);
  const lines = lineRegistry(store, vault, clock, log);
  const destinations = destinationRegistry(store, vault, clock, log);
  const logged = onceInAWhile((fields, message) => log.error(fields, message));
  const knownTemplates = new KnownTemplates(store);
  let forgotten: number | null = null;
  async function forgetContacts(): Promise<void> {
    const before = forgotten;
    forgotten = await store.registry.forgotten();
    if (before !== null && before !== forgotten) windows.forget();
  }
  const registry = await followRegistry(
    store,
    async (changes) => {
      await Promise.all([lines.load(changes), destinations.load(changes), forgetContacts()]);
      if (!changes || changes.lines.length) knownTemplates.forget();
    },
    (error) =>
      logged(
        { error },
        'changes of lines, tokens and destinations not read: what is known of them stays in use until they are',
      ),
  ).catch(closeStore);

  const rules = destinationRules(config.GATEWAY_ALLOW_DESTINATIONS);
  const customerRules = config.GATEWAY_ALLOW_FOR_TOKENS
    ? rules
    : destinationRules([], undefined, 'Ask whoever operates the gateway to add this address.');
  const http = createHttpClient({
    rules,
    customerRules,
    maxAnswerBytes: DESTINATION_ANSWER_LIMIT,
    brokenBody: 'ignored',
  });
  const upstreamHttp = createHttpClient({ maxAnswerBytes: UPSTREAM_ANSWER_LIMIT, brokenBody: 'fails' });

  const embedded = config.GATEWAY_UPSTREAM_URL === 'sandbox';
  const callback = embedded ? callbackOfSandbox(config) : callbackOf(config);
  const sandbox = embedded ? await openSandbox(config, lines, log, clock).catch(closeStore) : null;
  const upstream = cloudApi(
    upstreamHttp,
    sandbox?.url ?? config.GATEWAY_UPSTREAM_URL,
    UPSTREAM_TIMEOUT,
    clock,
  );

  const pressure = watchPressure(store, log);
  const metrics = createMetrics({ store, pressure, clock });
  const dispatcher = new Dispatcher({
    attempted: metrics.attempted,
    store,
    destinations,
    http,
    clock,
    log,
    lineName: (id) => lines.byId(id)?.phoneNumberId ?? String(id),
    pause: (destination, reason) => markPaused({ store, registry, clock }, destination.id, reason),
    expire: (destination) => markRemoved({ store, registry, clock }, destination.id),
    refresh: registry.refresh,
  });
  // The embedded sandbox may let time pass for its contacts; all else keeps the machine's time.
  const upstreamClock = sandbox ? () => sandbox.now().getTime() : clock;
  const windows = customerServiceWindows(store, upstreamClock);
  const uses = tokenUses({ store, clock });
  const limitOf = store.rateLimits(clock);
  const refreshes = refresher(store, clock);
  let stopping = false;
  const noticeStatus = noticeUnknownStatuses(log);
  const { readTemplates, syncTemplates } = templateSync({
    store,
    cloudApi: upstream,
    noticeStatus,
    knownTemplates,
    clock,
    log,
  });
  const polling = createPolling({
    store,
    lines,
    refresher: refreshes,
    polls: {
      status: async (line) => {
        await pollLineStatus(store, upstream, line, clock);
        await registry.refresh();
      },
      templates: readTemplates,
    },
    clock,
    log,
  });
  const account = accountEvents({ store, lines, polling, noticeStatus, clock, log });
  const server = createServer({
    store,
    metrics,
    pressure,
    isServing: () => !stopping,
    vault,
    registry,
    lines,
    destinations,
    rules,
    customerRules,
    windows,
    refresher: refreshes,
    syncTemplates,
    knownTemplates,
    accountEvents: account,
    cloudApi: upstream,
    dispatcher,
    http,
    callback,
    eventId: eventIds(clock),
    markUsed: uses.mark,
    tokenFailures: tokenFailures(config.GATEWAY_AUTH_FAILURE_RATE, limitOf),
    sendRates: sendRates(
      { lineRate: config.GATEWAY_LINE_RATE, pairLimit: config.GATEWAY_PAIR_LIMIT },
      limitOf,
    ),
    tokenRates: tokenRates(config.GATEWAY_TOKEN_RATE, limitOf),
    platformReads: platformReads(limitOf),
    logInLimits: logInLimits(config.GATEWAY_LOG_IN_LIMIT, limitOf),
    logInWatch: logInWatch({ store, vault, registry, clock, log, limitOf, counted: metrics.loggedIn }),
    trustedProxies: config.GATEWAY_TRUSTED_PROXIES,
    metricsToken: config.GATEWAY_METRICS_TOKEN,
    publicUrl: config.GATEWAY_PUBLIC_URL,
    sandboxUrl: sandbox?.url ?? null,
    clock,
    log,
  });

  const endServer = endOf(server);

  const markTokens = () =>
    uses.write().catch((error: unknown) => log.error({ error }, 'token use not recorded'));
  const marking = setInterval(() => void markTokens(), TOKEN_USE_INTERVAL).unref();

  let tidied = Promise.resolve();
  const tidy = (work: () => Promise<void>) => () => {
    tidied = tidied
      .then(work)
      .catch((error: unknown) =>
        log.error({ error }, 'what is old was not cleared away: tried again with the next round'),
      );
  };
  // Of several processes on one database, one does it.
  const clearIfFirst = async () => {
    // Those that another process has cleared away are written again once they are told again.
    windows.aliases.forget();
    if (await store.processes.isFirst(dispatcher.processId))
      await clearWhatIsOld({ store, vault, registry, clock, config, goesOn: () => !stopping });
  };
  let mayClockBeAhead = async () => true;
  /** Nothing is too old by a clock that may be wrong. */
  let isClockDoubted = true;
  // Also of a process that never lives for a day, and not while it is still busy with its start.
  const clearSoon = setTimeout(
    tidy(async () => {
      isClockDoubted = await mayClockBeAhead();
      if (!isClockDoubted) return clearIfFirst();
      log.warn(
        'the clock is more than a week ahead of the newest event, and the platform does not confirm it: nothing is cleared away before tomorrow',
      );
    }),
    MINUTE,
  );
  const tidying = [
    setInterval(
      tidy(async () => {
        if (!isClockDoubted) await forgetOldKeys(store, clock, () => !stopping);
      }),
      HOUR,
    ),
    clearSoon,
    setInterval(
      tidy(() => {
        isClockDoubted = false;
        return clearIfFirst();
      }),
      DAY,
    ),
  ];
  tidying.forEach((timer) => timer.unref());
  let endBackups = async (): Promise<void> => {};

  async function stop(isNoticed = false): Promise<void> {
    stopping = true;
    clearInterval(marking);
    pressure.stop();
    tidying.forEach((timer) => clearTimeout(timer));
    const ended = endServer(isNoticed);
    await Promise.race([ended, wait(FORWARDING_GOES_ON, null, { ref: false })]);
    await Promise.all([ended, dispatcher.stop()]);
    await account.applied();
    const polled = polling.stop();
    // After the requests that it still answers.
    await sandbox?.close();
    await markTokens();
    await Promise.all([http.close(), upstreamHttp.close()]);
    // What was still asked of upstream has failed by now.
    await Promise.all([polled, tidied, endBackups()]);
    await store.close();
  }

  try {
    mayClockBeAhead = await clockDoubts({ store, clock, cloudApi: upstream });
    const address = await server
      .listen({ host: config.GATEWAY_HOST, port: config.GATEWAY_PORT })
      .catch((error: unknown) => {
        throw listenRefused(config, error) ?? error;
      });
    const url = config.GATEWAY_PUBLIC_URL ?? address;
    await dispatcher.start();
    endBackups = scheduleBackups(config, log);
    await sandbox?.subscribe({
      url: `${address}/webhooks/platform`,
      appSecret: callback.appSecret ?? '',
      verifyToken: callback.verifyToken ?? '',
    });
    // Whatever comes of it, the gateway serves.
    if (pollsByItself) polling.start();
    return {
      url,
      sandboxUrl: sandbox?.url ?? null,
      setUpUrl: await setUpUrl(url, store, clock),
      lines,
      windows,
      refresh: registry.refresh,
      pollDue: polling.pollDue,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A one-time link for the first user. Each process makes one of its own, and each is good at every process. */
async function setUpUrl(url: string, store: Store, clock: Clock): Promise<string | null> {
  if (await store.users.any()) return null;
  return `${url}/panel/set-up?key=${await createLink({ store, clock }, null)}`;
}

/** What to set where it cannot listen; null where that is not a matter of settings. */
function listenRefused(
  { GATEWAY_HOST: host, GATEWAY_PORT: port }: Config,
  error: unknown,
): SettingError | null {
  switch ((error as { code?: string }).code) {
    case 'EADDRINUSE':
      return new SettingError(
        `Port ${port} is in use already, perhaps by another gateway. Set GATEWAY_PORT to a free one, for example ${port + 10}.`,
      );
    case 'EACCES':
      return new SettingError(
        `This user may not listen on port ${port}. Set GATEWAY_PORT to one above 1023, for example 8080.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new SettingError(
        `This machine has no address ${host}. Set GATEWAY_HOST to 127.0.0.1, or to 0.0.0.0 to listen on all that it has.`,
      );
    default:
      return null;
  }
}

const callbackOf = (config: Config) => ({
  appSecret: config.GATEWAY_APP_SECRET,
  verifyToken: config.GATEWAY_VERIFY_TOKEN,
});

/** The sandbox lives as long as the process, and so do the secrets that the two share, unless they are set. */
const callbackOfSandbox = (config: Config) => ({
  appSecret: config.GATEWAY_APP_SECRET ?? randomBytes(32).toString('hex'),
  verifyToken: config.GATEWAY_VERIFY_TOKEN ?? randomBytes(16).toString('hex'),
});

/** On loopback, one port above the gateway's where that is free; it knows every line that the gateway knows. */
async function openSandbox(
  config: Config,
  lines: LineRegistry,
  log: FastifyBaseLogger,
  clock: Clock,
): Promise<Sandbox> {
  // Most gateways have none, and start without its code.
  const { startSandbox } = await import('../sandbox/server.js');
  const open = (port: number) =>
    startSandbox({
      host: '127.0.0.1',
      port,
      lines: () =>
        lines
          .all()
          .flatMap(({ phoneNumberId, phoneNumber, name, wabaId, accessToken }) =>
            accessToken === null
              ? []
              : [{ phoneNumberId, displayPhoneNumber: phoneNumber, verifiedName: name, wabaId, accessToken }],
          ),
      dataFile: sandboxFile(config),
      now: () => new Date(clock()),
      log: log.child({ part: 'sandbox' }, { level: 'warn' }),
    });
  const port = [0, 65535].includes(config.GATEWAY_PORT) ? 0 : config.GATEWAY_PORT + 1;
  return open(port).catch((error: { code?: string }) => {
    if (error.code === 'EADDRINUSE') return open(0);
    throw error;
  });
}

/** Told once, and left as it is: somebody may have meant it. */
function warnOfOpenFiles(config: Config, log: FastifyBaseLogger): void {
  const files = filesOpenToOthers(dataFolder(config), sqliteFile(config));
  if (files.length)
    log.warn(
      { files },
      'other users of this machine may read or replace files of the gateway; to change that: chmod 600, and 700 for the folder',
    );
}
