import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { type PlatformReach } from '../cloud-api/reach';
import { HOUR, isoTime, MINUTE, SECOND, type Clock } from '../time';
import { type Condition } from './conditions/condition';
import { type ConditionKind } from './kinds';
import { type Rules } from './rules';

/** What a process knows of itself, and no other does: its conditions are told by it, and closed by it. */
export interface ProcessWatch {
  /** A request came that an attacker may have made (`errors.ts` has the words). */
  suspected(kind: string): void;
  loggedIn(result: string): void;
  /** What came of the daily backup. */
  backedUp(failure: string | null): void;
  /** @param name by which the process is known among those that run */
  seen(rules: Rules, name: string): ProcessView;
}

export interface ProcessView {
  conditions: Condition[];
  /** Kinds of which it cannot say yet whether they are so, as it was started a while ago only. */
  unknown: ReadonlySet<ConditionKind>;
}

export interface WatchedProcess {
  clock: Clock;
  /** Of the machine, which the other may differ from. */
  machine: Clock;
  /** Whether it makes a backup each day. */
  makesBackups: boolean;
  /** Bytes that are free where the database is; null where that is not known. */
  freeSpace(): number | null;
  /** Why requests are refused, in words; nothing where they are not. */
  shortages(): string[];
  /** The part of the memory that is left, from 0 to 1. */
  memoryLeft?: () => number;
  /** By the database's clock. */
  databaseTime: Clock;
  /** By the platform's; null where it does not tell. It never fails. */
  platformTime(): Promise<number | null>;
  /** What its calls to the platform came to. */
  reach: Pick<PlatformReach, 'away' | 'isKnown'>;
}

const TIMES_WITHIN = 10 * MINUTE;
/** So many are counted of each kind. */
const MOST_TIMES = 10_000;
/** What lasts for less is over before somebody could look. */
const TOLD_AFTER = MINUTE / 2;
/** The platform's clock is asked for this often. */
const TIME_ASKED = HOUR;
const LEAST_MEMORY = 0.1;
/** What has begun ends well above its bound. */
const ENOUGH_MEMORY = 0.15;

const ATTACKS: Record<string, ConditionKind> = {
  wrong_signature: 'signature_attack',
  wrong_verify_token: 'signature_attack',
  wrong_token: 'token_attack',
  too_many: 'token_attack',
  wrong_password: 'log_in_attack',
  wrong_code: 'log_in_attack',
  locked: 'log_in_attack',
};

const MEGABYTE = 1024 * 1024;

/** Of what the process may use: the machine's memory or the container's, and the heap of JavaScript. */
function memoryLeft(): number {
  const limit = process.constrainedMemory();
  const all = limit > 0 && limit < totalmem() ? limit : totalmem();
  const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics();
  return Math.min(process.availableMemory() / all, 1 - used / most);
}

/** What is told of each attack. @param times how often it was tried */
const ATTACK_WORDS = {
  log_in_attack: (times: string) => ({
    severity: 'warning' as const,
    title: `${times} log-ins to the control panel failed within 10 minutes`,
    text: 'Somebody may be guessing passwords. After a few wrong ones an account refuses to be tried from there.',
    over: 'Log-ins no longer fail in numbers',
    action: 'See in the audit from where; close the panel to that address.',
    path: '/panel/audit?action=log_in.failed',
    remedy: 'See who tried',
  }),
  signature_attack: (times: string) => ({
    severity: 'critical' as const,
    title: `${times} notifications with a wrong signature came within 10 minutes`,
    text: 'They were refused. Somebody sends in the name of WhatsApp; or the app secret is wrong, and then nothing that WhatsApp sends arrives.',
    over: 'Signatures are right again',
    action:
      'Compare the app secret with that of the platform. If it is right, close the callback to the address in the log.',
    path: '/panel/lines',
    remedy: 'Look at the lines',
  }),
  token_attack: (times: string) => ({
    severity: 'warning' as const,
    title: `${times} requests with a wrong token came within 10 minutes`,
    text: 'They were refused. Somebody guesses tokens, or a program uses one that was revoked.',
    over: 'Wrong tokens no longer come in numbers',
    action: 'See in the log from which address; give that program its new token, or close the gateway to it.',
    path: '/panel/tokens',
    remedy: 'See the tokens',
  }),
};

export class OwnWatch implements ProcessWatch {
  readonly #watched: WatchedProcess;
  /** When each attack was tried. */
  readonly #seen = new Map<ConditionKind, number[]>();
  /** Since when each of these is so. */
  readonly #since = new Map<string, number>();
  #backup: { at: number; failure: string } | null = null;
  /** When the platform was last asked for the time, and how far the machine is ahead of it, as far as it said. */
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
    ];
    return { conditions, unknown: this.#unknown() };
  }

  /** What a process before it may have seen, and this one has not had the time to see. */
  #unknown(): Set<ConditionKind> {
    const isNew = this.#watched.clock() - this.#startedAt < TIMES_WITHIN;
    return new Set([
      ...(isNew ? (Object.keys(ATTACK_WORDS) as (keyof typeof ATTACK_WORDS)[]) : []),
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
    // An attack takes no memory.
    if (times.length >= MOST_TIMES) times.splice(0, MOST_TIMES / 2);
    times.push(this.#watched.clock());
  }

  /** Milliseconds since it began to be so; null where it is not. */
  #lasting(key: string, isSo: boolean): number | null {
    if (!isSo) this.#since.delete(key);
    else if (!this.#since.has(key)) this.#since.set(key, this.#watched.clock());
    return this.#since.get(key) ?? null;
  }

  #local(
    kind: ConditionKind,
    at: number,
    words: Pick<Condition, 'severity' | 'title' | 'text' | 'over' | 'action'> & Partial<Condition>,
  ): Condition {
    return {
      kind,
      subject: this.#name,
      lineId: null,
      wabaId: null,
      path: '/panel/overview',
      remedy: 'Look at the overview',
      since: isoTime(at),
      waiting: null,
      isTold: true,
      ...words,
    };
  }

  #disk(rules: Rules): Condition[] {
    const free = this.#watched.freeSpace();
    const at = this.#lasting('disk', free !== null && free < rules.disk_short.threshold * MEGABYTE);
    if (at === null || free === null) return [];
    const left = Math.floor(free / MEGABYTE).toLocaleString('en');
    return [
      this.#local('disk_short', at, {
        severity: 'critical',
        title: `The disk of the database has ${left} MB left`,
        text: 'Below 128 MB the gateway refuses whatever is new, so that nothing it has accepted is lost.',
        over: 'The disk of the database has room again',
        action: 'Clear the disk, enlarge it, or keep events for less long (GATEWAY_KEEP_BODIES).',
      }),
    ];
  }

  #memory(): Condition[] {
    const left = (this.#watched.memoryLeft ?? memoryLeft)();
    this.#isMemoryShort = left < (this.#isMemoryShort ? ENOUGH_MEMORY : LEAST_MEMORY);
    const at = this.#lasting('memory', this.#isMemoryShort);
    if (at === null) return [];
    return [
      this.#local('memory_short', at, {
        severity: 'warning',
        title: `${this.#name} is short of memory`,
        text: `${Math.round(left * 100)} % of what it may use is left.`,
        over: `${this.#name} has memory again`,
        action: 'Give the machine or the container more, or end what else takes it.',
        isTold: this.#watched.clock() - at >= TOLD_AFTER,
      }),
    ];
  }

  #overload(): Condition[] {
    const why = this.#watched.shortages();
    const at = this.#lasting('overload', why.length > 0);
    if (at === null) return [];
    return [
      this.#local('overloaded', at, {
        severity: 'critical',
        title: `${this.#name} refuses requests`,
        text: `Because ${why.join(', and ')}.`,
        over: `${this.#name} accepts requests again`,
        action: 'See what comes in and from whom; add a process, or a faster disk.',
        isTold: this.#watched.clock() - at >= TOLD_AFTER,
      }),
    ];
  }

  /** From time to time, and at each look while it does not answer; the answer is known at the next look. */
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
    return [
      this.#local('platform_away', away.since, {
        severity: 'critical',
        title: `${this.#name} cannot reach WhatsApp`,
        text: [away.because, 'No message is sent until it answers.'].join(' '),
        over: `${this.#name} reaches WhatsApp again`,
        action: away.isCertificate
          ? 'Check GATEWAY_UPSTREAM_URL. If a proxy of yours opens the connection, name its certificate in NODE_EXTRA_CA_CERTS.'
          : 'Check the network of the machine, its name server and GATEWAY_UPSTREAM_URL.',
      }),
    ];
  }

  #clocks(rules: Rules): Condition[] {
    const now = this.#watched.machine();
    this.#askPlatform(now);
    const most = rules.clocks_apart.threshold * SECOND;
    const apart = [
      ...([['the database', now - this.#watched.databaseTime()]] as const),
      ...(this.#apart === undefined ? [] : [['WhatsApp', this.#apart] as const]),
    ].find(([, by]) => Math.abs(by) > most);
    const at = this.#lasting('clocks', apart !== undefined);
    if (at === null || !apart) return [];
    const [other, by] = apart;
    const off = `${Math.round(Math.abs(by) / SECOND).toLocaleString('en')} seconds ${by > 0 ? 'ahead of' : 'behind'}`;
    return [
      this.#local('clocks_apart', at, {
        severity: 'warning',
        title: `The clock of ${this.#name} is wrong`,
        text: `It is ${off} that of ${other}. Signatures, windows and times are judged by it.`,
        over: `The clock of ${this.#name} is right again`,
        action: 'Have the machine ask a time server (NTP).',
      }),
    ];
  }

  #failedBackup(): Condition[] {
    if (!this.#backup) return [];
    return [
      this.#local('backup_failed', this.#backup.at, {
        severity: 'warning',
        title: 'The daily backup failed',
        text: this.#backup.failure,
        over: 'The daily backup fails no longer',
        action: 'See in the log what kept it; it is tried again each hour.',
      }),
    ];
  }

  #attacks(rules: Rules): Condition[] {
    return Object.entries(ATTACK_WORDS).flatMap(([word, wordsOf]) => {
      const kind = word as keyof typeof ATTACK_WORDS;
      const times = (this.#seen.get(kind) ?? []).filter((at) => at > this.#watched.clock() - TIMES_WITHIN);
      this.#seen.set(kind, times);
      const at = this.#lasting(kind, times.length > rules[kind].threshold);
      return at === null ? [] : [this.#local(kind, at, wordsOf(times.length.toLocaleString('en')))];
    });
  }
}
