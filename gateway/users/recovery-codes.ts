import { hashOfText, randomLetters } from './secret-text';

const CODES = 10;

/**
 * Makes ten codes of 60 random bits, such as `x7k2m-4fh9q-…`, to keep on paper. The database stores their
 * hashes.
 */
export function createRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const plain = Array.from({ length: CODES }, () => randomLetters(12));
  return {
    codes: plain.map((code) => code.replace(/.{4}(?=.)/g, '$&-')),
    hashes: plain.map(hashOfText),
  };
}
