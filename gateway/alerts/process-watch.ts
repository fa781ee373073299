import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { HOUR, isoTime, MINUTE, SECOND, type Clock } from '../time';
import { AWAY_AFTER, type PlatformReach } from '../cloud-api/reach';
import { type AlertFact, type AlertKind, type Shortage } from '../wording/facts';
import { type Condition } from './conditions/condition';
import { type Kinds, type Rules } from './conditions/kind';

/** Conditions that only this process can observe. It opens and closes their incidents itself. */
export interface ProcessWatch {
  /** Called for a request that may be an attack (`errors.ts` lists the kinds). */
  suspected(kind: string): void;
  loggedIn(result: string): void;
  /** Called with the result of the daily backup. */
  backedUp(failure: string | null): void;
  /** @param name the name of this process */
  seen(rules: Rules, name: string): ProcessView;
}

export interface ProcessView {
  conditions: Condition[];
  /** Kinds that cannot be checked yet, because the process started recently. */
  unknown: ReadonlySet<AlertKind>;
}

export interface WatchedProcess {
  clock: Clock;
  /** The local clock, compared with the platform's. */
  machine: Clock;
  /** Whether this process makes daily backups. */
  makesBackups: boolean;
  /** Free bytes on the database's disk; null if unknown. */
  freeSpace(): number | null;
  /** Why requests are refused; empty if they are accepted. */
  shortages(): Shortage[];
  /** The free part of memory, from 0 to 1. */
  memoryLeft?: () => number;
  /** By the database's clock. */
  databaseTime: Clock;
  /** By the platform's clock; null if the platform does not report its time. Never fails. */
  platformTime(): Promise<number | null>;
  /** The reachability of the platform, from the gateway's own calls. */
  reach: Pick<PlatformReach, 'away' | 'isKnown'>;
}

const TIMES_WITHIN = 10 * MINUTE;
/** The highest count of each kind. */
const MOST_TIMES = 10_000;
/** A shorter problem would end before anyone could look. */
const TOLD_AFTER = MINUTE / 2;
/** How often the platform's time is read. */
const TIME_ASKED = HOUR;
const LEAST_MEMORY = 0.1;
/** An open condition ends only well above its threshold. */
const ENOUGH_MEMORY = 0.15;

const ATTACKS: Record<string, AlertKind> = {
  wrong_signature: 'signature_attack',
  wrong_verify_token: 'signature_attack',
  wrong_token: 'token_attack',
  too_many: 'token_attack',
  wrong_password: 'log_in_attack',
  wrong_code: 'log_in_attack',
  wrong_answer: 'log_in_attack',
  locked: 'log_in_attack',
  owner_password: 'owner_password',
};

const MEGABYTE = 1024 * 1024;

/** The free part of the tighter limit: the memory of the machine or container, or the JavaScript heap. */
function memoryLeft(): number {
  const limit = process.constrainedMemory();
  const all = limit > 0 && limit < totalmem() ? limit : totalmem();
  const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics();
  return Math.min(process.availableMemory() / all, 1 - used / most);
}

const ATTACK_KINDS = {
  log_in_attack: { threshold: { of: 'times', default: 20, most: 4_000 } },
  signature_attack: { threshold: { of: 'times', default: 10, most: 4_000 } },
  token_attack: { threshold: { of: 'times', default: 100, most: 4_000 } },
} satisfies Kinds;

export const ownKinds = {
  disk_short: { threshold: { of: 'megabytes', default: 1_024, most: 1_000_000 } },
  memory_short: {},
  overloaded: {},
  database_away: { threshold: { of: 'minutes', default: 1, most: 60 } },
  platform_away: { threshold: { of: 'times', default: AWAY_AFTER, most: 100 } },
  clocks_apart: { threshold: { of: 'seconds', default: 30, most: 3_600 } },
  backup_failed: {},
  ...ATTACK_KINDS,
  owner_password: {},
} satisfies Kinds;

export class OwnWatch implements ProcessWatch {
  readonly #watched: WatchedProcess;
  /** The times of each kind of attack. */
  readonly #seen = new Map<AlertKind, number[]>();
  /** Since when each of these conditions is true. */
  readonly #since = new Map<string, number>();
  #backup: { at: number; failure: string } | null = null;
  /** When the platform's time was last read, and how far the local clock is ahead of it, if known. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #apart: number | undefined;
  #isMemoryShort = false;
  readonly #startedAt: number;
  #hasBackedUp = false;
  #name = '';

  constructor(watched: WatchedProcess) {
    this.#watched = watched;
    this.#startedAt = watched.clock();
  }

  suspected = (kind: string): void => this.#count(kind);
  loggedIn = (result: string): void => this.#count(result);

  backedUp = (failure: string | null): void => {
    this.#hasBackedUp = true;
    this.#backup = failure === null ? null : { at: this.#backup?.at ?? this.#watched.clock(), failure };
  };

  seen(rules: Rules, name: string): ProcessView {
    this.#name = name;
    const conditions = [
      ...this.#disk(rules),
      ...this.#memory(),
      ...this.#overload(),
      ...this.#clocks(rules),
      ...this.#platform(rules),
      ...this.#failedBackup(),
      ...this.#attacks(rules),
      ...this.#ownerPasswords(),
    ];
    return { conditions, unknown: this.#unknown() };
  }

  /** Conditions that an earlier process may have observed, and that this one has not run long enough to check. */
  #unknown(): Set<AlertKind> {
    const isNew = this.#watched.clock() - this.#startedAt < TIMES_WITHIN;
    return new Set([
      ...(isNew ? ([...Object.keys(ATTACK_KINDS), 'owner_password'] as AlertKind[]) : []),
      ...(this.#watched.makesBackups && !this.#hasBackedUp ? (['backup_failed'] as const) : []),
      ...(this.#apart === undefined ? (['clocks_apart'] as const) : []),
      ...(this.#watched.reach.isKnown ? [] : (['platform_away'] as const)),
    ]);
  }

  #count(word: string): void {
    const kind = ATTACKS[word];
    if (!kind) return;
    const times = this.#seen.get(kind) ?? [];
    this.#seen.set(kind, times);
    // Bounded, so that an attack cannot fill memory.
    if (times.length >= MOST_TIMES) times.splice(0, MOST_TIMES / 2);
    times.push(this.#watched.clock());
  }

  /** Milliseconds since the condition became true; null if it is false. */
  #lasting(key: string, isSo: boolean): number | null {
    if (!isSo) this.#since.delete(key);
    else if (!this.#since.has(key)) this.#since.set(key, this.#watched.clock());
    return this.#since.get(key) ?? null;
  }

  #local(
    at: number,
    alert: AlertFact,
    more: Pick<Condition, 'severity'> & Partial<Pick<Condition, 'isTold'>>,
  ): Condition {
    return {
      ...alert,
      subject: this.#name,
      lineId: null,
      wabaId: null,
      since: isoTime(at),
      waiting: null,
      isTold: true,
      ...more,
    };
  }

  #disk(rules: Rules): Condition[] {
    const free = this.#watched.freeSpace();
    const at = this.#lasting('disk', free !== null && free < rules.disk_short.threshold * MEGABYTE);
    if (at === null || free === null) return [];
    const values = { megabytes: Math.floor(free / MEGABYTE) };
    return [this.#local(at, { kind: 'disk_short', values }, { severity: 'critical' })];
  }

  #memory(): Condition[] {
    const left = (this.#watched.memoryLeft ?? memoryLeft)();
    this.#isMemoryShort = left < (this.#isMemoryShort ? ENOUGH_MEMORY : LEAST_MEMORY);
    const at = this.#lasting('memory', this.#isMemoryShort);
    if (at === null) return [];
    const values = { process: this.#name, percent: Math.round(left * 100) };
    const isTold = this.#watched.clock() - at >= TOLD_AFTER;
    return [this.#local(at, { kind: 'memory_short', values }, { severity: 'warning', isTold })];
  }

  #overload(): Condition[] {
    const causes = this.#watched.shortages();
    const at = this.#lasting('overload', causes.length > 0);
    if (at === null) return [];
    const values = { process: this.#name, causes };
    const isTold = this.#watched.clock() - at >= TOLD_AFTER;
    return [this.#local(at, { kind: 'overloaded', values }, { severity: 'critical', isTold })];
  }

  /**
   * Reads the platform's time periodically, and at each check while it does not respond. The result is used by the
   * next check.
   */
  #askPlatform(now: number): void {
    const isAway = this.#watched.reach.away !== null && !this.#isAsking;
    if (Math.abs(now - this.#askedAt) < TIME_ASKED && !isAway) return;
    this.#askedAt = now;
    this.#isAsking = true;
    void this.#watched.platformTime().then((told) => {
      this.#isAsking = false;
      if (told !== null) this.#apart = this.#watched.machine() - told;
    });
  }

  #platform(rules: Rules): Condition[] {
    const { away } = this.#watched.reach;
    if (!away || away.failures < rules.platform_away.threshold) return [];
    const values = { process: this.#name, because: away.because };
    return [this.#local(away.since, { kind: 'platform_away', values }, { severity: 'critical' })];
  }

  #clocks(rules: Rules): Condition[] {
    const now = this.#watched.machine();
    this.#askPlatform(now);
    const most = rules.clocks_apart.threshold * SECOND;
    const apart = [
      ...([['database', now - this.#watched.databaseTime()]] as const),
      ...(this.#apart === undefined ? [] : [['platform', this.#apart] as const]),
    ].find(([, by]) => Math.abs(by) > most);
    const at = this.#lasting('clocks', apart !== undefined);
    if (at === null || !apart) return [];
    const [of, by] = apart;
    const seconds = Math.round(Math.abs(by) / SECOND);
    const values = { process: this.#name, seconds, isAhead: by > 0, of };
    return [this.#local(at, { kind: 'clocks_apart', values }, { severity: 'warning' })];
  }

  #failedBackup(): Condition[] {
    if (!this.#backup) return [];
    const { at, failure } = this.#backup;
    return [this.#local(at, { kind: 'backup_failed', values: { failure } }, { severity: 'warning' })];
  }

  #attacks(rules: Rules): Condition[] {
    return (Object.keys(ATTACK_KINDS) as (keyof typeof ATTACK_KINDS)[]).flatMap((kind) => {
      const times = this.#timesOf(kind);
      const at = this.#lasting(kind, times > rules[kind].threshold);
      // A wrong signature may also mean that no event from the platform is accepted.
      const severity = kind === 'signature_attack' ? 'critical' : 'warning';
      return at === null ? [] : [this.#local(at, { kind, values: { times } }, { severity })];
    });
  }

  /** Log-ins of owners with a password, although everybody else logs in at a provider. */
  #ownerPasswords(): Condition[] {
    const times = this.#timesOf('owner_password');
    const at = this.#lasting('owner_password', times > 0);
    return at === null
      ? []
      : [this.#local(at, { kind: 'owner_password', values: { times } }, { severity: 'warning' })];
  }

  /** How often it happened lately. */
  #timesOf(kind: AlertKind): number {
    const times = (this.#seen.get(kind) ?? []).filter((at) => at > this.#watched.clock() - TIMES_WITHIN);
    this.#seen.set(kind, times);
    return times.length;
  }
}
