import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Scope } from '../store/schema';

/**
 * A line token: `gwl_`, 256 random bits in base64url, and a checksum of six characters. The checksum distinguishes a
 * typo from a revoked token without a look-up, and helps secret scanners recognise tokens.
 */
export interface NewLineToken {
  /** Shown once and never stored. */
  token: string;
  hash: string;
  lastFour: string;
}

/** A valid token of a line, as held by the registry. */
export interface LineToken {
  id: number;
  lastFour: string;
  scopes: readonly Scope[];
  /** `platform` for responses without the gateway's fields. */
  answers: 'platform' | null;
  /** The first token in the chain of replacements, whose tokens share their registrations. */
  firstId: number;
  /** ISO time; null if it never expires. */
  expiresAt: string | null;
}

const PREFIX = 'gwl_';
const FORM = /^gwl_([\w-]{43})([\w-]{6})$/;

export function createLineToken(): NewLineToken {
  const random = randomBytes(32).toString('base64url');
  const token = `${PREFIX}${random}${checksum(random)}`;
  return { token, hash: hashOf(token), lastFour: token.slice(-4) };
}

/** Whether format and checksum are correct, which detects incompletely copied tokens. */
export function isWellFormed(token: string): boolean {
  const [, random, sum] = FORM.exec(token) ?? [];
  return random !== undefined && checksum(random) === sum;
}

/** SHA-256 in hex, as stored in the database. The duration of a look-up by hash reveals nothing about the token. */
export const hashOf = (token: string): string => hash('sha256', token, 'hex');

function checksum(random: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString('base64url');
}
