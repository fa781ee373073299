import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Scope } from '../store/schema';

/**
 * A line token: `gwl_`, 256 random bits in base64url, and a checksum of six characters, so that a typo can be
 * distinguished from a revoked token without a look-up, and secret scanners can recognise tokens.
 */
export interface NewLineToken {
  /** Shown once, stored nowhere. */
  token: string;
  hash: string;
  lastFour: string;
}

/** A valid token of a line, as the registry knows it. */
export interface LineToken {
  id: number;
  lastFour: string;
  scopes: readonly Scope[];
  /** `platform` for answers without the fields that the gateway adds. */
  answers: 'platform' | null;
  /** The id of the first token in its chain of replacements: they share what one of them added. */
  firstId: number;
}

const PREFIX = 'gwl_';
const FORM = /^gwl_([\w-]{43})([\w-]{6})$/;

export function createLineToken(): NewLineToken {
  const random = randomBytes(32).toString('base64url');
  const token = `${PREFIX}${random}${checksum(random)}`;
  return { token, hash: hashOf(token), lastFour: token.slice(-4) };
}

/** Whether form and checksum are right: a token that was not copied whole fails. */
export function isWellFormed(token: string): boolean {
  const [, random, sum] = FORM.exec(token) ?? [];
  return random !== undefined && checksum(random) === sum;
}

/** SHA-256, hex: what the database stores of a token. A look-up by the hash leaks nothing through its duration. */
export const hashOf = (token: string): string => hash('sha256', token, 'hex');

function checksum(random: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString('base64url');
}
