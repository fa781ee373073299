/**
 * What is wrong with a secret or a value that somebody copied, as the end of a sentence; null if nothing. A receiver
 * compares it character by character, and people do not see what differs.
 */
export const faultOfCopied = (text: string): string | null =>
  text !== text.trim() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
    ? 'has a space at an end, a line break or an invisible character. Copy it again, in one line.'
    : null;

/**
 * The same of a credential of the platform, which has no spaces at all. One that was pasted over two lines reaches
 * nobody: each send would seem to time out.
 */
export const faultOfCredential = (text: string): string | null =>
  /\s/.test(text) ? 'contains a space or a line break. Copy it again, in one line.' : faultOfCopied(text);
