import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { logLines, MAIN, runCommand } from '../../support/gateway-process';
import { until } from '../../support/http-peer';
import { freePort } from '../../support/postgres';
import { secretFile } from '../../support/secret-file';
import { freshSettings, start } from './support';

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

  test('tells the public address where one is set, the address of the embedded sandbox, what is no setting, and a key that others may read', async () => {
    const key = secretFile('a-key-that-is-read-from-a-file-of-its-own');
    chmodSync(key, 0o644);
    const gateway = await start(
      freshSettings({
        GATEWAY_PUBLIC_URL: 'https://gateway.example.com/',
        GATEWAY_UPSTREAM_URL: 'sandbox',
        GATEWAY_PROT: 'what nobody reads',
        GATEWAY_SECRET_KEY: '',
        GATEWAY_SECRET_KEY_FILE: key,
        GATEWAY_APP_SECRET: '',
        GATEWAY_APP_SECRET_FILE: secretFile('app-secret'),
      }),
    );
    expect(gateway.url).toBe('https://gateway.example.com');
    expect(gateway.sandboxUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(logLines(gateway.stdout())[0]).toMatchObject({
      msg: 'there is no such setting, it is ignored: "help config" shows all',
      setting: 'GATEWAY_PROT',
    });
    expect(gateway.stdout()).not.toContain('what nobody reads');
    expect(logLines(gateway.stdout())[1]).toMatchObject({
      level: 40,
      msg: expect.stringContaining('chmod 600'),
      files: [key],
    });
  });

  test('lets a crowd connect while it is busy', async () => {
    const gateway = await start(freshSettings());
    const { hostname, port } = new URL(gateway.url);
    process.kill(gateway.pid, 'SIGSTOP');
    const crowd = Array.from({ length: Math.min(1000, longestAcceptQueue()) }, () =>
      connect({ host: hostname, port: Number(port) }),
    );
    try {
      await Promise.all(
        crowd.map((socket) => once(socket, 'connect', { signal: AbortSignal.timeout(20_000) })),
      );
    } finally {
      for (const socket of crowd) socket.destroy();
      process.kill(gateway.pid, 'SIGCONT');
    }
    expect((await fetch(`${gateway.url}/nowhere`)).status).toBe(404);
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

  test('on a port that is in use ends with 2 and names it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const ended = await runCommand(['start'], freshSettings({ GATEWAY_PORT: String(port) }));
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(new RegExp(`^Port ${port} is in use already.*Set GATEWAY_PORT`));
    other.close();
  });

  test('goes on without its log where that cannot be written', async () => {
    const port = await freePort();
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [MAIN, 'start'], {
      env: { PATH: process.env.PATH, ...freshSettings({ GATEWAY_PORT: String(port) }) },
      stdio: ['ignore', full, 'ignore'],
    });
    closeSync(full);
    const ask = () => fetch(`http://127.0.0.1:${port}/healthz`);
    const isThere = () => ask().then(Boolean, () => child.exitCode !== null);
    await until(isThere);
    // Its first line comes when it listens.
    for (let asked = 0; asked < 200; asked++) expect((await ask()).status).toBe(200);
    child.kill('SIGKILL');
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

  test('lets V8 optimize what serves, and nothing that only the start runs', async () => {
    const gateway = await start(freshSettings(), { nodeOptions: ['--trace-opt'] });
    const optimized = () => gateway.stdout().match(/completed compiling/g)?.length ?? 0;
    // Some have run often before the command is known.
    const before = optimized();
    expect(before).toBeLessThan(30);
    while (optimized() <= before + 30) await fetch(`${gateway.url}/healthz`);
  });

  test('refuses words that it does not know, rather than start without them', async () => {
    const ended = await runCommand(['start', '--port', '1'], freshSettings());
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("'--port'") });
    expect(ended.stderr).toContain('Settings are environment variables');
  });
});

/** Connections that this machine lets wait for a program; 128 where it does not say so. */
function longestAcceptQueue(): number {
  const file = '/proc/sys/net/core/somaxconn';
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 128;
}
