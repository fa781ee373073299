import { hash, timingSafeEqual } from 'node:crypto';
import { LruCache } from '../primitives/lru-cache';

/** The header with the signature, in the platform's notifications and in forwarded events. */
export const SIGNATURE_HEADER = 'x-hub-signature-256';

/** The platform's signature of a body: `sha256=` and the hex HMAC-SHA256 of its bytes, keyed with the secret's text. */
export const signatureOf = (body: Buffer, secret: string): string =>
  `sha256=${hmacSha256(secret)('hex', body)}`;

/** Whether the header signs these bytes with this secret. Compares in constant time. */
export function isSignedBy(secret: string, body: Buffer, header: string | undefined): boolean {
  const expected = Buffer.from(signatureOf(body, secret));
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Bytes of a block of SHA-256 and of its result. */
const BLOCK = 64;
const DIGEST = 32;

/** Signs the bytes of all parts, one after the other. */
export type Hmac = (encoding: 'hex' | 'base64', ...parts: Buffer[]) => string;

const prepared = { utf8: new LruCache<Hmac>(1_000), base64: new LruCache<Hmac>(1_000) };

/**
 * HMAC-SHA256 (RFC 2104) by two calls of `crypto.hash`. An event needs three, and `createHmac` takes twice as long for
 * each: it makes a stream, and OpenSSL looks up its parts again.
 * @param key a text; with `base64`, bytes in this form
 */
export function hmacSha256(key: string, form: 'utf8' | 'base64' = 'utf8'): Hmac {
  const known = prepared[form].get(key);
  if (known) return known;
  const made = hmacBy(Buffer.from(key, form));
  prepared[form].set(key, made);
  return made;
}

function hmacBy(key: Buffer): Hmac {
  const block = Buffer.alloc(BLOCK);
  (key.length > BLOCK ? hash('sha256', key, 'buffer') : key).copy(block);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = Buffer.concat([block.map((byte) => byte ^ 0x5c), Buffer.alloc(DIGEST)]);
  return (encoding, ...parts) => {
    outer.write(hash('sha256', Buffer.concat([inner, ...parts]), 'binary'), BLOCK, 'latin1');
    return hash('sha256', outer, encoding);
  };
}
