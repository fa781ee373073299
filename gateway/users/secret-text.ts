import { hash, randomBytes } from 'node:crypto';

/** No letters that look alike. With 32 letters, a random byte gives each with the same probability. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Five random bits per letter, for texts that people read or type. */
export const randomLetters = (count: number): string =>
  [...randomBytes(count)].map((byte) => LETTERS[byte % 32]).join('');

/** 256 random bits, for a cookie or a one-time link. */
export const randomText = (): string => randomBytes(32).toString('base64url');

/**
 * SHA-256 in hex, which the database stores. The duration of a look-up by hash reveals nothing about the
 * text.
 */
export const hashOfText = (text: string): string => hash('sha256', text, 'hex');
