import { tokenFormat } from '../primitives/token-format';
import { type Scope } from '../store/schema';

/** A valid token of a line, as held by the registry. */
export interface LineToken {
  kind: 'line';
  id: number;
  lastFour: string;
  scopes: readonly Scope[];
  /** `platform` for responses without the gateway's fields. */
  answers: 'platform' | null;
  /** The first token in the chain of replacements, whose tokens share their registrations. */
  firstId: number;
  /** ISO time; null if it never expires. */
  expiresAt: string | null;
}

export const LINE_TOKENS = tokenFormat('gwl_');
