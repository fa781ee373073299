import { overlapHours } from '../primitives/overlap';
import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps } from '../store/with-audit';
import { type Tables } from '../store/store';
import { SCOPES, USUAL_SCOPES, type Scope } from '../store/schema';
import { type NewTokenRow, type TokenRow } from '../store/tables/tokens';
import { HOUR, isoTime, SECOND, type Clock } from '../time';
import { LINE_TOKENS } from './line-token';
import { tokenInput, type TokenInput, type TokenValues } from './token-input';

/** Dependencies inside a transaction. */
interface TokenDeps {
  store: Pick<Tables, 'tokens'>;
  clock: Clock;
}

export interface MadeToken {
  id: number;
  row: TokenRow;
  /** Never stored; the caller shows it once. */
  token: string;
}

/**
 * Creates a token of a line.
 * @param by the program that created the token, if not a user
 * @throws Refusal with all issues, by field
 */
export async function createToken(
  deps: AuditedDeps,
  actor: Actor,
  lineId: number,
  given: TokenInput = {},
  by?: string,
): Promise<MadeToken> {
  const values = tokenInput(given, deps.clock());
  return audited<MadeToken>(
    deps,
    actor,
    ({ token }) => ({
      action: 'token.created',
      lineId,
      details: {
        token: ending(token),
        ...(values.name && { name: values.name }),
        ...(isUnusual(values.scopes) && { scopes: values.scopes }),
        ...(values.answers && { answers: values.answers }),
        ...(values.expiresAt && { expires_at: values.expiresAt }),
        ...(by !== undefined && { by }),
      },
    }),
    (transaction) => addToken({ ...deps, ...transaction }, lineId, values),
  );
}

/** Revokes a token, which a running gateway then refuses immediately. @returns whether the token was valid before */
export const revokeToken = (deps: AuditedDeps, actor: Actor, id: number): Promise<boolean> =>
  audited<TokenRow | null>(
    deps,
    actor,
    (token) =>
      token && {
        action: 'token.revoked',
        lineId: token.line_id,
        details: { token: `…${token.last_four}`, ...(token.name && { name: token.name }) },
      },
    async ({ store }) => {
      const token = await store.tokens.find(id);
      return token && (await store.tokens.revoke(id, isoTime(deps.clock()))) ? token : null;
    },
  ).then((token) => token !== null);

/** How the audit names a token. */
const ending = (token: string): string => `…${token.slice(-4)}`;

const isUsual = (scope: Scope): boolean => USUAL_SCOPES.some((one) => one === scope);

/** Whether the scopes differ from those of a token for which none are named. */
const isUnusual = (scopes: readonly Scope[] | null): scopes is readonly Scope[] =>
  scopes !== null && SCOPES.some((scope) => scopes.includes(scope) !== isUsual(scope));

/** Inserts a token inside a transaction. */
export function addToken(
  deps: TokenDeps,
  lineId: number,
  { expiresAt = null, name = null, scopes = null, answers = null }: Partial<TokenValues> = {},
): Promise<MadeToken> {
  const lifetime = expiresAt === null ? null : Math.round((Date.parse(expiresAt) - deps.clock()) / SECOND);
  return insertToken(deps, {
    line_id: lineId,
    name,
    scopes: isUnusual(scopes) ? JSON.stringify(SCOPES.filter((scope) => scopes.includes(scope))) : null,
    answers,
    lifetime,
    expires_at: expiresAt,
  });
}

async function insertToken(
  { store, clock }: TokenDeps,
  row: Omit<NewTokenRow, 'hash' | 'last_four' | 'created_at'>,
): Promise<MadeToken> {
  const { token, hash, lastFour } = LINE_TOKENS.create();
  const made = await store.tokens.insert({
    ...row,
    hash,
    last_four: lastFour,
    created_at: isoTime(clock()),
  });
  return { id: made.id, row: made, token };
}

/** The result of a rotation: the new token, and the end of the previous one. */
export interface Rotated extends MadeToken {
  before: TokenRow;
  /** ISO time at which the new token expires, or null. */
  expiresAt: string | null;
  /** ISO time until which the previous token is valid; null if it no longer is. */
  until: string | null;
}

/**
 * Replaces a token with a new one of the same line, name, scopes, `answers` and lifetime. The previous token remains
 * valid for a while so that its user has time to change, but never beyond its own expiry.
 * @param overlap hours for which the previous token remains valid; 0: not at all
 * @returns null if the token does not exist or is no longer valid
 * @throws Refusal
 */
export async function rotateToken(
  deps: AuditedDeps,
  actor: Actor,
  id: number,
  overlap?: number | string,
): Promise<Rotated | null> {
  const hours = overlapHours(overlap);
  return audited<Rotated | null>(
    deps,
    actor,
    (done) =>
      done && {
        action: 'token.rotated',
        lineId: done.before.line_id,
        details: {
          token: ending(done.token),
          replaces: `…${done.before.last_four}`,
          ...(done.before.name && { name: done.before.name }),
          expires_at: done.expiresAt,
          works_until: done.until ?? 'now',
        },
      },
    (transaction) => replaceToken({ ...deps, ...transaction }, id, hours * HOUR),
  );
}

/** @param overlap milliseconds */
async function replaceToken(deps: TokenDeps, id: number, overlap: number): Promise<Rotated | null> {
  const { store, clock } = deps;
  const now = clock();
  const before = await store.tokens.find(id);
  if (!before || stateOfToken(before, isoTime(now)) !== 'active') return null;
  const { line_id, name, scopes, answers, lifetime } = before;
  const expiresAt = lifetime === null ? null : isoTime(now + lifetime * SECOND);
  const made = await insertToken(deps, {
    line_id,
    name,
    scopes,
    answers,
    lifetime,
    first_id: before.first_id ?? id,
    expires_at: expiresAt,
  });
  if (overlap <= 0) {
    await store.tokens.revoke(id, isoTime(now));
    return { ...made, before, expiresAt, until: null };
  }
  const end = isoTime(now + overlap);
  const until = before.expires_at !== null && before.expires_at < end ? before.expires_at : end;
  await store.tokens.expire(id, until);
  return { ...made, before, expiresAt, until };
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
