import { type Line } from '../../lines/line';
import { type TokenRow } from '../../store/tables/tokens';
import { DAY, isoTime } from '../../time';
import { type NamedToken } from '../../wording/facts';
import { thresholdTime, type Kinds, type Rules } from './kind';
import { type Condition } from './condition';

export const tokenKinds = {
  token_expiring: { threshold: { of: 'days', default: 7, most: 365 } },
  token_unused: { threshold: { of: 'days', default: 90, most: 3_650 } },
} satisfies Kinds;

export interface TokenFacts {
  lines: Line[];
  /** Valid tokens, and recently expired ones. */
  tokens: TokenRow[];
  rules: Rules;
  now: number;
}

/** Tokens that expired longer ago are considered unused. */
export const EXPIRED_FOR = 3 * DAY;

export function tokenConditions({ lines, tokens, rules, now }: TokenFacts): Condition[] {
  const lineById = new Map(lines.map((line) => [line.id, line]));
  const replaced = replacedIds(tokens);
  return tokens.flatMap((token) => {
    const line = lineById.get(token.line_id);
    if (!line?.isActive || replaced.has(token.id)) return [];
    return [...expiring(line, token, rules, now), ...unused(line, token, rules, now)];
  });
}

/** Replaced tokens, which are meant to expire. */
function replacedIds(tokens: TokenRow[]): Set<number> {
  const newest = new Map<number, number>();
  const families = tokens.map(({ id, first_id }) => ({ id, family: first_id ?? id }));
  for (const { id, family } of families) newest.set(family, Math.max(id, newest.get(family) ?? 0));
  return new Set(families.filter(({ id, family }) => id < (newest.get(family) ?? 0)).map(({ id }) => id));
}

export const named = (line: Line, { name, last_four: lastFour }: TokenRow): NamedToken => ({
  line: line.name,
  name: name || null,
  lastFour,
});

const common = (line: Line, token: TokenRow) => ({
  subject: String(token.id),
  lineId: line.id,
  wabaId: line.wabaId,
  waiting: null,
  isTold: true,
});

function expiring(line: Line, token: TokenRow, rules: Rules, now: number): Condition[] {
  if (token.expires_at === null) return [];
  const left = Date.parse(token.expires_at) - now;
  if (left > thresholdTime(tokenKinds.token_expiring, rules.token_expiring)) return [];
  const isOver = left <= 0;
  return [
    {
      ...common(line, token),
      kind: 'token_expiring',
      values: { token: named(line, token), days: isOver ? null : Math.ceil(left / DAY) },
      severity: isOver ? 'critical' : 'warning',
      since: isoTime(isOver ? Date.parse(token.expires_at) : now),
    },
  ];
}

function unused(line: Line, token: TokenRow, rules: Rules, now: number): Condition[] {
  const since = token.last_used_at ?? token.created_at;
  const isExpired = token.expires_at !== null && token.expires_at <= isoTime(now);
  if (isExpired || now - Date.parse(since) < thresholdTime(tokenKinds.token_unused, rules.token_unused))
    return [];
  return [
    {
      ...common(line, token),
      kind: 'token_unused',
      values: { token: named(line, token), wasUsed: token.last_used_at !== null },
      severity: 'info',
      since,
    },
  ];
}
