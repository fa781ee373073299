import { randomBytes } from 'node:crypto';
import { hashOfText } from './secret-text';

const CODES = 10;

/** Ten codes of 60 random bits, as `x7k2m-4fh9q-…`, to be kept on paper; the database gets their hashes. */
export function createRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const plain = Array.from({ length: CODES }, () =>
    [...randomBytes(12)].map((byte) => LETTERS[byte % 32]).join(''),
  );
  return {
    codes: plain.map((code) => code.replace(/.{4}(?=.)/g, '$&-')),
    hashes: plain.map(hashOfText),
  };
}

/** Without those that are taken for each other. Thirty-two, so that each byte gives each as often. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
