import { fact, type Fact } from '../wording/facts';
import { type Copied } from '../wording/issues';

/**
 * What is wrong with a secret or a value that somebody copied; null if nothing. A receiver compares it character by
 * character, and people do not see what differs.
 */
export const faultOfCopied = (text: string, what: Copied): Fact | null =>
  text !== text.trim() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? fact('copied.hidden', { what }) : null;

/**
 * The same of a credential of the platform, which has no spaces at all. One that was pasted over two lines reaches
 * nobody: each send would seem to time out.
 */
export const faultOfCredential = (text: string, what: Copied): Fact | null =>
  /\s/.test(text) ? fact('copied.spaces', { what }) : faultOfCopied(text, what);
