import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { SECOND } from '../time';
import { hashOfText, randomLetters } from './secret-text';

/** RFC 6238 as in every authenticator app: SHA-1, six digits, a new code every 30 seconds. */
const STEP = 30 * SECOND;
const DIGITS = 6;
/** Time steps that a phone's clock may be off. */
const DRIFT = 1;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 160 random bits in base32, the format of authenticator apps. */
export const createTotpSecret = (): string => base32(randomBytes(20));

/** The code of one time step. @param secret base32 */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/** The time step (previous, current, next) whose code this is; null if none. */
export function stepOfCode(secret: string, code: string, now: number): number | null {
  const given = Buffer.from(code.padEnd(DIGITS).slice(0, DIGITS + 1));
  const current = Math.floor(now / STEP);
  let found: number | null = null;
  for (let step = current - DRIFT; step <= current + DRIFT; step++) {
    const right = Buffer.from(totpCode(secret, step));
    // Compares every step, so that the time taken reveals nothing.
    if (given.length === right.length && timingSafeEqual(given, right)) found = step;
  }
  return found;
}

/** The URL in the QR code that the app scans. */
export const otpauthUrl = (secret: string, name: string): string =>
  `otpauth://totp/${encodeURIComponent('Messaging Gateway')}:${encodeURIComponent(name)}?secret=${secret}&issuer=${encodeURIComponent('Messaging Gateway')}`;

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => ALPHABET[parseInt(five, 2)] ?? '');
}

function bytesOf(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}

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
