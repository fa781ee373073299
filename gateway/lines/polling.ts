import { crc32 } from 'node:zlib';
import { Refusal } from '../errors';
import { type Store } from '../store/store';
import { type Refreshed } from '../store/tables/lines';
import { DAY, HOUR, isoTime, MINUTE, SECOND, type Clock } from '../time';
import { type Line } from './line';
import { type LineRegistry } from './line-registry';
import { REFRESH_COOLDOWN, type Refresher } from './refresh';

/**
 * Periodically reads the status (the platform sends no events about quality ratings), the templates, and what the checks
 * need of every active line with credentials.
 *
 * A refresh is due an interval after the last one started, whether a user, an event or another process requested that
 * one. It is due immediately for a new line, and as soon as the cooldown allows after the platform reported a change
 * (`wanted`). A failed refresh is due after `WAITS`. All this depends only on the line's row, so processes agree on
 * the time, and the cooldown lets one of them ask.
 *
 * The platform limits requests per business account, not per line. The list of templates and the checks are read once for
 * all lines with the same account and credentials: when they are due for one line, the others are refreshed too if their
 * own cooldown allows. The status belongs to each phone number, so it is read less often the more lines an account has.
 */
export interface Polling {
  /** Runs the due refreshes. Resolves when they are done. */
  pollDue(): Promise<void>;
  /**
   * Requests a refresh of these lines, now or after their cooldown. Resolves when the request is stored, not when the
   * refresh is done.
   */
  want(lineIds: number[], of: Refreshed): Promise<void>;
  /** Starts checking periodically for due refreshes. */
  start(): void;
  /** Starts no new refresh. Resolves when running requests are done. */
  stop(): Promise<void>;
}

export interface PollingDeps {
  store: Store;
  lines: LineRegistry;
  refresher: Refresher;
  polls: {
    /** Reads the status from the platform and stores it. */
    status(line: Line): Promise<void>;
    /**
     * Reads the list from the platform. @returns a function that stores it for any line of the same business account
     */
    templates(line: Line): Promise<(line: Line) => Promise<void>>;
    /** The same for what the checks need. */
    checks(line: Line): Promise<(line: Line) => Promise<void>>;
  };
  clock: Clock;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/**
 * A rating changes over hours, but LOW blocks every send: ten minutes are 6 requests an hour, of the 200 that the
 * platform grants the smallest account. Templates are changed by people, and events report that; the hourly list
 * covers missed events. What the checks read changes over weeks.
 */
const INTERVALS: Record<Refreshed, number> = { status: 10 * MINUTE, templates: HOUR, checks: DAY };

/**
 * The minimum interval between status reads is this long for each line of the business account: at most 120 requests
 * an hour in total. For accounts of more than 20 lines, this is longer than INTERVALS.
 */
const STATUS_SHARE = 30 * SECOND;

/** The waits after consecutive failures: short at first, because most are temporary, then increasing. */
const WAITS = [2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];

/** Intervals and waits vary by up to this fraction, so that lines polled together drift apart. */
const JITTER = 0.2;

/** Concurrent calls of a process to the platform. 500 due lines take half a minute. */
const MOST_AT_ONCE = 4;

/** The time between checks for due refreshes: one statement, some hundred microseconds for 500 lines. */
const LOOK_INTERVAL = 15 * SECOND;

const OPERATIONS: readonly Refreshed[] = ['status', 'templates', 'checks'];

type Row = Awaited<ReturnType<Store['lines']['refreshes']>>[number];

interface Due {
  lineId: number;
  of: Refreshed;
  /** Milliseconds. */
  at: number;
}

/** A queued refresh with its callers. */
interface Queued extends Due {
  key: string;
  done(): void;
}

/**
 * A check only adds refreshes that are not queued yet, and at most MOST_AT_ONCE run at a time. So a slow account
 * occupies one place, and delays neither checks nor the refreshes of other accounts.
 */
// eslint-disable-next-line max-lines-per-function -- its functions share when each line is asked next
export function createPolling({ store, lines, refresher, polls, clock, log }: PollingDeps): Polling {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let looking: Promise<unknown> = Promise.resolve();
  const queue: Queued[] = [];
  /** Refreshes that are queued or running. */
  const onItsWay = new Map<string, Promise<void>>();
  let workers = 0;

  async function poll({ lineId, of }: Due): Promise<void> {
    const line = lines.byId(lineId);
    // The line may have changed since the check.
    if (!line?.isActive || line.accessToken === null) return;
    if (of === 'status') await refresh(line, of, () => polls.status(line));
    else await pollShared(line, of);
  }

  async function refresh(line: Line, of: Refreshed, perform: () => Promise<void>): Promise<void> {
    try {
      await refresher.refresh(line, of, 'gateway', perform, true);
    } catch (error) {
      log.warn({ line: line.id, of, ...reasonOf(error) }, 'line not polled');
    }
  }

  /** Reads once for all lines that share the result. A failure counts for all of them. */
  async function pollShared(line: Line, of: 'templates' | 'checks'): Promise<void> {
    let others: Promise<unknown> = Promise.resolve();
    await refresh(line, of, () => {
      const reading = polls[of](line);
      let last: Promise<unknown> = Promise.resolve();
      /** Stored for one line after the other, because a list may have thousands of rows per line. */
      const storeFor = (one: Line): Promise<void> => {
        const stored = last.then(async () => (await reading)(one));
        last = stored.catch(() => undefined);
        return stored;
      };
      const own = storeFor(line);
      others = Promise.all(
        lines
          .ofBusinessAccount(line.wabaId)
          .filter((one) => one.id !== line.id && one.isActive && one.accessToken === line.accessToken)
          .map((one) => refresh(one, of, () => storeFor(one))),
      );
      return own;
    });
    await others;
  }

  /** The same for refreshes that make the same request to the platform. */
  function keyOf({ lineId, of }: Due): string {
    const line = of === 'status' ? null : lines.byId(lineId);
    return line ? `${of} ${line.wabaId} ${line.accessToken}` : `${of} ${lineId}`;
  }

  async function work(): Promise<void> {
    workers += 1;
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (!isStopped) await poll(next);
      onItsWay.delete(next.key);
      next.done();
    }
    workers -= 1;
  }

  /** Queues a refresh unless it is already queued. Resolves when the refresh is done. */
  function add(due: Due): Promise<void> {
    const key = keyOf(due);
    const before = onItsWay.get(key);
    if (before) return before;
    const done = new Promise<void>((resolve) => queue.push({ ...due, key, done: resolve }));
    onItsWay.set(key, done);
    if (workers < MOST_AT_ONCE) void work();
    return done;
  }

  async function addDue(isChosen: (due: Due) => boolean): Promise<Promise<void>[]> {
    if (isStopped) return [];
    const now = clock();
    const rows = await store.lines.refreshes();
    const sizes = new Map<string, number>();
    for (const { waba_id } of rows) sizes.set(waba_id, (sizes.get(waba_id) ?? 0) + 1);
    const atLeast = (row: Row, of: Refreshed) =>
      of === 'status' ? (sizes.get(row.waba_id) ?? 0) * STATUS_SHARE : 0;
    return rows
      .flatMap((row) =>
        OPERATIONS.map((of): Due => ({ lineId: row.id, of, at: dueAt(row, of, now, atLeast(row, of)) })),
      )
      .filter((one) => one.at <= now && isChosen(one))
      .sort((one, other) => one.at - other.at)
      .map(add);
  }

  /** Checks run one after the other, but never wait for refreshes that another check found. */
  async function look(isChosen: (due: Due) => boolean): Promise<void> {
    const found = looking
      .then(() => addDue(isChosen))
      .catch((error: unknown) => {
        log.error({ error }, 'lines not polled');
        return [];
      });
    looking = found;
    await Promise.all(await found);
  }

  const pollDue = (): Promise<void> => look(() => true);

  return {
    pollDue,
    async want(lineIds, of) {
      await store.lines.wantRefresh(lineIds, of, isoTime(clock()));
      const isWanted = (due: Due) => due.of === of && lineIds.includes(due.lineId);
      // Runs twice, because a request already in progress may have been answered before the change.
      void look(isWanted).then(() => look(isWanted));
    },
    start() {
      timer = setInterval(() => void pollDue(), LOOK_INTERVAL).unref();
      void pollDue();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await looking;
      await Promise.all(onItsWay.values());
    },
  };
}

/**
 * Requests a status refresh soon, because the platform refused the line's credentials in another request. At most
 * once a minute, since every send may be refused.
 */
export function askAgain(polling: Pick<Polling, 'want'>, clock: Clock, log: PollingDeps['log']) {
  const asked = new Map<number, number>();
  return (lineId: number): void => {
    const now = clock();
    if (now - (asked.get(lineId) ?? 0) < REFRESH_COOLDOWN) return;
    asked.set(lineId, now);
    polling.want([lineId], 'status').catch((error: unknown) => log.error({ error }, 'line not polled'));
  };
}

/**
 * When a line's next refresh is due, in milliseconds: the same in every process.
 * @param atLeast the minimum interval, unless a refresh is wanted (ms)
 */
function dueAt(row: Row, of: Refreshed, now: number, atLeast: number): number {
  const last = timeOf(row[`${of}_refresh_at`]);
  // Never polled, or stored in the future by a wrong clock.
  if (last === null || last > now + REFRESH_COOLDOWN) return 0;
  const failures = row[`${of}_failures`];
  const wait = Math.max(WAITS[Math.min(failures, WAITS.length) - 1] ?? INTERVALS[of], atLeast);
  const regular = last + wait * (1 + JITTER * spread(`${row.id} ${of} ${last}`));
  const wanted = timeOf(row[`${of}_wanted_at`]);
  return wanted === null ? regular : Math.min(regular, Math.max(wanted, last + REFRESH_COOLDOWN));
}

/** The platform's error; for other failures, the error with its stack. */
const reasonOf = (error: unknown): object =>
  error instanceof Refusal ? { reason: error.errorCode, upstream: error.error } : { error };

const timeOf = (time: string | null): number | null => (time === null ? null : Date.parse(time));

/** A number from -1 to 1 that looks random but is always the same for one text. */
const spread = (text: string): number => (crc32(text) / 0xffffffff) * 2 - 1;
