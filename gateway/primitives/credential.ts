/**
 * What is wrong with a credential of the platform, as the end of a sentence; null if nothing. One that was pasted over
 * two lines reaches nobody: each send would seem to time out.
 */
export const faultOfCredential = (text: string): string | null =>
  /\s/.test(text.trim()) ? 'contains a space or a line break. Copy it again, in one line.' : null;
