import { hashOf } from '../../lines/line-token';
import { type UserContext } from '../request-context';

/**
 * The token that `npm start` keeps for its demo line, while it opens that line: null for any other line, and for those who
 * may only look. No other token is known here: of those the database has a hash alone.
 */
export function demoTokenOf({ deps, mayChange }: UserContext, line: { id: number }): string | null {
  const { demoToken, lines } = deps;
  if (demoToken === null || !mayChange) return null;
  return lines.openedBy(hashOf(demoToken))?.line.id === line.id ? demoToken : null;
}
