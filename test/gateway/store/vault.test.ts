import { join } from 'node:path';
import { createVault } from '../../../gateway/store/vault';
import { temporaryFolder } from '../../support/databases';
import { addTestLine, settings, startTestGateway } from '../../support/test-gateway';

test('a gateway does not start with another key than that of its database, and says what to set', async () => {
  const env = settings(`sqlite:${join(temporaryFolder(), 'gateway.db')}`);
  await addTestLine(env);
  const other = { ...env, GATEWAY_SECRET_KEY: 'another key, of more than 32 characters' };
  await expect(startTestGateway(other)).rejects.toThrow(
    'GATEWAY_SECRET_KEY is not the key with which this database was encrypted. Set it to the key that was used before. For a database that quick-start has made, set GATEWAY_SECRET_KEY_FILE to the file secret-key beside it.',
  );
});

describe('the vault', () => {
  const vault = createVault('a key for tests, and for nothing else');

  test('opens what it sealed, whatever the text', () => {
    for (const text of ['', 'EAAG…', 'a\0b', '😀'.repeat(1000)])
      expect(vault.open('lines.access_token', vault.seal('lines.access_token', text))).toBe(text);
  });

  test('seals the same text differently each time, and never shows it', () => {
    const sealed = [1, 2].map(() => vault.seal('lines.app_secret', 'the app secret'));
    expect(sealed[0]).not.toBe(sealed[1]);
    for (const one of sealed) {
      expect(one).toMatch(/^v1\.[\w-]{8}\.[\w-]+$/);
      expect(one).not.toContain('secret');
      expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('secret');
    }
  });

  test('says what to set when the key is another one', () => {
    const sealed = vault.seal('destinations.secret', 'whsec_abc');
    const other = createVault('another key, of more than 32 characters');
    expect(() => other.open('destinations.secret', sealed)).toThrow(
      'GATEWAY_SECRET_KEY is not the key with which this database was encrypted. Set it to the key that was used before.',
    );
  });

  test('says to start again with the new key when rekey ran while the old key was in use', () => {
    const place = 'destinations.secret';
    const before = vault.seal(place, 'whsec_abc');
    const running = createVault('a key for tests, and for nothing else');
    running.open(place, before);
    const rekeyed = createVault('another key, of more than 32 characters').seal(place, 'whsec_abc');
    const sentence = (opening: () => string): string => {
      try {
        return opening();
      } catch (error) {
        return (error as Error).message;
      }
    };
    const whileRunning = sentence(() => running.open(place, rekeyed));
    expect(whileRunning).toContain('start the gateway again with the new key');
    expect(whileRunning).not.toContain('Set it to the key that was used before');
    // Who has opened nothing has the wrong key.
    const wrong = sentence(() => createVault('a third key, of more than 32 characters').open(place, before));
    expect(wrong).not.toContain('start the gateway again');
  });

  test('does not open what was moved to another column', () => {
    const sealed = vault.seal('lines.app_secret', 'the app secret');
    expect(() => vault.open('lines.access_token', sealed)).toThrow();
  });

  test('does not open what was changed or cut', () => {
    const [version, keyId, data = ''] = vault.seal('lines.app_secret', 'the app secret').split('.');
    const bytes = Buffer.from(data, 'base64url');
    for (let place = 0; place < bytes.length; place++) {
      const changed = Buffer.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ 1;
      const text = `${version}.${keyId}.${changed.toString('base64url')}`;
      expect(() => vault.open('lines.app_secret', text)).toThrow();
    }
    for (let length = 0; length < bytes.length; length++) {
      const text = `${version}.${keyId}.${bytes.subarray(0, length).toString('base64url')}`;
      expect(() => vault.open('lines.app_secret', text)).toThrow();
    }
  });
});
