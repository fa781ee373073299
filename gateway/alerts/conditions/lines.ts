import { connectionStateOf, qualityOf, type Quality } from '../../cloud-api/phone-number';
import { lineHealth, RESTRICTED, type LineHealth } from '../../lines/health';
import { daysUntil, EXPIRES_SOON, judgePlatform, type CheckResult } from '../../lines/checks/judge';
import { type LineChecks } from '../../lines/checks/line-checks';
import { type Line } from '../../lines/line';
import { DAY, isoTime } from '../../time';
import { type Account, type Said } from '../../wording/facts';
import { type Kinds } from './kind';
import { type Condition } from './condition';

export const lineKinds = {
  line_disconnected: {},
  line_restricted: { turnsInto: 'line_disconnected' },
  line_quality: {},
  line_limit: {},
  line_credentials: {},
  // Long enough for who is still setting up a new line.
  line_setup: { threshold: { of: 'minutes', default: 60, most: 1_440 } },
  access_token_expiring: {},
} satisfies Kinds;

export interface LineFacts {
  lines: Line[];
  /** Lines whose access token the platform refuses, by id. */
  refused: ReadonlyMap<number, RefusedCredentials>;
  /** What the platform last reported for the checks of lines, by id. */
  checks: ReadonlyMap<number, LineChecks | null>;
  /** Ids of lines for which the platform has never called the gateway. */
  notCalled: ReadonlySet<number>;
  /** The last known values: `line_limit` and `line_quality` of a line, `account` of a business account. */
  marks: ReadonlyMap<string, Mark>;
  now: number;
}

interface RefusedCredentials {
  credentials_refused_at: string | null;
  credentials_refused_because: string | null;
}

/** The last known value of something whose changes cause alerts. */
export interface Mark {
  kind: string;
  subject: string;
  value: string;
  /** ISO time. */
  at: string;
}

/** The value of an `account` mark; `warning` is missing if an earlier version stored it. */
export interface AccountMark {
  warning?: Said;
  sentence: string;
  /** ISO time. */
  until: string;
}

export const markKey = ({ kind, subject }: Pick<Mark, 'kind' | 'subject'>): string => `${kind} ${subject}`;

export function lineConditions(facts: LineFacts): Condition[] {
  const accounts = Map.groupBy(
    facts.lines.filter(({ isActive }) => isActive),
    ({ wabaId }) => wabaId,
  );
  return [...accounts.values()].flatMap((lines) => [
    ...lines.flatMap((line) => [
      ...credentials(line, facts),
      ...connection(line, facts.now),
      ...quality(line, facts),
      ...limit(line, facts),
      ...setup(line, facts),
      ...expiring(line, facts),
    ]),
    ...account(lines, facts),
  ]);
}

/** A business account with one line has the line's name; with several lines, each may belong to another customer. */
export const accountOf = ([line, ...others]: Line[]): Account => ({
  line: !others.length && line ? line.name : null,
  wabaId: line?.wabaId ?? '',
});

const of = (line: Line): Pick<Condition, 'subject' | 'lineId' | 'wabaId' | 'waiting' | 'isTold'> => ({
  subject: String(line.id),
  lineId: line.id,
  wabaId: line.wabaId,
  waiting: null,
  isTold: true,
});

/** The kind of alert for each state of a line that needs attention. */
export const ALERT_OF: Partial<Record<LineHealth, keyof typeof lineKinds>> = {
  no_credentials: 'line_credentials',
  credentials_refused: 'line_credentials',
  account_restricted: 'line_restricted',
  disconnected: 'line_disconnected',
  not_registered: 'line_disconnected',
  pending: 'line_disconnected',
  low_quality: 'line_quality',
  no_payment_method: 'line_setup',
  no_webhook: 'line_setup',
  restricted: 'line_restricted',
};

/** The health of a line, derived from the same facts as its alerts. */
export const healthOf = (
  line: Parameters<typeof lineHealth>[0] & Pick<Line, 'id' | 'wabaId'>,
  facts: Omit<LineFacts, 'lines'>,
): LineHealth =>
  lineHealth(line, {
    credentialsRefused: facts.refused.has(line.id),
    accountRestricted: accountWarning(line.wabaId, facts) !== null,
    notCalled: facts.notCalled.has(line.id),
    checks: facts.checks.get(line.id) ?? null,
    now: facts.now,
  });

function credentials(line: Line, { refused, now }: LineFacts): Condition[] {
  const refusal = refused.get(line.id);
  const isMissing = line.accessToken === null;
  if (!isMissing && !refusal) return [];
  return [
    {
      ...of(line),
      kind: 'line_credentials',
      values: {
        name: line.name,
        isMissing,
        because: isMissing ? null : (refusal?.credentials_refused_because ?? null),
      },
      severity: 'critical',
      since: (isMissing ? null : refusal?.credentials_refused_at) ?? isoTime(now),
    },
  ];
}

function connection(line: Line, now: number): Condition[] {
  const status = line.upstream?.status ?? null;
  const state = connectionStateOf(status);
  const common = { ...of(line), since: line.statusCheckedAt ?? isoTime(now) };
  if (state !== 'connected' && state !== 'unknown')
    return [
      {
        ...common,
        kind: 'line_disconnected',
        values: { name: line.name, status },
        severity: 'critical',
      },
    ];
  if (status === null || !RESTRICTED.includes(status.toUpperCase())) return [];
  return [
    {
      ...common,
      kind: 'line_restricted',
      values: { name: line.name, status },
      severity: 'warning',
    },
  ];
}

const RANKS: Record<Quality, number | null> = { UNKNOWN: null, LOW: 0, MEDIUM: 1, HIGH: 2 };
const rankOf = (word: string | undefined): number | null => RANKS[(word ?? 'UNKNOWN') as Quality] ?? null;

/** The mark of a value that may drop: the best known value, and since when the current one is lower (ISO time). */
interface Best {
  best: string;
  loweredAt: string | null;
}

const bestOf = (marks: LineFacts['marks'], kind: string, line: Line): Best | null => {
  const mark = marks.get(markKey({ kind, subject: String(line.id) }));
  return mark ? (JSON.parse(mark.value) as Best) : null;
};

function quality(line: Line, { marks, now }: LineFacts): Condition[] {
  if (!line.upstream) return [];
  const rating = qualityOf(line.upstream.quality_rating);
  const before = bestOf(marks, 'line_quality', line);
  const isLow = rating === 'LOW';
  const [ranked, best] = [rankOf(rating), rankOf(before?.best)];
  if (!isLow && (ranked === null || best === null || ranked >= best)) return [];
  return [
    {
      ...of(line),
      kind: 'line_quality',
      values: { name: line.name, isLow },
      severity: isLow ? 'critical' : 'warning',
      since: (isLow ? line.statusCheckedAt : before?.loweredAt) ?? isoTime(now),
    },
  ];
}

/** How many contacts per day a line may write to first: `TIER_1K`, `TIER_UNLIMITED`. Null for an unknown tier. */
export function limitOf(word: string | undefined): number | null {
  const [, amount = '', thousands] = /^TIER_(\d+|UNLIMITED)(K?)$/i.exec(word ?? '') ?? [];
  if (!amount) return null;
  return /^\d+$/.test(amount) ? Number(amount) * (thousands ? 1_000 : 1) : Number.POSITIVE_INFINITY;
}

export const limitWord = (line: Line): string | undefined =>
  line.upstream?.whatsapp_business_manager_messaging_limit ?? line.upstream?.messaging_limit_tier;

/** Null: unlimited. */
const finite = (limit: number): number | null => (Number.isFinite(limit) ? limit : null);

function limit(line: Line, { marks, now }: LineFacts): Condition[] {
  const present = limitOf(limitWord(line));
  const before = bestOf(marks, 'line_limit', line);
  const most = limitOf(before?.best);
  if (present === null || most === null || present >= most) return [];
  return [
    {
      ...of(line),
      kind: 'line_limit',
      values: { name: line.name, limit: finite(present), before: finite(most) },
      severity: 'warning',
      since: before?.loweredAt ?? isoTime(now),
    },
  ];
}

/** The checks without which a line can neither send nor receive. */
const ESSENTIAL = ['registration', 'subscription', 'payment_method'] as const;

/** The results of the essential checks of a line. */
export const essentialChecks = (line: Line, checks: LineChecks | null, now: number): CheckResult[] =>
  ESSENTIAL.map((check) => judgePlatform(check, { line, isRefused: false, checks, now }));

function setup(line: Line, facts: LineFacts): Condition[] {
  // A number that is not connected has an alert of its own.
  const isConnected = connectionStateOf(line.upstream?.status ?? null) === 'connected';
  const failed = essentialChecks(line, facts.checks.get(line.id) ?? null, facts.now).filter(
    ({ check, state }) => state === 'failed' && (check !== 'registration' || isConnected),
  );
  if (!failed.length) return [];
  return [
    {
      ...of(line),
      kind: 'line_setup',
      values: { name: line.name, failed: failed.map(({ fact }) => fact) },
      severity: 'critical',
      since: facts.checks.get(line.id)?.at ?? line.statusCheckedAt ?? isoTime(facts.now),
    },
  ];
}

/** The last days of an access token, from which its expiry is more urgent. */
const WARNED_DAYS = 14;
const CRITICAL_DAYS = 3;

function urgencyOf(days: number): Condition['severity'] {
  if (days <= CRITICAL_DAYS) return 'critical';
  return days <= WARNED_DAYS ? 'warning' : 'info';
}

function expiring(line: Line, { refused, checks, now }: LineFacts): Condition[] {
  const token = checks.get(line.id)?.token;
  const at = token && 'value' in token ? token.value.expiresAt : null;
  // Once the platform refuses it, `line_credentials` says so.
  if (!at || refused.has(line.id)) return [];
  const days = daysUntil(at, now);
  if (days > EXPIRES_SOON) return [];
  return [
    {
      ...of(line),
      kind: 'access_token_expiring',
      values: { name: line.name, days: at <= isoTime(now) ? null : days },
      severity: urgencyOf(days),
      since: isoTime(now),
    },
  ];
}

/** The platform's restriction of a business account (`noteAccount`) with its time; null after its end. */
function accountWarning(
  wabaId: string,
  { marks, now }: Pick<LineFacts, 'marks' | 'now'>,
): { warning: Said; at: string } | null {
  const mark = marks.get(markKey({ kind: 'account', subject: wabaId }));
  if (!mark) return null;
  const { warning, sentence, until } = JSON.parse(mark.value) as AccountMark;
  return until <= isoTime(now) ? null : { warning: warning ?? sentence, at: mark.at };
}

function account(lines: Line[], facts: LineFacts): Condition[] {
  const [line] = lines;
  const warned = line && accountWarning(line.wabaId, facts);
  if (!warned) return [];
  return [
    {
      ...of(line),
      kind: 'line_restricted',
      values: {
        account: accountOf(lines),
        lineId: lines.length === 1 ? line.id : null,
        warning: warned.warning,
      },
      subject: `account ${line.wabaId}`,
      lineId: null,
      severity: 'critical',
      since: warned.at,
    },
  ];
}

/** A value that stays lower for this long becomes the new normal. */
export const LOWERED_FOR = 7 * DAY;

/** The marks to store after a check: the best values of a line, for comparison with later ones. */
export function newMarks({ lines, marks, now }: Pick<LineFacts, 'lines' | 'marks' | 'now'>): Mark[] {
  const at = isoTime(now);
  return lines.flatMap((line) => {
    const rating = line.upstream ? qualityOf(line.upstream.quality_rating) : undefined;
    const seen = [
      { kind: 'line_limit', value: limitWord(line), rank: limitOf },
      { kind: 'line_quality', value: rating, rank: rankOf },
    ];
    return seen.flatMap(({ kind, value, rank }) => {
      const present = rank(value);
      if (value === undefined || present === null) return [];
      const before = bestOf(marks, kind, line);
      const next = after(before, value, present >= (rank(before?.best) ?? 0), at, now);
      return next ? [{ kind, subject: String(line.id), value: JSON.stringify(next), at }] : [];
    });
  });
}

/** The new mark; null if unchanged. */
function after(before: Best | null, value: string, isAsGood: boolean, at: string, now: number): Best | null {
  if (before === null) return { best: value, loweredAt: null };
  if (isAsGood)
    return before.best === value && before.loweredAt === null ? null : { best: value, loweredAt: null };
  if (before.loweredAt === null) return { best: before.best, loweredAt: at };
  return now - Date.parse(before.loweredAt) > LOWERED_FOR ? { best: value, loweredAt: null } : null;
}
