import { fact, type Fact } from '../wording/facts';
import { type Copied } from '../wording/issues';

/**
 * The fault of a pasted secret or value; null if there is none. Receivers compare it character by character, and
 * invisible differences are hard to find.
 */
export const faultOfCopied = (text: string, what: Copied): Fact | null =>
  text !== text.trim() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? fact('copied.hidden', { what }) : null;

/**
 * The fault of a pasted platform credential, which has no spaces at all. With a line break in the token, every send
 * would seem to time out.
 */
export const faultOfCredential = (text: string, what: Copied): Fact | null =>
  /\s/.test(text) ? fact('copied.spaces', { what }) : faultOfCopied(text, what);
