import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type PlatformReach } from '../cloud-api/reach';
import { SUSPICIONS, type Suspicion } from '../errors';
import { type Store } from '../store/store';
import { SECOND, type Clock } from '../time';
import { LOG_IN_RESULTS, type LogInResult } from '../users/log-in-watch';
import { counted, observed } from './counted';
import { withTimeout } from './with-timeout';
import { singleFlight } from './single-flight';
import { usageOfMonth } from './usage-of-month';
import { PRESSURE_CAUSES, type Pressure } from './pressure';

/** Events that the gateway counts while running. Everything else in `/metrics` is read on request. */
export interface Metrics {
  /** A notification was recorded, with new and repeated events. @param seconds since its arrival */
  recorded(fresh: number, repeats: number, seconds: number): void;
  /**
   * A delivery attempt ended.
   * @param outcome as in `deliver.ts`
   * @param waited milliseconds from the event's arrival to the start of its first attempt; null for a later one
   */
  attempted(outcome: string, milliseconds: number, waited: number | null): void;
  /** A request was answered. @param route its path without `/api` and version, such as `/:tid/messages` */
  answered(method: string, route: string, status: number): void;
  /** A request may be an attack. */
  suspected(kind: Suspicion): void;
  /** A login to the panel, or a failed one. */
  loggedIn(result: LogInResult): void;
  /** The response of `/metrics`, in the Prometheus format. */
  text(): Promise<string>;
  readonly contentType: string;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export interface MetricsDeps {
  store: Store;
  pressure: Pressure;
  reach: Pick<PlatformReach, 'isUp'>;
  clock: Clock;
}

// eslint-disable-next-line max-lines-per-function -- a list of metrics
export function createMetrics({ store, pressure, reach, clock }: MetricsDeps): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers });
  const frequent = (name: string, help: string, ...labelNames: string[]) =>
    counted(counter(name, help, ...labelNames), labelNames);
  const histogram = (name: string, help: string) =>
    observed(new Histogram({ name, help, buckets: BUCKETS, registers }));
  collectDefaultMetrics({ register: registry });
  const events = frequent(
    'gateway_events_total',
    'Events from the platform: new ones, and repeats.',
    'result',
  );
  const recording = histogram(
    'gateway_notification_seconds',
    'From the arrival of a notification until it is recorded.',
  );
  const attempts = frequent(
    'gateway_attempts_total',
    'Attempts to deliver an event to a destination: delivered, or failed and why.',
    'result',
    'cause',
  );
  const attempt = histogram('gateway_attempt_seconds', 'How long destinations took to answer.');
  const wait = histogram(
    'gateway_first_attempt_delay_seconds',
    'From the arrival of an event to the start of its first attempt. Failed probes do not count.',
  );
  const requests = frequent(
    'gateway_requests_total',
    'Requests that were answered, by operation and HTTP status.',
    'method',
    'route',
    'status',
  );
  const logIns = counter(
    'gateway_log_ins_total',
    'Log-ins to the control panel: successful, with a wrong password or code, or refused after too many attempts.',
    'result',
  );
  const suspicions = counter(
    'gateway_suspicious_total',
    'Requests that came without the right token, signature or verify token, by what was wrong.',
    'kind',
  );
  SUSPICIONS.forEach((kind) => suspicions.inc({ kind }, 0));
  // Initialised, so that an alert on the first failure sees the series rise from 0.
  LOG_IN_RESULTS.forEach((result) => logIns.inc({ result }, 0));
  const backlog = gauge('gateway_backlog', 'Waiting deliveries, including those of paused destinations.');
  const parked = gauge('gateway_parked', 'Waiting deliveries of paused destinations.');
  const breakers = gauge(
    'gateway_breakers_open',
    'Destinations that take nothing at present, so that only one event is tried now and then.',
  );
  const databaseUp = gauge(
    'gateway_database_up',
    '1 where the database has answered; where it has not, what it knows is not a number.',
  );
  const platformUp = gauge(
    'gateway_platform_up',
    '0 after three calls in a row without an answer of the platform, until it answers again.',
  );
  const waiting = gauge('gateway_writes_waiting', 'Writes that wait in memory for their commit.');
  const waitingSize = gauge('gateway_writes_waiting_bytes', 'What these hold in memory.');
  const space = gauge('gateway_disk_free_bytes', 'What is free where the SQLite file is.');
  const overload = gauge(
    'gateway_overloaded',
    '1 while requests are refused because of this cause.',
    'cause',
  );
  const oldest = gauge(
    'gateway_oldest_due_seconds',
    'For how long the oldest delivery has been due that no process holds, at destinations that are not paused.',
  );
  const dead = gauge(
    'gateway_dead',
    'Deliveries given up after the last attempt, without those of removed destinations.',
  );
  const destinations = gauge(
    'gateway_destinations',
    'Destinations that are paused, that take nothing at present, and all others.',
    'state',
  );
  const messages = gauge(
    'gateway_month_messages',
    'Messages sent (out, from the phone app: app) and received (in) since the month began (UTC), by pricing category.',
    'direction',
    'category',
  );
  const charged = gauge(
    'gateway_month_charged_messages',
    'Of these, delivered messages that the platform charges for, by pricing category.',
    'direction',
    'category',
  );

  const overview = singleFlight(() => store.deliveries.overview());

  async function lookUp(): Promise<void> {
    const now = clock();
    const state = await withTimeout(overview());
    backlog.set(state.pending);
    parked.set(state.parked);
    breakers.set(state.destinations.failing);
    dead.set(state.dead);
    oldest.set(state.oldestDueAt === null ? 0 : Math.max(0, now - Date.parse(state.oldestDueAt)) / SECOND);
    for (const [name, count] of Object.entries(state.destinations)) destinations.set({ state: name }, count);
  }

  const usage = usageOfMonth(store, clock);

  async function readUsage(): Promise<void> {
    const totals = await withTimeout(usage()).catch(() => []);
    [messages, charged].forEach((one) => one.reset());
    for (const { direction, category, ...counts } of totals) {
      messages.set({ direction, category }, counts.messages);
      if (direction !== 'in') charged.set({ direction, category }, counts.charged);
    }
  }

  /** Sets values that need no database, which may itself be under pressure. */
  function tellPressure(): void {
    const { writes, bytes } = store.waiting();
    waiting.set(writes);
    waitingSize.set(bytes);
    const cause = pressure.cause();
    for (const one of PRESSURE_CAUSES) overload.set({ cause: one }, one === cause ? 1 : 0);
    const free = pressure.freeSpace();
    if (free !== null) space.set(free);
  }

  return {
    recorded(fresh, repeats, seconds) {
      events.add('accepted', fresh);
      events.add('repeated', repeats);
      recording.add(seconds);
    },
    attempted(outcome, milliseconds, waited) {
      attempts.add(outcome === 'delivered' ? 'delivered ' : `failed ${outcome}`);
      attempt.add(milliseconds / SECOND);
      if (waited !== null) wait.add(waited / SECOND);
    },
    answered: (method, route, status) => requests.add(`${method} ${route} ${status}`),
    suspected: (kind) => suspicions.inc({ kind }),
    loggedIn: (result) => logIns.inc({ result }),
    // Concurrent scrapes share one text, which has some hundred kilobytes with many destinations.
    text: singleFlight(async () => {
      [events, recording, attempts, attempt, wait, requests].forEach((one) => one.pass());
      platformUp.set(Number(reach.isUp));
      tellPressure();
      await lookUp().then(
        () => databaseUp.set(1),
        () => {
          databaseUp.set(0);
          [backlog, parked, breakers, oldest, dead].forEach((one) => one.set(Number.NaN));
          destinations.reset();
        },
      );
      await readUsage();
      return registry.metrics();
    }),
    contentType: registry.contentType,
  };
}
