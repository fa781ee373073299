import { type Line } from '../../lines/line';
import { type TokenRow } from '../../store/tables/tokens';
import { DAY, isoTime } from '../../time';
import { thresholdTime, type Rules } from '../rules';
import { type Condition } from './condition';

export interface TokenFacts {
  lines: Line[];
  /** Those that work, and those that expired lately. */
  tokens: TokenRow[];
  rules: Rules;
  now: number;
}

/** One that expired longer ago is missed by nobody. */
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

/** Those that another has replaced: they are to end. */
function replacedIds(tokens: TokenRow[]): Set<number> {
  const newest = new Map<number, number>();
  const families = tokens.map(({ id, first_id }) => ({ id, family: first_id ?? id }));
  for (const { id, family } of families) newest.set(family, Math.max(id, newest.get(family) ?? 0));
  return new Set(families.filter(({ id, family }) => id < (newest.get(family) ?? 0)).map(({ id }) => id));
}

export const nameOf = (line: Line, { name, last_four: lastFour }: TokenRow): string =>
  `${line.name}: token ${name ? `${name} ` : ''}…${lastFour}`;

const common = (line: Line, token: TokenRow) => ({
  subject: String(token.id),
  lineId: line.id,
  wabaId: line.wabaId,
  path: `/panel/tokens?line=${line.id}`,
  remedy: 'See its tokens',
  waiting: null,
  isTold: true,
});

function expiring(line: Line, token: TokenRow, rules: Rules, now: number): Condition[] {
  if (token.expires_at === null) return [];
  const left = Date.parse(token.expires_at) - now;
  if (left > thresholdTime('token_expiring', rules)) return [];
  const days = Math.ceil(left / DAY);
  const isOver = left <= 0;
  return [
    {
      ...common(line, token),
      kind: 'token_expiring',
      severity: isOver ? 'critical' : 'warning',
      title: `${nameOf(line, token)} ${isOver ? 'has expired' : `expires ${days === 1 ? 'within a day' : `in ${days} days`}`}`,
      text: isOver ? 'Programs that use it are rejected.' : 'Programs that use it are rejected from then on.',
      over: `${nameOf(line, token)} was replaced, or is gone`,
      action: 'Rotate it, and give the new one to what uses it. Where nothing does, revoke it.',
      since: isoTime(isOver ? Date.parse(token.expires_at) : now),
    },
  ];
}

function unused(line: Line, token: TokenRow, rules: Rules, now: number): Condition[] {
  const since = token.last_used_at ?? token.created_at;
  const isExpired = token.expires_at !== null && token.expires_at <= isoTime(now);
  if (isExpired || now - Date.parse(since) < thresholdTime('token_unused', rules)) return [];
  return [
    {
      ...common(line, token),
      kind: 'token_unused',
      severity: 'info',
      title: `${nameOf(line, token)} is not used`,
      text: token.last_used_at === null ? 'It was never used.' : 'It has not been used for long.',
      over: `${nameOf(line, token)} is used again, or gone`,
      action: 'Revoke it if nothing needs it.',
      since,
    },
  ];
}
