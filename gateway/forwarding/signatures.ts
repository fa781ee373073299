import { createHmac, randomBytes } from 'node:crypto';
import { hmacSha256, SIGNATURE_HEADER, signatureOf, type Hmac } from '../cloud-api/signature';

/** A new signing secret, in the form of Standard Webhooks: `whsec_` and 256 random bits in base64. */
export const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/**
 * The signature headers of one attempt, in two schemes:
 * - the platform's `X-Hub-Signature-256`, keyed with the secret's text, as the platform uses the app secret;
 * - Standard Webhooks (standardwebhooks.com), keyed with the decoded bytes after `whsec_`, or with the text of any
 * other secret.
 *
 * While a secret is being replaced, Standard Webhooks carries the signatures of all secrets. `X-Hub-Signature-256`
 * has room for one. The oldest secret signs it, so that a receiver that still uses that secret is not cut off.
 * @param secrets the current secret and the previous ones that still sign, newest first
 * @param eventId the same on every attempt
 * @param at milliseconds
 */
export function signatureHeaders(
  secrets: readonly [string, ...string[]],
  eventId: string,
  at: number,
  body: Buffer,
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const head = Buffer.from(`${eventId}.${timestamp}.`);
  const standard = secrets.map((secret) => `v1,${standardKeyOf(secret)('base64', head, body)}`);
  return {
    [SIGNATURE_HEADER]: signatureOf(body, secrets.at(-1) ?? secrets[0]),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  };
}

const standardKeyOf = (secret: string): Hmac =>
  secret.startsWith('whsec_') ? hmacSha256(secret.slice('whsec_'.length), 'base64') : hmacSha256(secret);

/** The handshake's `hub.verify_token`: derived from the secret, which must never be in a URL. */
export const verifyTokenOf = (secret: string): string =>
  createHmac('sha256', secret).update('hub.verify_token').digest('hex').slice(0, 32);
