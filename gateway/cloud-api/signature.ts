import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** The header with the signature, in the platform's notifications and in forwarded events. */
export const SIGNATURE_HEADER = 'x-hub-signature-256';

/** The platform's signature of a body: `sha256=` and the hex HMAC-SHA256 of its bytes. */
export const signatureOf = (body: Buffer | string, secret: KeyObject | string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Whether the header signs these bytes with this secret. Compares in constant time. */
export function isSignedBy(secret: string, body: Buffer, header: string | undefined): boolean {
  const expected = Buffer.from(signatureOf(body, secret));
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
