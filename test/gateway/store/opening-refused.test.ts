import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SettingError } from '../../../gateway/errors';
import { isServerAway, openingRefused } from '../../../gateway/store/opening-refused';
import { openStore } from '../../../gateway/store/store';

const URL_OF = 'postgres://a:b@db.example.com/c';
const failed = (code: string, message = 'why') =>
  openingRefused(URL_OF, Object.assign(new SettingError(message), { code }));

test.each([
  ['ECONNREFUSED', 'connect'],
  ['ENOTFOUND', 'getaddrinfo'],
  ['57P03', 'the database system is starting up'],
  ['08P01', 'server login has been failing, try again later (connect failed)'],
])('%s (%s) is waited for', (code, message) => {
  expect(isServerAway(URL_OF, failed(code, message))).toBe(true);
});

test.each([
  ['28P01', 'password authentication failed for user "a"'],
  ['3D000', 'database "c" does not exist'],
  ['08P01', 'SASL authentication failed'],
  ['08P01', 'no such database: c'],
  ['08P01', 'transaction blocks not allowed in statement pooling mode'],
  ['ERR_INVALID_URL', 'Invalid URL'],
])('%s (%s) is a wrong setting', (code, message) => {
  expect(isServerAway(URL_OF, failed(code, message))).toBe(false);
});

test.each([
  'postgres://a:b@h1,h2/c',
  'postgresql://a:b@h1:5432,h2:5432/c?sslmode=require',
  'postgres://h1,h2',
  'postgres:///c?user=a&host=h1,h2',
  'postgres://a:b@h1/c?host=h1%2ch2',
])('several hosts are a wrong setting: %s', async (url) => {
  const refusal = await openStore(url).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ name: 'SettingError', message: expect.stringContaining('several hosts') });
  expect(isServerAway(url, refusal)).toBe(false);
});

test('a comma in the user, the password or the name of the database is none between hosts', async () => {
  for (const url of [
    'postgres://a,b:c,d@127.0.0.1:1/x',
    'postgres://a:b@127.0.0.1:1/x,y?application_name=a,b',
  ])
    await expect(openStore(url)).rejects.toThrow('ECONNREFUSED');
});

test('a SQLite file is waited for in no case, nor is any other refusal', () => {
  expect(isServerAway('sqlite:/a', failed('ECONNREFUSED'))).toBe(false);
  expect(isServerAway(URL_OF, new SettingError('The database is of a newer version'))).toBe(false);
});

describe('a SQLite file of another user', () => {
  const NOBODY = 65534;
  const isRoot = process.getuid?.() === 0;
  const folder = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  chmodSync(folder, 0o755);
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What a gateway of another user says. A user who is not root is such a user for a file of root. */
  function sentenceFor(path: string): string {
    const program = `
      const { openingRefused } = require(process.argv[1]);
      if (process.argv[3]) {
        process.setgroups([]);
        process.setgid(Number(process.argv[3]));
        process.setuid(Number(process.argv[3]));
      }
      const error = new Error('unable to open database file');
      console.log(openingRefused('sqlite:' + process.argv[2], error).message);`;
    const built = resolve('gateway/build/store/opening-refused.js');
    const words = ['-e', program, built, path, ...(isRoot ? [String(NOBODY)] : [])];
    return execFileSync(process.execPath, words, { encoding: 'utf8' });
  }

  test('is named with its owner and with the command that gives it to the gateway', () => {
    const path = isRoot ? join(folder, 'gateway.db') : '/etc/shadow';
    if (isRoot) writeFileSync(path, '', { mode: 0o600 });
    const user = isRoot ? NOBODY : process.getuid?.();
    const sentence = sentenceFor(path);
    expect(sentence).toContain(`${path} belongs to root (uid 0), and the gateway runs as `);
    expect(sentence).toContain(`uid ${user}`);
    expect(sentence).toContain(`Run as root: chown ${user} ${path}`);
  });

  test('that is no file of another is told as before', () => {
    expect(sentenceFor(join(tmpdir(), 'gateway-test-missing.db'))).toContain('Check that it is a file');
  });
});
