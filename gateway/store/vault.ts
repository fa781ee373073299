import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { SettingError } from '../errors';

/**
 * Encrypts what must never lie readable in the database: upstream credentials and signing secrets.
 *
 * A sealed text is `v1.KEYID.DATA`: AES-256-GCM with a random 96-bit nonce; DATA is nonce, tag and ciphertext in
 * base64url. KEYID tells which key sealed it, so that a wrong key is recognised before anything is decrypted. `place`
 * (table and column) is authenticated with it: a sealed text moved to another column does not open.
 */
export interface Vault {
  seal(place: SealedPlace, text: string): string;
  open(place: SealedPlace, sealed: string): string;
}

export type SealedPlace =
  | 'lines.access_token'
  | 'lines.app_secret'
  | 'destinations.secret'
  | 'destinations.headers'
  | 'users.totp'
  | 'audit_head.key';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param secretKey `GATEWAY_SECRET_KEY`: a random text of at least 32 characters. */
export function createVault(secretKey: string): Vault {
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, 'messaging-gateway', purpose, bytes));
  const key = derived('vault key', 32);
  const keyId = derived('vault key id', 6).toString('base64url');

  return {
    seal(place, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `v1.${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
    },

    open(place, sealed) {
      const [version, sealedWith, data = ''] = sealed.split('.');
      if (version !== 'v1' || sealedWith !== keyId) {
        throw new SettingError(
          'GATEWAY_SECRET_KEY is not the key with which this database was encrypted. Set it to the key that was used before.',
        );
      }
      const bytes = Buffer.from(data, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
    },
  };
}
