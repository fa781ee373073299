import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { logLines, runCommand } from '../../support/gateway-process';
import { until } from '../../support/http-peer';
import { freePort } from '../../support/postgres';
import { addLine, ask, endAll, freshSettings, json, peer, start, TEXT } from './support';

/** Each command is a process of its own. */
jest.setTimeout(60_000);

afterEach(endAll);

const TEMPLATE = {
  to: '16505551234',
  type: 'template',
  template: { name: 'x', language: { code: 'en_US' } },
};

describe('start', () => {
  test('prints one JSON log line once it serves, and ends with 0 on SIGINT, so that it can be started again', async () => {
    const env = freshSettings({ GATEWAY_PORT: String(await freePort()) });
    for (let starts = 0; starts < 2; starts++) {
      const gateway = await start(env);
      expect(gateway.stdout().trim().split('\n')).toHaveLength(1);
      expect(logLines(gateway.stdout())).toMatchObject([
        { msg: 'listening', url: `http://127.0.0.1:${env.GATEWAY_PORT}` },
      ]);
      expect((await fetch(`${gateway.url}/nowhere`)).status).toBe(404);
      expect(await gateway.end('SIGINT')).toBe(0);
      await expect(fetch(gateway.url)).rejects.toThrow();
    }
  });

  test('tells the public address where one is set, the address of the embedded sandbox, and what is no setting', async () => {
    const gateway = await start(
      freshSettings({
        GATEWAY_PUBLIC_URL: 'https://gateway.example.com/',
        GATEWAY_UPSTREAM_URL: 'sandbox',
        GATEWAY_PROT: 'what nobody reads',
      }),
    );
    expect(gateway.url).toBe('https://gateway.example.com');
    expect(gateway.sandboxUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(logLines(gateway.stdout())[0]).toMatchObject({
      msg: 'there is no such setting, it is ignored: "help config" shows all',
      setting: 'GATEWAY_PROT',
    });
    expect(gateway.stdout()).not.toContain('what nobody reads');
  });

  test.each([
    ['no secret key', { GATEWAY_SECRET_KEY: '' }, 'GATEWAY_SECRET_KEY is not set.'],
    [
      'a database that cannot be used',
      { GATEWAY_DATABASE_URL: 'sqlite:/dev/null/x' },
      'GATEWAY_DATABASE_URL',
    ],
    [
      'a folder of backups that cannot be',
      { GATEWAY_BACKUP_DIR: '/dev/null/backups' },
      'GATEWAY_BACKUP_DIR names a folder that cannot be written to: /dev/null/backups (ENOTDIR).',
    ],
    ['a host that is not of this machine', { GATEWAY_HOST: '192.0.2.1' }, 'Set GATEWAY_HOST to 127.0.0.1'],
  ])('with %s ends with 2 and a sentence that says what to set', async (_what, more, sentence) => {
    const { code, stdout, stderr } = await runCommand(['start'], freshSettings(more));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('    at ');
  });

  test('with another secret key than before ends with 2 and names it', async () => {
    const env = freshSettings();
    await runCommand(['line', 'list'], env);
    await addLine(env);
    const other = await runCommand(['start'], {
      ...env,
      GATEWAY_SECRET_KEY: 'another key than the one before it',
    });
    expect(other).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^GATEWAY_SECRET_KEY .+ quick-start has made, set GATEWAY_SECRET_KEY_FILE to the file secret-key beside it\./,
      ),
    });
  });

  test('on a port that is in use ends with 2 and names it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const ended = await runCommand(['start'], freshSettings({ GATEWAY_PORT: String(port) }));
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(new RegExp(`^Port ${port} is in use already.*Set GATEWAY_PORT`));
    other.close();
  });

  test('gives back, in each thread, what only the start needed, and loads nothing for passwords that nobody enters', async () => {
    const gateway = await start(freshSettings(), { nodeOptions: ['--trace-gc'] });
    const threads = () =>
      new Set(gateway.stdout().match(/^\[\d+:0x[0-9a-f]+\](?=.* Mark-Compact \(reduce\) )/gm));
    await until(
      () => threads().size === 2,
      10_000,
      () => `only ${[...threads()].join()}`,
    );
    expect(readFileSync(`/proc/${gateway.pid}/maps`, 'utf8')).not.toContain('argon2');
  });

  test('refuses words that it does not know, rather than start without them', async () => {
    const ended = await runCommand(['start', '--port', '1'], freshSettings());
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("'--port'") });
    expect(ended.stderr).toContain('Settings are environment variables');
  });
});

describe('a running gateway', () => {
  /** "At once" leaves it this long: on SQLite it looks four times a second. */
  const AT_ONCE = 1000;

  test('follows every edit of a line at once', async () => {
    const upstream = await peer(({ method }) =>
      method === 'GET'
        ? { body: { id: '1' } }
        : { body: { messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] } },
    );
    const env = freshSettings({ GATEWAY_UPSTREAM_URL: upstream.url });
    const { token } = await addLine(env);
    const gateway = await start(env);
    const edit = (...words: string[]) => json(['line', 'edit', '1', ...words], env);
    const soon = async (path: string, body: object | undefined, expected: object) => {
      let last: object = {};
      await until(
        async () => {
          last = await ask(gateway, token, path, body);
          return JSON.stringify(last) === JSON.stringify(expected);
        },
        AT_ONCE,
        () => `${path} still answers ${JSON.stringify(last)}`,
      );
    };
    const inactive = { status: 403, errorCode: 'line_inactive' };
    const outside = { status: 400, errorCode: 'outside_24h_window' };

    await edit('--active', 'false');
    await soon('status', undefined, inactive);
    await edit('--active', 'true', '--api-enabled', 'false');
    await soon('templates', undefined, { status: 403, errorCode: 'api_disabled' });
    await edit('--api-enabled', 'true', '--quality', 'strict');
    await soon('messages', TEXT, { status: 403, errorCode: 'line_quality_low' });
    await edit('--quality', 'normal');
    await soon('messages', TEXT, outside);
    expect(await ask(gateway, token, 'messages', TEMPLATE)).toEqual({ status: 200 });
    await edit('--window', 'upstream');
    await soon('messages', TEXT, { status: 200 });
  });

  test('takes a new line and a new token, and refuses a revoked one, at once', async () => {
    // A token is asked with until it is known, which may be more often than wrong ones are answered 401.
    const env = freshSettings({ GATEWAY_AUTH_FAILURE_RATE: 'off' });
    const gateway = await start(env);
    const { token: first } = await addLine(env);
    const statusOf = async (token: string) => (await ask(gateway, token, 'status')).status;
    await until(async () => (await statusOf(first)) === 200, AT_ONCE);
    const { token: second } = await json<{ token: string }>(['token', 'create', '1'], env);
    await until(async () => (await statusOf(second)) === 200, AT_ONCE);
    expect(await runCommand(['token', 'revoke', '1'], env)).toMatchObject({ code: 0, stderr: '' });
    await until(async () => (await statusOf(first)) === 401, AT_ONCE);
    expect(await statusOf(second)).toBe(200);
  });

  test('logs no token, no credential and no text of a message', async () => {
    const env = freshSettings({ GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9' });
    const { token } = await addLine(env, '--window', 'upstream');
    const gateway = await start(env);
    expect((await ask(gateway, token, 'messages', TEXT)).status).toBe(503);
    expect((await ask(gateway, `${token}x`, 'messages', TEXT)).status).toBe(401);
    expect((await fetch(`${gateway.url}/v22.0/1/nowhere?access_token=${token}`)).status).toBe(404);
    await gateway.end();
    expect(gateway.stdout()).toContain('request failed');
    for (const secret of [token, token.slice(4, 40), 'upstream-credential-of-the-line', 'Hello', TEXT.to]) {
      expect(gateway.stdout() + gateway.stderr()).not.toContain(secret);
    }
  });
});
