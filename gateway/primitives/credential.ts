import { fact, type Fact } from '../wording/facts';
import { type Copied } from '../wording/issues';

/**
 * The fault of a copied secret or value; null if there is none. A receiver compares it character by
 * character, and people do not see the difference.
 */
export const faultOfCopied = (text: string, what: Copied): Fact | null =>
  text !== text.trim() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? fact('copied.hidden', { what }) : null;

/**
 * The same of a credential of the platform, which has no spaces at all. One that was pasted over two lines reaches
 * nobody: each send would seem to time out.
 */
export const faultOfCredential = (text: string, what: Copied): Fact | null =>
  /\s/.test(text) ? fact('copied.spaces', { what }) : faultOfCopied(text, what);
