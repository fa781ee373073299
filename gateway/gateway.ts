import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type FastifyBaseLogger } from 'fastify';
import { adminTokenRegistry } from './admin-tokens/admin-token-registry';
import { mailer } from './alerts/channels/invitation-mail';
import { alerting } from './alerts/alerts';
import { OwnWatch } from './alerts/process-watch';
import { changesAtPlatform } from './management/change-at-platform';
import { platformReads } from './api/http/platform-reads';
import { tokenFailures } from './api/access/token-failures';
import { tokenRates } from './api/access/token-rates';
import { tokenUses } from './api/access/token-uses';
import { cloudApi, UPSTREAM_TIMEOUT, type CloudApi } from './cloud-api/client';
import { PlatformReach } from './cloud-api/reach';
import { type Config } from './config';
import { SettingError } from './errors';
import { DESTINATION_ANSWER_LIMIT } from './forwarding/deliver';
import { releaseAnswer, settleAnswers } from './forwarding/answers';
import { destinationRegistry } from './forwarding/destination-registry';
import { Bystander } from './forwarding/bystander';
import { Dispatcher, type AnyDispatcher, type DispatcherDeps } from './forwarding/dispatcher';
import { gatherer } from './forwarding/gatherer';
import { markPaused, markRemoved } from './forwarding/destinations/destination-rows';
import { destinationRules } from './http/destination-address';
import { createHttpClient } from './http/http-client';
import { accountEvents } from './inbound/account-events';
import { eventRates } from './inbound/event-rates';
import { readLineChecks } from './lines/checks/read-checks';
import { lineRegistry, type LineRegistry } from './lines/line-registry';
import { pollLineStatus } from './lines/line-status';
import { askAgain, createPolling } from './lines/polling';
import { refresher } from './lines/refresh';
import { automationPauseOf } from './messages/automation-pauses';
import { customerServiceWindows, type CustomerServiceWindows } from './messages/customer-service-window';
import { sendRates } from './sending/send-rates';
import { createMetrics } from './monitoring/metrics';
import { throttledLog } from './primitives/throttled-log';
import { type RateLimits } from './primitives/rate-limit';
import { watchPressure, type Pressure } from './monitoring/pressure';
import { type Sandbox } from './sandbox/server';
import { alertPath, ALERTS_PATH } from './panel/alert/alert-path';
import { createServer } from './server';
import { roleText } from './process-roles';
import { type Store, type WholeStore } from './store/store';
import { eventIds } from './store/event-id';
import { followRegistry } from './store/follow-registry';
import { createVault, type Vault } from './store/vault';
import { KnownTemplates } from './templates/known-templates';
import { templateSync } from './templates/sync-templates';
import { noticeUnknownStatuses } from './templates/unknown-statuses';
import { type Clock, SECOND } from './time';
import { sandboxFile } from './files/data-folder';
import { isClockConfirmed } from './housekeeping/clear-old';
import { housekeeping } from './housekeeping/housekeeping';
import { scheduledBackups } from './housekeeping/scheduled-backups';
import { endOf } from './shutdown';
import { createLink } from './users/links';
import { logInLimits } from './users/log-in';
import { logInWatch } from './users/log-in-watch';
import { oidcLimit } from './users/oidc/oidc';

/**
 * Connections that may wait to be accepted. Node's default of 511 would reset connections in a burst. The
 * system may cap the number (Linux: 4096).
 */
const ACCEPT_QUEUE = 4096;

export interface RunningGateway {
  /** The URL that the gateway listens at. */
  url: string;
  /** The URL of the embedded sandbox; null if the gateway uses the real platform. */
  sandboxUrl: string | null;
  /** What this process does, as in `GATEWAY_ROLES`. */
  roles: string;
  /** One-time link to set up the first user; null if a user exists, or without the panel. */
  setUpUrl: string | null;
  lines: LineRegistry;
  windows: CustomerServiceWindows;
  /** Reads changes by other processes, or by the caller, immediately. */
  refresh(): Promise<void>;
  /** Reads all due information from the platform now, as the gateway does periodically. */
  pollDue(): Promise<void>;
  /** Checks all conditions and sends alerts now, as the gateway does periodically. */
  lookForAlerts(): Promise<void>;
  /**
   * Stops accepting requests, finishes running work, and closes the database.
   * @param isNoticed whether load balancers and clients first get time to notice the shutdown
   */
  stop(isNoticed?: boolean): Promise<void>;
}

/** Largest answer of the platform in bytes. A page of 100 templates has about 300 KB. */
const UPSTREAM_ANSWER_LIMIT = 32 * 1024 * 1024;
/** Largest answer of an OpenID Connect provider in bytes, such as its keys. */
const PROVIDER_ANSWER_LIMIT = 1024 * 1024;
/**
 * For this long after a shutdown begins, new events are still forwarded. Later events are left to other
 * processes or to the next start.
 */
const FORWARDING_GOES_ON = 5 * SECOND;

/** Creates and starts all parts of the gateway (`start-gateway.ts`). */
export async function runGateway({
  store,
  config,
  log,
  clock,
  pollsByItself,
  demoToken,
}: Ground & { pollsByItself: boolean }): Promise<RunningGateway> {
  const parts = await wire({ config, log, store, clock, demoToken }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const { server, dispatcher, gathering, polling, sandbox, callback, registry, lines, windows } = parts;
  const stop = stopper(store, parts, log);
  try {
    const address = await server
      .listen({ host: config.GATEWAY_HOST, port: config.GATEWAY_PORT, backlog: ACCEPT_QUEUE })
      .catch((error: unknown) => {
        throw listenRefused(config, error) ?? error;
      });
    const url = config.GATEWAY_PUBLIC_URL ?? address;
    parts.isListening(url);
    await dispatcher.start();
    if (config.GATEWAY_ROLES.has('deliver')) gathering.start();
    parts.housekeeping.start();
    await sandbox?.subscribe({
      url: `${address}/webhooks/platform`,
      appSecret: callback.appSecret ?? '',
      verifyToken: callback.verifyToken ?? '',
    });
    // Last, because the gateway must serve even if these fail.
    if (pollsByItself) {
      polling.start();
      parts.alerts.start();
    }
    return {
      url,
      sandboxUrl: sandbox?.url ?? null,
      roles: roleText(config.GATEWAY_ROLES),
      setUpUrl: config.GATEWAY_ROLES.has('panel') ? await setUpUrl(url, store, clock) : null,
      lines,
      windows,
      refresh: registry.refresh,
      pollDue: polling.pollDue,
      lookForAlerts: parts.alerts.look,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The dependencies of every part. */
interface Ground {
  config: Config;
  log: FastifyBaseLogger;
  store: WholeStore;
  clock: Clock;
  demoToken: string | null;
}

type Parts = Awaited<ReturnType<typeof wire>>;

/** Creates the parts in the order of their dependencies. Only the embedded sandbox runs already. */
async function wire(ground: Ground) {
  const { config, log, store, clock } = ground;
  const vault = createVault(config.GATEWAY_SECRET_KEY, config.GATEWAY_OLD_SECRET_KEYS);
  const memory = await inMemory(ground, vault);
  const { lines, adminTokens, destinations, registry, knownTemplates, onForgotten } = memory;
  const { rules, customerRules, http, platformHttp, providerHttp } = outgoing(config);
  const isEmbedded = config.GATEWAY_UPSTREAM_URL === 'sandbox';
  const callback = isEmbedded ? callbackOfSandbox(config) : callbackOf(config);
  const sandbox = isEmbedded ? await openSandbox(ground, lines) : null;
  const reach = new PlatformReach(clock);
  const upstream = cloudApi(
    platformHttp,
    sandbox?.url ?? config.GATEWAY_UPSTREAM_URL,
    UPSTREAM_TIMEOUT,
    clock,
    reach,
  );
  const pressure = watchPressure(store, log);
  const metrics = createMetrics({ store, pressure, reach, clock });
  const watch = watchOf(ground, pressure, upstream, reach);
  const backups = scheduledBackups(config, log, watch.backedUp);
  const dispatcher = dispatcherOf(ground, memory, { attempted: metrics.attempted, http }, upstream);
  const forwarding = { store, destinations, dispatcher, clock };
  // The embedded sandbox can move its own clock forward. All other parts use the gateway's clock.
  const windows = customerServiceWindows(store, sandbox ? () => sandbox.now().getTime() : clock);
  onForgotten(() => windows.forget());
  const { platform, polling, account } = platformReaders(ground, memory, upstream);
  const uses = tokenUses({ store, clock });
  let isStopping = false;
  let url = '';
  const services = {
    ...{ store, vault, registry, lines, adminTokens, destinations, customerRules, windows, http, clock, log },
    ...{ ...platform, knownTemplates, cloudApi: upstream, invitationMail: mailer({ store, vault, rules }) },
    ...{ ...limitsOf(config, store.rateLimits(clock)), ...logInOf(config) },
    releaseAnswer: (eventId: string) => releaseAnswer(forwarding, eventId),
    publicUrl: config.GATEWAY_PUBLIC_URL,
  };
  const alerts = alerting({
    ...{ ...services, rules, watch },
    processId: () => dispatcher.processId,
    address: () => url,
    pathOf: alertPath,
    alertsPath: ALERTS_PATH,
  });
  const eventId = eventIds(clock);
  const gathering = gathererOf(ground, memory, dispatcher, eventId);
  const server = createServer({
    ...services,
    ...{ roles: config.GATEWAY_ROLES, rules, alerts, pressure, dispatcher, callback, backups, providerHttp },
    eventRates: eventRates(config.GATEWAY_LINE_RATE, clock),
    metrics: { ...metrics, suspected: both(metrics.suspected, watch.suspected) },
    isServing: () => !isStopping,
    credentialsRefused: askAgain(polling, clock, log),
    accountEvents: account,
    ...{ eventId, markUsed: uses.mark },
    logInWatch: logInWatch({
      ...{ store, vault, registry, clock, log, limitOf: store.rateLimits(clock) },
      counted: both(metrics.loggedIn, watch.loggedIn),
    }),
    trustedProxies: config.GATEWAY_TRUSTED_PROXIES,
    metricsToken: config.GATEWAY_METRICS_TOKEN,
    sandboxUrl: sandbox?.url ?? null,
    demoToken: ground.demoToken,
  });
  return {
    lines,
    registry,
    windows,
    server,
    dispatcher,
    gathering,
    polling,
    account,
    sandbox,
    callback,
    uses,
    pressure,
    alerts,
    isListening: (at: string): void => void (url = at),
    closeClients: () => Promise.all([http, platformHttp, providerHttp].map((client) => client.close())),
    housekeeping: housekeeping({
      ...{ store, vault, registry, clock, config, log, windows, uses },
      cloudApi: upstream,
      processId: () => dispatcher.processId,
      settleAnswers: (goesOn) => settleAnswers(forwarding, goesOn),
      backups,
    }),
    endServer: endOf(server),
    /** From now on, each answer closes its connection. */
    isToStop: () => void (isStopping = true),
  };
}

function dispatcherOf(
  { store, clock, log, config: { GATEWAY_ROLES: roles } }: Ground,
  { vault, lines, destinations, registry }: Awaited<ReturnType<typeof inMemory>>,
  deps: Pick<DispatcherDeps, 'attempted' | 'http'>,
  cloudApi: CloudApi,
): AnyDispatcher {
  if (!roles.has('deliver')) return new Bystander({ store, log, roles });
  return new Dispatcher({
    ...deps,
    ...{ store, vault, destinations, clock, log, roles },
    lineName: (id) => lines.byId(id)?.phoneNumberId ?? String(id),
    pause: (destination, reason) =>
      markPaused({ store, registry, clock }, destination.id, reason, destination.url),
    isClockConfirmed: () => isClockConfirmed({ clock, cloudApi }),
    expire: (destination) => markRemoved({ store, registry, clock }, destination.id),
    refresh: registry.refresh,
  });
}

const gathererOf = (
  { store, clock, log }: Ground,
  { lines, destinations }: Awaited<ReturnType<typeof inMemory>>,
  dispatcher: AnyDispatcher,
  eventId: () => string,
) =>
  gatherer({
    ...{ store, destinations, dispatcher, eventId, clock, log },
    async isAutomationPaused(lineId, contact) {
      const line = lines.byId(lineId);
      return line !== null && (await automationPauseOf({ store, clock }, line, contact)) !== null;
    },
  });

/** Collects the conditions of this process that cause alerts. */
const watchOf = (
  { store, clock, config }: Ground,
  pressure: Pressure,
  upstream: CloudApi,
  reach: PlatformReach,
): OwnWatch =>
  new OwnWatch({
    clock,
    machine: Date.now,
    makesBackups: config.GATEWAY_BACKUP_DIR !== null,
    freeSpace: pressure.freeSpace,
    shortages: () => pressure.causes().filter((cause) => cause !== 'disk'),
    databaseTime: store.clock,
    platformTime: upstream.time,
    reach,
  });

const both =
  <What>(one: (what: What) => void, other: (what: What) => void) =>
  (what: What): void => {
    one(what);
    other(what);
  };

/**
 * Returns a function that stops the parts: first requests, then deliveries, then calls to the platform. Its
 * argument says whether load balancers and clients first get time to notice.
 */
function stopper(store: Store, parts: Parts, log: FastifyBaseLogger) {
  return async (isNoticed = false): Promise<void> => {
    parts.isToStop();
    parts.pressure.stop();
    parts.housekeeping.stop();
    const told = parts.alerts.stop();
    const ended = parts.endServer(isNoticed);
    await Promise.race([ended, wait(FORWARDING_GOES_ON, null, { ref: false })]);
    await Promise.all([ended, parts.gathering.stop().then(() => parts.dispatcher.stop())]);
    await parts.account.applied();
    const polled = parts.polling.stop();
    // The sandbox still answers requests of the gateway until here.
    await parts.sandbox?.close();
    await parts.uses.writeOrTell(log);
    await parts.closeClients();
    // Closing the clients has failed all requests to the platform that were still running.
    await Promise.all([polled, told, parts.housekeeping.ended()]);
    await store.close();
  };
}

/** Lines, tokens and destinations, cached in memory and reloaded when any process changes them. */
async function inMemory({ store, clock, log }: Ground, vault: Vault) {
  const lines = lineRegistry(store, vault, clock, log);
  const adminTokens = adminTokenRegistry(store, lines, clock);
  const destinations = destinationRegistry(store, vault, clock, log);
  const logged = throttledLog((fields, message) => log.error(fields, message));
  const knownTemplates = new KnownTemplates(store);
  let forget = (): void => undefined;
  let forgotten: number | null = null;
  async function forgetContacts(): Promise<void> {
    const before = forgotten;
    forgotten = await store.registry.forgotten();
    if (before !== null && before !== forgotten) forget();
  }
  const registry = await followRegistry(
    store,
    async (changes) => {
      await Promise.all([
        lines.load(changes),
        adminTokens.load(changes),
        destinations.load(changes),
        forgetContacts(),
      ]);
      if (!changes || changes.lines.length) knownTemplates.forget();
    },
    (error) =>
      logged(
        { error },
        'changes of lines, tokens and destinations not read: what is known of them stays in use until they are',
      ),
  );
  /** Registers the listener for forgotten contacts, whichever process forgot them. */
  const onForgotten = (listener: () => void): void => void (forget = listener);
  return { vault, lines, adminTokens, destinations, registry, knownTemplates, onForgotten };
}

/** HTTP clients for destinations and for the platform, with the rules for allowed addresses. */
function outgoing(config: Config) {
  const rules = destinationRules(config.GATEWAY_ALLOW_DESTINATIONS);
  const customerRules = config.GATEWAY_ALLOW_FOR_TOKENS ? rules : destinationRules([], undefined, false);
  const http = createHttpClient({
    rules,
    customerRules,
    maxAnswerBytes: DESTINATION_ANSWER_LIMIT,
    brokenBody: 'ignored',
  });
  const providerHttp = createHttpClient({
    rules,
    maxAnswerBytes: PROVIDER_ANSWER_LIMIT,
    brokenBody: 'fails',
  });
  const platformHttp = createHttpClient({ maxAnswerBytes: UPSTREAM_ANSWER_LIMIT, brokenBody: 'fails' });
  return { rules, customerRules, http, platformHttp, providerHttp };
}

/** Reads lines and templates from the platform, periodically or on request. */
function platformReaders(
  { store, clock, log }: Ground,
  { vault, lines, registry, knownTemplates }: Awaited<ReturnType<typeof inMemory>>,
  upstream: CloudApi,
) {
  const refreshes = refresher(store, clock);
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
      status: (line) => pollLineStatus({ store, cloudApi: upstream, registry, clock }, line),
      templates: async (line) => {
        const storeFor = await readTemplates(line);
        return ({ id }) => storeFor(id);
      },
      checks: (line) => readLineChecks({ store, cloudApi: upstream, clock }, line),
    },
    clock,
    log,
  });
  const account = accountEvents({ store, lines, polling, noticeStatus, knownTemplates, clock, log });
  const changeAtPlatform = changesAtPlatform({ store, vault, registry, clock, cloudApi: upstream });
  const templateChanges = {
    ...{ store, lines, knownTemplates, readTemplates, changeAtPlatform },
    ...{ cloudApi: upstream, clock, log },
  };
  return {
    platform: { refresher: refreshes, readTemplates, syncTemplates, changeAtPlatform, templateChanges },
    polling,
    account,
  };
}

const logInOf = (config: Config) => ({
  requiresApp: config.GATEWAY_REQUIRE_AUTHENTICATOR,
  providersOfSettings: config.GATEWAY_OIDC_PROVIDERS,
  passwordLogIn: config.GATEWAY_PASSWORD_LOG_IN,
});

const limitsOf = (config: Config, limitOf: RateLimits) => ({
  tokenFailures: tokenFailures(config.GATEWAY_AUTH_FAILURE_RATE, limitOf),
  sendRates: sendRates({ lineRate: config.GATEWAY_LINE_RATE, pairLimit: config.GATEWAY_PAIR_LIMIT }, limitOf),
  tokenRates: tokenRates('line', config.GATEWAY_TOKEN_RATE, limitOf),
  adminTokenRates: tokenRates('admin', config.GATEWAY_TOKEN_RATE, limitOf),
  platformReads: platformReads(limitOf),
  logInLimits: logInLimits(config.GATEWAY_LOG_IN_LIMIT, limitOf),
  oidcLimit: oidcLimit(config.GATEWAY_LOG_IN_LIMIT, limitOf),
});

/** Starts the sandbox one port above the gateway's, or on any free one. It knows lines with an access token. */
async function openSandbox({ config, log, clock }: Ground, lines: LineRegistry): Promise<Sandbox> {
  // Loaded on demand, because most gateways have no sandbox.
  const { embedSandbox } = await import('./sandbox/embed.js');
  return embedSandbox(config.GATEWAY_PORT, {
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
}

/**
 * Makes a one-time link for the first user; null if a user exists. Each process makes its own, and all
 * processes accept it.
 */
async function setUpUrl(url: string, store: Store, clock: Clock): Promise<string | null> {
  if (await store.users.any()) return null;
  return `${url}/panel/set-up?key=${await createLink({ store, clock }, null)}`;
}

/** @throws SettingError if other processes cannot do what this one leaves to them */
/** Says which setting to change if the gateway cannot listen; null if no setting helps. */
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

/** Secrets that the gateway shares with the embedded sandbox: from the settings, or new in each process. */
const callbackOfSandbox = (config: Config) => ({
  appSecret: config.GATEWAY_APP_SECRET ?? randomBytes(32).toString('hex'),
  verifyToken: config.GATEWAY_VERIFY_TOKEN ?? randomBytes(16).toString('hex'),
});
