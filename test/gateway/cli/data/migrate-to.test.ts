import { createDatabase } from '../../../support/postgres';
import { secretFile } from '../../../support/secret-file';
import { notification, notify, textFrom } from '../../../support/test-gateway';
import { addLine, ask, command, freshSettings, json, peer, start, TEXT } from '../support';

const verified = (env: Record<string, string>) => json(['audit', 'verify'], env);

describe('migrate-to', () => {
  test('brings tokens, secrets, the audit and waiting events to PostgreSQL', async () => {
    const env = freshSettings();
    let status = 500;
    const receiver = await peer(() => ({ status }));
    const { token } = await addLine(env, '--forward-url', receiver.url);
    const gateway = await start(env);
    expect(await notify(gateway, notification(textFrom('16505551234', 'Is it ready?', 'wamid.1')))).toBe(200);
    const [tried] = await receiver.untilReceived(1);
    const url = await createDatabase();
    const file = secretFile(`${url}\n`);
    const running = await command(['migrate-to', '--url-file', file], env);
    expect([running.code, running.stderr]).toEqual([2, expect.stringContaining('A gateway is running on')]);
    await gateway.end('SIGKILL');
    const audit = await verified(env);

    const copied = await command(['migrate-to', '--url-file', file], env);
    expect([copied.code, copied.stderr]).toEqual([0, '']);
    expect(copied.stdout).toContain('events: 1 rows copied\n');
    expect(copied.stdout).toContain('Set GATEWAY_DATABASE_URL to the PostgreSQL database');
    expect(copied.stdout).not.toContain(new URL(url).host);
    const onPostgres = { ...env, GATEWAY_DATABASE_URL: url };
    expect(await verified(onPostgres)).toEqual(audit);

    status = 200;
    const before = receiver.received.length;
    const moved = await start(onPostgres);
    const received = await receiver.untilReceived(before + 1);
    expect(received.at(-1)?.headers['webhook-id']).toBe(tried?.headers['webhook-id']);
    expect((await ask(moved, token, 'window/16505551234')).status).toBe(200);
    expect((await ask(moved, 'another', 'messages', TEXT)).status).toBe(401);
    const { line } = await addLine(onPostgres, '--phone-number-id', '106540352242923');
    expect(line.id).toBe(2);

    const again = await command(['migrate-to', '--url-file', file], env);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('it was moved to PostgreSQL')]);
  });

  test.each([
    [[], 'Where to? Give one URL'],
    [['sqlite:other.db'], 'The URL must begin with postgres://.'],
    [['postgres://gateway:hunter2@127.0.0.1/gateway'], 'A URL with a password is refused'],
    [['postgres://gateway:hunter2/#?@127.0.0.1/gateway'], 'A URL with a password is refused'],
    [['postgres://gateway@127.0.0.1/gateway?password=hunter2'], 'A URL with a password is refused'],
    [['--url=postgres://gateway:hunter2@127.0.0.1/gateway'], '--url is refused'],
    [['postgres://gateway@127.0.0.1:9/gateway'], 'The URL of the PostgreSQL database cannot be used'],
    [['postgres://gateway@one,two/gateway'], 'The URL of the PostgreSQL database names several hosts'],
  ])('%j is refused', async (words, sentence) => {
    const env = freshSettings();
    await addLine(env);
    const { code, stdout, stderr } = await command(['migrate-to', ...words], env);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
    expect(stderr).not.toContain('hunter2');
  });

  test('needs a SQLite database that is there', async () => {
    const env = freshSettings();
    const words = ['migrate-to', 'postgres://gateway@127.0.0.1/gateway'];
    expect((await command(words, env)).stderr).toContain('There is no database at');
    const { stderr } = await command(words, { ...env, GATEWAY_DATABASE_URL: await createDatabase() });
    expect(stderr).toContain('GATEWAY_DATABASE_URL names no SQLite database.');
  });
});
