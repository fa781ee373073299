import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * A token: a prefix, 256 random bits in base64url, and a checksum of six characters. The checksum distinguishes a typo
 * from a revoked token without a look-up, and helps secret scanners recognise tokens.
 */
export interface NewToken {
  /** Shown once and never stored. */
  token: string;
  hash: string;
  lastFour: string;
}

/** @param prefix such as `gwl_` */
export function tokenFormat(prefix: string) {
  const form = new RegExp(`^${prefix}([\\w-]{43})([\\w-]{6})$`);
  return {
    create(this: void): NewToken {
      const random = randomBytes(32).toString('base64url');
      const token = `${prefix}${random}${checksum(random)}`;
      return { token, hash: hashOf(token), lastFour: token.slice(-4) };
    },

    /** Whether the token has the prefix, but a character is wrong or missing. */
    isMistyped(this: void, token: string): boolean {
      if (!token.startsWith(prefix)) return false;
      const [, random, sum] = form.exec(token) ?? [];
      return random === undefined || checksum(random) !== sum;
    },
  };
}

/** SHA-256 in hex, as stored in the database. The duration of a look-up by hash reveals nothing about the token. */
export const hashOf = (token: string): string => hash('sha256', token, 'hex');

function checksum(random: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString('base64url');
}
