import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { SIGNATURE_HEADER, signatureOf } from '../cloud-api/signature';
import { LruCache } from '../primitives/lru-cache';

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
  const head = `${eventId}.${timestamp}.`;
  const standard = secrets.map((secret) => {
    const signature = createHmac('sha256', keysOf(secret).standard).update(head).update(body);
    return `v1,${signature.digest('base64')}`;
  });
  return {
    [SIGNATURE_HEADER]: signatureOf(body, keysOf(secrets.at(-1) ?? secrets[0]).platform),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  };
}

/** Cached keys: preparing a key takes as long as signing. */
const preparedKeys = new LruCache<{ platform: KeyObject; standard: KeyObject }>(1_000);

function keysOf(secret: string): { platform: KeyObject; standard: KeyObject } {
  const prepared = preparedKeys.get(secret);
  if (prepared) return prepared;
  const platform = createSecretKey(secret, 'utf8');
  const standard = secret.startsWith('whsec_')
    ? createSecretKey(secret.slice('whsec_'.length), 'base64')
    : platform;
  preparedKeys.set(secret, { platform, standard });
  return { platform, standard };
}

/** The handshake's `hub.verify_token`: derived from the secret, which must never be in a URL. */
export const verifyTokenOf = (secret: string): string =>
  createHmac('sha256', secret).update('hub.verify_token').digest('hex').slice(0, 32);
