import { randomBytes } from 'node:crypto';
import { hashOfText } from './secret-text';

const CODES = 10;

/** Makes ten codes of 60 random bits, such as `x7k2m-4fh9q-…`, to be kept on paper. The database stores their hashes. */
export function createRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const plain = Array.from({ length: CODES }, () =>
    [...randomBytes(12)].map((byte) => LETTERS[byte % 32]).join(''),
  );
  return {
    codes: plain.map((code) => code.replace(/.{4}(?=.)/g, '$&-')),
    hashes: plain.map(hashOfText),
  };
}

/** Without letters that look alike. There are 32, so that a random byte gives each equally often. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
