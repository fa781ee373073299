import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { SettingError } from '../errors';

/**
 * Encrypts platform credentials and signing secrets before they are stored.
 *
 * An encrypted text is `v1.KEYID.DATA`: AES-256-GCM with a random 96-bit nonce; DATA is nonce, tag and ciphertext in
 * base64url. KEYID names the key, so that a wrong key is recognised before decryption. `place` (table and column) is
 * authenticated too: a text moved to another column does not decrypt.
 */
export interface Vault {
  seal(place: SealedPlace, text: string): string;
  open(place: SealedPlace, sealed: string): string;
  /** Whether the text was encrypted with the current key. */
  isCurrent(sealed: string): boolean;
  /** 16 hex digits that distinguish texts without revealing them, even if only few texts are possible. */
  fingerprint(text: string): string;
}

export type SealedPlace =
  | 'lines.access_token'
  | 'lines.app_secret'
  | 'destinations.secret'
  | 'destinations.headers'
  | 'questions.callback'
  | 'alert_channels.settings'
  | 'users.totp'
  | 'oidc_providers.secret'
  | 'audit_head.key'
  | 'customers.audit'
  | 'audit_head.start'
  /** In the id of an upload to the platform: that of the token that began it. */
  | 'api.upload'
  /** In the cursor of a list: the list, and the position in it. */
  | 'api.cursor'
  | 'admin_requests.answer'
  /** In a page: a form that was submitted after the session had ended. */
  | 'panel.kept_form'
  /** In a cookie: the accounts that have logged in with this browser. */
  | 'panel.known_browser'
  | 'panel.known_link'
  /** In a cookie: a log-in that is under way at an OpenID Connect provider. */
  | 'panel.oidc_attempt';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives keys and the key id from the operator's text. */
function keyOf(secretKey: string): { id: string; key: Buffer; fingerprints: Buffer } {
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, 'messaging-gateway', purpose, bytes));
  return {
    id: derived('vault key id', 6).toString('base64url'),
    key: derived('vault key', 32),
    fingerprints: derived('fingerprint key', 32),
  };
}

const OPENS_NONE =
  'GATEWAY_SECRET_KEY is not the key with which this database was encrypted. Set it to the key that was used before. For a database that quick-start has made, set GATEWAY_SECRET_KEY_FILE to the file secret-key beside it. To change it for good, set that one as GATEWAY_OLD_SECRET_KEYS, and run "rekey".';

const OPENS_SOME =
  'Some secrets of this database were encrypted with another key than GATEWAY_SECRET_KEY. If "rekey" ran with a new key while this gateway ran with the old one, start the gateway again with the new key. If "rekey" has not finished, set the old key as GATEWAY_OLD_SECRET_KEYS, and run "rekey" until it finds nothing more.';

/**
 * @param secretKey `GATEWAY_SECRET_KEY`: a random text of at least 32 characters
 * @param oldKeys previous keys, which are only used to decrypt
 */
export function createVault(secretKey: string, oldKeys: string[] = []): Vault {
  const { id: keyId, key, fingerprints } = keyOf(secretKey);
  const keys = new Map([secretKey, ...oldKeys].map(keyOf).map((one) => [one.id, one.key]));
  let hasOpened = false;

  return {
    seal(place, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `v1.${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
    },

    open(place, sealed) {
      const [version, sealedWith, data = ''] = sealed.split('.');
      const opening = keys.get(sealedWith ?? '');
      if (version !== 'v1' || !opening) {
        throw new SettingError(hasOpened ? OPENS_SOME : OPENS_NONE);
      }
      const bytes = Buffer.from(data, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', opening, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
      hasOpened = true;
      return text;
    },

    isCurrent: (sealed) => sealed.startsWith(`v1.${keyId}.`),

    fingerprint: (text) => createHmac('sha256', fingerprints).update(text).digest('hex').slice(0, 16),
  };
}
