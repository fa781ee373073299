import { randomBytes } from 'node:crypto';
import { hashOfText } from './secret-text';

const CODES = 10;

/**
 * Makes ten codes of 60 random bits, such as `x7k2m-4fh9q-…`, to keep on paper. The database stores their
 * hashes.
 */
export function createRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const plain = Array.from({ length: CODES }, () =>
    [...randomBytes(12)].map((byte) => LETTERS[byte % 32]).join(''),
  );
  return {
    codes: plain.map((code) => code.replace(/.{4}(?=.)/g, '$&-')),
    hashes: plain.map(hashOfText),
  };
}

/** No letters that look alike. With 32 letters, a random byte gives each with the same probability. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
