import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/databases';
import { logLines, runCommand, type GatewayProcess } from '../../support/gateway-process';
import { until } from '../../support/http-peer';
import { rows, write } from '../../support/rows';
import { visitor } from '../../support/panel/visitor';
import { fixtureNames, unpack } from '../store/schemas/fixture';
import { addLine, freshSettings, start } from './support';

const HAS_SHELL = process.platform !== 'win32';
const quickStart = async (folder: string, env: Record<string, string> = {}) => {
  const gateway = await start({ GATEWAY_PORT: '0', ...env }, { words: ['quick-start'], cwd: folder });
  await until(() => gateway.stdout().includes('Press Ctrl-C to stop.'));
  const token = /gwl_[\w-]{49}/.exec(gateway.stdout())?.[0] ?? '';
  return { ...gateway, token };
};

/** Every `curl` that is printed, with the lines that continue it. */
const commandsIn = (text: string): string[] => text.match(/^ +curl (?:.*\\\n)*.*$/gm) ?? [];

/** Runs it as a person does who copies it into a terminal. */
const inShell = (command: string): Record<string, unknown> =>
  JSON.parse(execFileSync('sh', ['-c', command.replace('curl', 'curl -sS')], { encoding: 'utf8' }));

describe('quick-start', () => {
  test('prints what a person needs to send a message, and each command it prints works', async () => {
    const folder = temporaryFolder();
    const gateway = await quickStart(folder);
    const printed = gateway.stdout();
    expect(printed).toContain(`Address      ${gateway.url} `);
    expect(printed).toMatch(/Line \(tid\) +109351478203615/);
    expect(printed).toContain('npm run n8n');
    if (!HAS_SHELL) return;

    const [send, look, write] = commandsIn(printed);
    const sent = inShell(send ?? '');
    expect(sent).toMatchObject({ success: true, chat_message_id: expect.stringMatching(/^wamid\./) });
    const read = () => {
      const { messages } = inShell(look ?? '') as {
        messages: { id: string; statuses: { status: string }[] }[];
      };
      return messages.find(({ id }) => id === sent.chat_message_id)?.statuses.at(-1)?.status === 'read';
    };
    await until(read);
    expect(inShell(write ?? '')).toMatchObject({ message: { text: { body: 'Is my order ready?' } } });
  });

  test('brings a database of an earlier version up to date', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'data'));
    const [oldest = ''] = fixtureNames();
    const url = `sqlite:${join(folder, 'data', 'gateway.db')}`;
    const { env } = await unpack(oldest, 'sqlite', url);
    // As quick-start has made it.
    await write(url, "update lines set phone_number_id = '109351478203615' where id = 1");
    const gateway = await quickStart(folder, { GATEWAY_SECRET_KEY: env.GATEWAY_SECRET_KEY ?? '' });
    const status = await fetch(`${gateway.url}/v22.0/109351478203615/status`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    expect(status.status).toBe(200);
  });

  test('leaves a database alone that holds other lines, and says what to run', async () => {
    const env = freshSettings();
    await addLine(env);
    const folder = temporaryFolder();
    const database = (env.GATEWAY_DATABASE_URL ?? '').slice('sqlite:'.length);
    const before = readFileSync(database);
    const refused = await runCommand(['quick-start'], env, folder);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(`The database ${database} holds lines that quick-start has not made.`);
    expect(refused.stderr).toContain('Run the command "start"');
    expect(readFileSync(database).equals(before)).toBe(true);
    expect(readdirSync(dirname(database)).filter((name) => !name.startsWith('gateway.db'))).toEqual([]);
    // Nor does it start where only the command is forgotten.
    const forgotten = await runCommand([], env, folder);
    expect(forgotten).toMatchObject({ code: 0, stdout: expect.stringContaining('quick-start') });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('says of a file that is no database what is wrong with it', async () => {
    const file = join(temporaryFolder(), 'notes.txt');
    writeFileSync(file, 'no database, but long enough to be read as the beginning of one\n'.repeat(20));
    const { code, stderr } = await runCommand(['quick-start'], { GATEWAY_DATABASE_URL: `sqlite:${file}` });
    expect([code, stderr]).toEqual([2, expect.stringContaining('GATEWAY_DATABASE_URL cannot be used: ')]);
  });

  test('tells whoever is logged in by SSH how a browser gets there', async () => {
    const remote = { SSH_CONNECTION: '198.51.100.7 52044 203.0.113.5 2222' };
    const gateway = await quickStart(temporaryFolder(), remote);
    const { port } = new URL(gateway.url);
    expect(gateway.stdout()).toMatch(
      new RegExp(`^  ssh -p 2222 -L ${port}:127\\.0\\.0\\.1:${port} \\S+@203\\.0\\.113\\.5$`, 'm'),
    );
    const local = await quickStart(temporaryFolder());
    expect(local.stdout()).not.toContain('ssh ');
  });

  test('says first what to do now: to open a link, which leads to the panel', async () => {
    const folder = temporaryFolder();
    const first = await quickStart(folder);
    const [, , link = ''] = /^\n(Open this link .+):\n\n  (http\S+)\n/.exec(first.stdout()) ?? [];
    expect(link).toMatch(`${first.url}/panel/set-up?key=`);
    expect((await fetch(link)).status).toBe(200);
    expect(await first.end('SIGINT')).toBe(0);
    // Programs are told below it.
    expect(first.stdout().indexOf('{"level"')).toBeGreaterThan(first.stdout().indexOf('Press Ctrl-C'));
  });

  test('leads from its link to an answered message in few clicks, with nothing pasted and no terminal', async () => {
    const folder = temporaryFolder();
    const gateway = await quickStart(folder);
    const link = /http\S+set-up\?key=\S+/.exec(gateway.stdout())?.[0] ?? '';
    const { page, complaints, goto } = await visitor({ gateway });
    let clicks = 0;
    let fields = 0;
    const click = async (name: string) => {
      clicks++;
      await page.getByRole('button', { name }).click();
    };
    await goto(link.slice(gateway.url.length));
    for (const field of await page.locator('main input:not([type=hidden])').all()) {
      fields++;
      await field.fill(fields === 1 ? 'ana' : 'correct horse battery staple');
    }
    await click('Set up');
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    // What a program needs is there too, with the token that was printed.
    expect(await page.locator('#demo-token').textContent()).toBe(gateway.token);
    expect(await page.locator('#send-a-text').textContent()).toContain(gateway.token);
    await click('Send message');
    await page.getByRole('log', { name: 'Messages' }).getByText('Did this reach you?').first().waitFor();
    await click('Yes, it did');
    await page.getByRole('article', { name: 'From this contact' }).getByText('Yes, it did').first().waitFor();
    await goto('/panel/start');
    await page.getByText('3 of 5 done').waitFor();
    const command = await page.locator('#go-live-command').innerText();
    expect({ clicks, fields, complaints }).toEqual({ clicks: 3, fields: 3, complaints: [] });
    await page.close();

    // The page says how to go on with a real number.
    if (!HAS_SHELL) return;
    expect(command).toMatch(/npm run gateway -- start$/);
    const [makeKey = '', ...lines] = command.split('\n');
    execFileSync('sh', ['-c', makeKey], { cwd: folder });
    const key = readFileSync(join(folder, 'secret-key'), 'utf8');
    execFileSync('sh', ['-c', makeKey], { cwd: folder });
    expect(readFileSync(join(folder, 'secret-key'), 'utf8')).toBe(key);
    const env = Object.fromEntries(
      lines.filter((one) => one.startsWith('GATEWAY_')).map((one) => one.replace(/ \\$/, '').split('=')),
    );
    expect(await gateway.end('SIGINT')).toBe(0);
    const real = await start({ GATEWAY_PORT: '0', ...env }, { words: ['start'], cwd: folder });
    expect(real.stderr()).toContain('https://gateway.example.com/panel/set-up?key=');
    expect(readdirSync(join(folder, 'live'))).toContain('gateway.db');
  });

  test('keeps everything in files that only their owner can read, and warns of those that others can', async () => {
    const folder = temporaryFolder();
    const data = join(folder, 'data');
    const mode = (path: string) => statSync(path).mode & 0o777;
    const first = await quickStart(folder);
    expect(mode(data)).toBe(0o700);
    const files = readdirSync(data);
    for (const file of [
      'gateway.db',
      'gateway.db-wal',
      'sandbox-contacts.jsonl',
      'secret-key',
      'demo-line-token',
    ])
      expect(files).toContain(file);
    for (const file of files) expect([file, mode(join(data, file))]).toEqual([file, 0o600]);
    const warnings = (gateway: GatewayProcess) =>
      logLines(gateway.stdout()).filter(({ msg }) => String(msg).includes('chmod 600'));
    expect(warnings(first)).toEqual([]);
    await first.end();

    chmodSync(join(data, 'gateway.db'), 0o644);
    chmodSync(join(data, 'secret-key'), 0o640);
    chmodSync(data, 0o777);
    const told = warnings(await quickStart(folder));
    expect(told).toMatchObject([{ level: 40 }]);
    expect((told[0]?.files as string[]).map((file) => basename(file)).sort()).toEqual([
      'data',
      'gateway.db',
      'secret-key',
    ]);
  });

  test('finds everything in place at its second start: token, key, line, and an open window', async () => {
    const folder = temporaryFolder();
    const first = await quickStart(folder);
    const key = readFileSync(join(folder, 'data', 'secret-key'), 'utf8');
    expect(await first.end('SIGINT')).toBe(0);
    const second = await quickStart(folder);
    expect(second.token).toBe(first.token);
    expect(readFileSync(join(folder, 'data', 'secret-key'), 'utf8')).toBe(key);
    const conversation = await fetch(`${second.sandboxUrl}/sandbox/contacts/12025550147/messages`);
    const { messages, window } = (await conversation.json()) as { messages: []; window: { open: boolean } };
    expect(window.open).toBe(true);
    // The contact does not write again at each start: what it writes starts workflows.
    expect(messages).toHaveLength(0);
    const answer = await fetch(`${second.url}/v22.0/109351478203615/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${second.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: '12025550147', type: 'text', text: { body: 'Hello again' } }),
    });
    expect(answer.status).toBe(200);

    const env = { GATEWAY_SECRET_KEY_FILE: 'data/secret-key' };
    const lines = await runCommand(['line', 'list'], env, folder);
    expect(lines.stdout.trim().split('\n')).toHaveLength(1);
  });

  test('prints a new token where the kept one was revoked', async () => {
    const folder = temporaryFolder();
    const first = await quickStart(folder);
    await first.end();
    const env = { GATEWAY_SECRET_KEY_FILE: 'data/secret-key' };
    expect((await runCommand(['token', 'revoke', '1'], env, folder)).code).toBe(0);
    const second = await quickStart(folder);
    expect(second.token).not.toBe(first.token);
    const made = await rows(
      `sqlite:${join(folder, 'data', 'gateway.db')}`,
      'select action, line_id, details from audit order by number',
    );
    expect(made.map(({ action }) => action)).toEqual(['line.added', 'token.revoked', 'token.created']);
    for (const { details } of [made[0], made[2]] as { details: string }[])
      expect(JSON.parse(details)).toMatchObject({ by: 'quick-start' });
    expect(JSON.stringify(made)).not.toContain(second.token);
    const status = await fetch(`${second.url}/v22.0/109351478203615/status`, {
      headers: { authorization: `Bearer ${second.token}` },
    });
    expect(status.status).toBe(200);
  });

  test('leaves the settings that are given as they are, by value and by file', async () => {
    const folder = temporaryFolder();
    const database = join(folder, 'elsewhere', 'some.db');
    const gateway = await quickStart(folder, {
      GATEWAY_DATABASE_URL: `sqlite:${database}`,
      GATEWAY_SECRET_KEY: 'a key that is given, of enough characters',
      GATEWAY_PUBLIC_URL: 'https://gateway.example.com',
    });
    expect(gateway.stdout()).toContain('curl https://gateway.example.com/api/v22.0/');
    expect(() => statSync(join(folder, 'elsewhere', 'secret-key'))).toThrow('ENOENT');
    expect(() => statSync(join(folder, 'data'))).toThrow('ENOENT');
  });
});
