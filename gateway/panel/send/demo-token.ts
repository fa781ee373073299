import { hashOf } from '../../primitives/token-format';
import { type UserContext } from '../request-context';

/**
 * The token of the demo line of `npm start`, while it is valid. Null for other lines, whose tokens are stored
 * only as hashes, and for users who may not see it.
 */
export function demoTokenOf({ deps, may }: UserContext, line: { id: number }): string | null {
  const { demoToken, lines } = deps;
  if (demoToken === null || !may('tokens.manage', line.id)) return null;
  return lines.openedBy(hashOf(demoToken))?.line.id === line.id ? demoToken : null;
}
