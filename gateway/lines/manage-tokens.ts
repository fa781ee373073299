import { type Tables } from '../store/database';
import { type TokenRow } from '../store/tokens';
import { DAY, isoTime, type Clock } from '../time';
import { createLineToken } from './line-token';

export interface TokenDeps {
  store: Pick<Tables, 'tokens'>;
  clock: Clock;
}

/** How long a token that is replaced still opens its line where nothing else is said. */
export const TOKEN_OVERLAP = DAY;

/** @param expiresAt ISO time, or null. @returns the token, which is told here and never again */
export async function addToken(
  { store, clock }: TokenDeps,
  lineId: number,
  expiresAt: string | null,
): Promise<string> {
  const { token, hash, lastFour } = createLineToken();
  await store.tokens.insert({
    line_id: lineId,
    hash,
    last_four: lastFour,
    created_at: isoTime(clock()),
    expires_at: expiresAt,
  });
  return token;
}

/** What came of a rotation: the new token, which is told here and never again, and until when the one before works. */
export interface Rotated {
  before: TokenRow;
  token: string;
  /** ISO time at which the new one ends, or null. */
  expiresAt: string | null;
  /** Of the one before: ISO time; null where it works no longer. */
  until: string | null;
}

/**
 * Replaces a token by another of the same line, which lives as long as that one was to. The one before goes on working for a while, so that whoever uses it can
 * take his time; never for longer than it would have.
 * @param overlap milliseconds; 0 for none
 * @returns null where there is no such token, or it works no longer
 */
export async function rotateToken(
  deps: TokenDeps,
  id: number,
  overlap: number = TOKEN_OVERLAP,
): Promise<Rotated | null> {
  const { store, clock } = deps;
  const now = clock();
  const before = await store.tokens.find(id);
  if (!before || stateOfToken(before, isoTime(now)) !== 'active') return null;
  const expiresAt =
    before.expires_at === null
      ? null
      : isoTime(now + Date.parse(before.expires_at) - Date.parse(before.created_at));
  const token = await addToken(deps, before.line_id, expiresAt);
  if (overlap <= 0) {
    await store.tokens.revoke(id, isoTime(now));
    return { before, token, expiresAt, until: null };
  }
  const end = isoTime(now + overlap);
  const until = before.expires_at !== null && before.expires_at < end ? before.expires_at : end;
  await store.tokens.expire(id, until);
  return { before, token, expiresAt, until };
}

export type TokenState = 'active' | 'expired' | 'revoked';

/** @param now ISO time */
export function stateOfToken(
  { revoked_at: revokedAt, expires_at: expiresAt }: Pick<TokenRow, 'revoked_at' | 'expires_at'>,
  now: string,
): TokenState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}
