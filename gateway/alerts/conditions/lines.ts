import { connectionStateOf, qualityOf, type Quality } from '../../cloud-api/phone-number';
import { lineHealth, RESTRICTED, type LineHealth } from '../../lines/health';
import { type Line } from '../../lines/line';
import { DAY, isoTime } from '../../time';
import { type Condition } from './condition';

export interface LineFacts {
  lines: Line[];
  /** Lines whose access token the platform refuses, by id. */
  refused: ReadonlyMap<number, RefusedCredentials>;
  /** What was seen last: `line_limit` and `line_quality` of a line, `account` of a business account. */
  marks: ReadonlyMap<string, Mark>;
  now: number;
}

interface RefusedCredentials {
  credentials_refused_at: string | null;
  credentials_refused_because: string | null;
}

/** What was seen last of something of which a change is what matters. */
export interface Mark {
  kind: string;
  subject: string;
  value: string;
  /** ISO time. */
  at: string;
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
    ]),
    ...account(lines, facts),
  ]);
}

/** Of a business account of one line, the line's; of several none may be named: each may be another customer's. */
export const accountName = ([line, ...others]: Line[]): string =>
  !others.length && line ? line.name : `business account ${line?.wabaId ?? ''}`;

const of = (
  line: Line,
): Pick<Condition, 'subject' | 'lineId' | 'wabaId' | 'path' | 'remedy' | 'waiting' | 'isTold'> => ({
  subject: String(line.id),
  lineId: line.id,
  wabaId: line.wabaId,
  path: `/panel/lines/${line.id}`,
  remedy: 'Look at the line',
  waiting: null,
  isTold: true,
});

/** The state of a line by the same facts as its alerts. */
export const healthOf = (
  line: Parameters<typeof lineHealth>[0] & Pick<Line, 'id' | 'wabaId'>,
  facts: Omit<LineFacts, 'lines'>,
): LineHealth =>
  lineHealth(line, {
    credentialsRefused: facts.refused.has(line.id),
    accountRestricted: accountWarning(line.wabaId, facts) !== null,
  });

function credentials(line: Line, { refused, now }: LineFacts): Condition[] {
  const common = {
    ...of(line),
    kind: 'line_credentials' as const,
    severity: 'critical' as const,
    over: `${line.name} has an access token that works`,
    path: `/panel/lines/${line.id}/edit`,
    remedy: 'Add access token',
  };
  if (line.accessToken === null)
    return [
      {
        ...common,
        title: `${line.name} has no access token`,
        text: 'Nothing can be sent through it.',
        action: 'Enter the access token of the platform.',
        since: isoTime(now),
      },
    ];
  const refusal = refused.get(line.id);
  if (!refusal) return [];
  const { credentials_refused_at: at, credentials_refused_because: because } = refusal;
  return [
    {
      ...common,
      title: `WhatsApp refuses the access token of ${line.name}`,
      text: `Nothing can be sent through it.${because ? ` WhatsApp says: ${because.replace(/[.\s]*$/, '.')}` : ''}`,
      action: 'Make another access token at the platform, and enter it.',
      since: at ?? isoTime(now),
    },
  ];
}

function connection(line: Line, now: number): Condition[] {
  const word = line.upstream?.status ?? null;
  const state = connectionStateOf(word);
  const common = { ...of(line), since: line.statusCheckedAt ?? isoTime(now) };
  if (state !== 'connected' && state !== 'unknown')
    return [
      {
        ...common,
        kind: 'line_disconnected',
        severity: 'critical',
        title: `${line.name} is not connected`,
        text: `WhatsApp says ${word ?? 'nothing'} of its number.`,
        over: `${line.name} is connected again`,
        action: 'Check the number in WhatsApp Manager.',
      },
    ];
  const restricted = RESTRICTED[word?.toUpperCase() ?? ''];
  if (restricted === undefined) return [];
  return [
    {
      ...common,
      kind: 'line_restricted',
      severity: 'warning',
      title: `${line.name} is restricted`,
      text: `WhatsApp says ${word} of its number. ${restricted}`,
      over: `${line.name} is restricted no longer`,
      action: 'Write only to those who expect it until that is over.',
    },
  ];
}

const RANKS: Record<Quality, number | null> = { UNKNOWN: null, LOW: 0, MEDIUM: 1, HIGH: 2 };
const rankOf = (word: string | undefined): number | null => RANKS[(word ?? 'UNKNOWN') as Quality] ?? null;

/** The value of a mark of what may be lowered: the best that was seen, and since when there is less (ISO time). */
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
  const common = {
    ...of(line),
    kind: 'line_quality' as const,
    over: `${line.name} is rated as before`,
    action: 'Write only to those who expect it until that recovers.',
  };
  if (rating === 'LOW')
    return [
      {
        ...common,
        severity: 'critical',
        title: `The quality of ${line.name} is low`,
        text: 'Too many people blocked or reported it, so that the gateway sends nothing through it.',
        since: line.statusCheckedAt ?? isoTime(now),
      },
    ];
  const [ranked, best] = [rankOf(rating), rankOf(before?.best)];
  if (ranked === null || best === null || ranked >= best) return [];
  return [
    {
      ...common,
      severity: 'warning',
      title: `The quality of ${line.name} went down to medium`,
      text: 'People blocked or reported it. Where it becomes low, the gateway sends nothing through it.',
      since: before?.loweredAt ?? isoTime(now),
    },
  ];
}

/** How many people a day a line may write to first: `TIER_1K`, `TIER_UNLIMITED`. Null for a word that is not known. */
export function limitOf(word: string | undefined): number | null {
  const [, amount = '', thousands] = /^TIER_(\d+|UNLIMITED)(K?)$/i.exec(word ?? '') ?? [];
  if (!amount) return null;
  return /^\d+$/.test(amount) ? Number(amount) * (thousands ? 1_000 : 1) : Number.POSITIVE_INFINITY;
}

export const limitWord = (line: Line): string | undefined =>
  line.upstream?.whatsapp_business_manager_messaging_limit ?? line.upstream?.messaging_limit_tier;

const people = (limit: number): string =>
  Number.isFinite(limit) ? limit.toLocaleString('en') : 'any number of';

function limit(line: Line, { marks, now }: LineFacts): Condition[] {
  const present = limitOf(limitWord(line));
  const before = bestOf(marks, 'line_limit', line);
  const most = limitOf(before?.best);
  if (present === null || most === null || present >= most) return [];
  return [
    {
      ...of(line),
      kind: 'line_limit',
      severity: 'warning',
      title: `${line.name} may write to fewer people`,
      text: `WhatsApp lets it begin conversations with ${people(present)} people a day; before it were ${people(most)}.`,
      over: `${line.name} has its messaging limit back`,
      action: 'Send less, and only to those who expect it: the limit grows again with good quality.',
      since: before?.loweredAt ?? isoTime(now),
    },
  ];
}

/** What the platform reported against a business account (`noteAccount`), and when; null once that is over. */
function accountWarning(
  wabaId: string,
  { marks, now }: Pick<LineFacts, 'marks' | 'now'>,
): { sentence: string; at: string } | null {
  const mark = marks.get(markKey({ kind: 'account', subject: wabaId }));
  if (!mark) return null;
  const { sentence, until } = JSON.parse(mark.value) as { sentence: string; until: string };
  return until <= isoTime(now) ? null : { sentence, at: mark.at };
}

function account(lines: Line[], facts: LineFacts): Condition[] {
  const [line] = lines;
  const warning = line && accountWarning(line.wabaId, facts);
  if (!warning) return [];
  const ofAccount = lines.length === 1 ? `the business account of ${line.name}` : accountName(lines);
  return [
    {
      ...of(line),
      kind: 'line_restricted',
      subject: `account ${line.wabaId}`,
      lineId: null,
      // Of several lines, the overview has them all.
      path: lines.length === 1 ? `/panel/lines/${line.id}` : '/panel/lines',
      severity: 'critical',
      title: `WhatsApp has restricted ${ofAccount}`,
      text: warning.sentence,
      over: `WhatsApp reports no restriction of ${ofAccount} any more`,
      action: 'Read in the WhatsApp Manager why, and ask for a review there.',
      since: warning.at,
    },
  ];
}

/** What stays lower for so long is what it is. */
export const LOWERED_FOR = 7 * DAY;

/** What has to be marked after a look: the best that was seen of a line, which what is lower is held against. */
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

/** Null where it stays as it is. */
function after(before: Best | null, value: string, isAsGood: boolean, at: string, now: number): Best | null {
  if (before === null) return { best: value, loweredAt: null };
  if (isAsGood)
    return before.best === value && before.loweredAt === null ? null : { best: value, loweredAt: null };
  if (before.loweredAt === null) return { best: before.best, loweredAt: at };
  return now - Date.parse(before.loweredAt) > LOWERED_FOR ? { best: value, loweredAt: null } : null;
}
