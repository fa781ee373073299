import { Issues } from '../primitives/issues';
import { SCOPES, type Scope } from '../store/schema';
import { isoTime, timeIn } from '../time';
import { fact } from '../wording/facts';

/** The submitted fields of a new token. */
export interface TokenInput {
  /** The operator's name for what uses the token. */
  name?: string | null;
  /** `USUAL_SCOPES` if omitted. */
  scopes?: readonly string[] | null;
  /** `platform` for clients that reject fields unknown to the platform. */
  answers?: string | null;
  /** A time; null if the token never expires. */
  expiresAt?: string | null;
}

/** The validated fields. */
export interface TokenValues {
  name: string | null;
  scopes: readonly Scope[] | null;
  answers: 'platform' | null;
  /** ISO time. */
  expiresAt: string | null;
}

export const LONGEST_NAME = 60;

/**
 * Validates the fields of a new token, for every interface.
 * @param now milliseconds
 * @throws Refusal with all issues, by field
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
