import { Issues } from '../primitives/issues';
import { SCOPES, type Scope } from '../store/schema';
import { isoTime, timeIn } from '../time';
import { fact } from '../wording/facts';

/** What was entered of a new token. */
export interface TokenInput {
  /** What uses it, in the operator's words. */
  name?: string | null;
  /** All if none are given. */
  scopes?: readonly string[] | null;
  /** `platform` for clients that refuse fields which the platform does not have. */
  answers?: string | null;
  /** A time; null if it works until it is revoked. */
  expiresAt?: string | null;
}

/** The same, judged. */
export interface TokenValues {
  name: string | null;
  scopes: readonly Scope[] | null;
  answers: 'platform' | null;
  /** ISO time. */
  expiresAt: string | null;
}

export const LONGEST_NAME = 60;

/**
 * Judges what was entered of a new token, for every edge.
 * @param now milliseconds
 * @throws Refusal with all that is wrong, by field
 */
export function tokenInput(given: TokenInput, now: number): TokenValues {
  const { scopes = null, answers, expiresAt = null } = given;
  const name = given.name?.trim() || null;
  const issues = new Issues();
  if (name !== null) issues.addName(name, LONGEST_NAME);
  issues.addChoices('scopes', SCOPES, scopes);
  issues.addChoice('answers', ['gateway', 'platform'], answers);
  const expires = expiresAt === null ? null : timeIn(expiresAt);
  if (Number.isNaN(expires)) issues.add('expires_at', 'time', fact('date.invalid', {}));
  if (expires !== null && expires <= now) issues.add('expires_at', 'time', fact('date.past', {}));
  issues.check();
  return {
    name,
    scopes: scopes as readonly Scope[] | null,
    answers: answers === 'platform' ? 'platform' : null,
    expiresAt: expires === null ? null : isoTime(expires),
  };
}
