import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { offline } from '../../../../gateway/cli/offline';
import { askQuestion } from '../../../../gateway/questions/ask-question';
import { DAY, MINUTE } from '../../../../gateway/time';
import { until } from '../../../support/http-peer';
import { createDatabase } from '../../../support/postgres';
import { rows } from '../../../support/rows';
import { secretFile } from '../../../support/secret-file';
import { addTestLine, notification, notify, settings, textFrom } from '../../../support/test-gateway';
import {
  addLine,
  ask,
  command,
  freshSettings,
  json,
  LINE_FIELDS,
  peer,
  PHONE_NUMBER_ID,
  start,
  storedLines,
} from '../support';

const TAKEN = 'Another line already has this phone number ID.';

const without = (option: string): string[] => {
  const at = LINE_FIELDS.indexOf(option);
  return LINE_FIELDS.filter((_word, index) => index !== at && index !== at + 1);
};

describe.each(['line list', 'user list', 'deliveries replay --dead', 'audit verify'])('%s', (words) => {
  test('makes no database where there is none, and says where it looked', async () => {
    const env = freshSettings();
    const path = (env.GATEWAY_DATABASE_URL ?? '').slice('sqlite:'.length);
    expect(await command(words.split(' '), env)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(`^There is no database at ${path}\\. `),
    });
    expect(existsSync(path)).toBe(false);
  });

  test('makes no tables in a PostgreSQL database that has none', async () => {
    const url = await createDatabase();
    expect(await command(words.split(' '), settings(url))).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        '^The database that GATEWAY_DATABASE_URL names has no tables of a gateway\\. ',
      ),
    });
    expect(await rows(url, `select tablename from pg_tables where schemaname = 'public'`)).toEqual([]);
  });
});

test('line add tells the whole address of the callback', async () => {
  const env = freshSettings({ GATEWAY_PUBLIC_URL: 'https://gateway.example.com/chat' });
  expect((await command(['line', 'add', ...LINE_FIELDS], env)).stdout).toContain(
    `https://gateway.example.com/chat/webhooks/platform/${PHONE_NUMBER_ID} with the verify token `,
  );
});

describe('line add', () => {
  test('registers a line with its first token and its starter templates', async () => {
    const env = freshSettings();
    const { line, token } = await addLine(env);
    expect(line).toEqual({
      id: 1,
      name: 'My shop',
      phone_number_id: PHONE_NUMBER_ID,
      phone_number: '+1 555-078-3881',
      waba_id: '102290129340398',
      is_active: true,
      api_enabled: true,
      window: 'text',
      quality: 'normal',
      keeps_sent: false,
      automation_pause_hours: null,
      callback_path: `/webhooks/platform/${PHONE_NUMBER_ID}`,
      verify_token: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(token).toMatch(/^gwl_[\w-]{49}$/);
    expect(await json(['line', 'list'], env)).toEqual({ lines: [{ ...line, health: 'no_webhook' }] });

    const gateway = await start(env);
    const answer = await fetch(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}/templates`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { count, data } = (await answer.json()) as { count: number; data: { is_starter: boolean }[] };
    expect(count).toBeGreaterThan(0);
    expect(data.every((template) => template.is_starter)).toBe(true);
  });

  test('tells the secret of the forwarding URL once, where it made that itself', async () => {
    const env = freshSettings();
    const forward = ['--forward-url', 'http://127.0.0.1:9/hook'];
    const { line } = await addLine(env, ...forward);
    expect(line).toMatchObject({
      forward_url: 'http://127.0.0.1:9/hook',
      forward_secret: expect.stringMatching(/^whsec_.{40,}$/),
    });
    const again = await json<{ line: object }>(
      ['line', 'edit', '1', '--forward-url', 'http://127.0.0.1:9/'],
      env,
    );
    expect(again.line).not.toHaveProperty('forward_secret');
    const given = await command(
      ['line', 'edit', '1', ...forward, '--forward-secret-file', secretFile('a secret that is given')],
      env,
    );
    expect(given.stdout).not.toContain('a secret that is given');
  });

  test('says which address a private name resolves to, and which setting allows it', async () => {
    const env = freshSettings({ GATEWAY_ALLOW_DESTINATIONS: 'n8n.internal' });
    const url = `http://${hostname()}:5678/webhook`;
    const refused = `${hostname()} \\([\\d.a-f:]+\\) is not a public address\\. Set GATEWAY_ALLOW_DESTINATIONS=${hostname()}:5678, or add`;
    const added = await addLine(env, '--forward-url', url);
    expect(added.handshake).toEqual({ ok: false, detail: expect.stringMatching(refused) });
    for (const words of [
      ['line', 'edit', '1', '--forward-url', url],
      ['destination', 'add', '1', '--url', url],
      ['destination', 'edit', '1', '--url', url],
    ]) {
      const { code, stdout } = await command(words, env);
      expect([code, stdout]).toEqual([0, expect.stringMatching(`Handshake failed: ${refused}`)]);
    }
    const gateway = await start(env);
    await notify(gateway, notification(textFrom('16505551234', 'Hello', 'wamid.1')));
    const show = async () => (await command(['destination', 'show', '1'], env)).stdout;
    await until(async () => (await show()).includes('address_refused'));
    expect(await show()).toMatch(
      new RegExp(
        `^Last attempt\\t.*address_refused.*Set GATEWAY_ALLOW_DESTINATIONS=${hostname()}:5678, or`,
        'm',
      ),
    );
  });

  test.each([
    ['a field that is missing', without('--waba-id'), '--waba-id: A WhatsApp Business Account ID has only'],
    ['a field that is empty', [...without('--name'), '--name', ''], '--name: Enter a name.'],
    ['an option that there is not', [...LINE_FIELDS, '--colour', 'red'], "Unknown option '--colour'"],
    ['a word too many', [...LINE_FIELDS, 'now'], 'There is a word too many'],
    [
      'an id that is none',
      [...LINE_FIELDS, '--phone-number-id', 'shop'],
      'A phone number ID has only digits',
    ],
    [
      'another window',
      [...LINE_FIELDS, '--window', 'open'],
      '--window: "open" is not possible here. Choose text, all, upstream.',
    ],
    [
      'a forwarding URL that may not be called',
      [...LINE_FIELDS, '--forward-url', 'http://10.0.0.1/'],
      'Set GATEWAY_ALLOW_DESTINATIONS=10.0.0.1:80',
    ],
    [
      'a secret for no forwarding URL',
      [...LINE_FIELDS, '--forward-secret-file', secretFile('s')],
      'needs --forward-url',
    ],
  ])('refuses %s with a sentence and the exit code 2, and adds nothing', async (_what, fields, sentence) => {
    const env = freshSettings();
    const { code, stdout, stderr } = await command(['line', 'add', ...fields], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('    at ');
    expect(await storedLines(env)).toEqual([]);
  });

  test('refuses a business account that the phone number does not belong to, if the platform says so', async () => {
    const numbers = await peer(({ url }) =>
      url.startsWith('/v22.0/102290129340398/phone_numbers')
        ? { body: { data: [{ id: PHONE_NUMBER_ID }] } }
        : { body: { data: [{ id: '7' }] } },
    );
    const env = freshSettings({ GATEWAY_UPSTREAM_URL: numbers.url });
    const other = [...without('--waba-id'), '--waba-id', '202290129340398'];
    const refused = {
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('The phone number does not belong to this business account.'),
    };
    expect(await command(['line', 'add', ...other], env)).toMatchObject(refused);
    expect(await storedLines(env)).toEqual([]);
    // A number in place of its id is not asked for.
    const plus = [...without('--phone-number-id'), '--phone-number-id', '+919812345678'];
    expect(await command(['line', 'add', ...plus], env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--phone-number-id'),
    });
    await addLine(env);
    expect(await command(['line', 'edit', '1', '--waba-id', '202290129340398'], env)).toMatchObject(refused);
    // Nothing of that is asked for another name.
    const asked = numbers.received.length;
    await json(['line', 'edit', '1', '--name', 'Another'], env);
    expect(numbers.received).toHaveLength(asked);
  });

  test('refuses a phone number id that another line has', async () => {
    const env = freshSettings();
    await addTestLine(env);
    const again = await command(['line', 'add', ...LINE_FIELDS], env);
    expect(again).toMatchObject({ code: 2, stdout: '', stderr: `--phone-number-id: ${TAKEN}\n` });
  });

  test('refuses a secret key that is not the one of the database', async () => {
    const env = freshSettings();
    await addTestLine(env);
    const words = ['line', 'add', ...without('--phone-number-id'), '--phone-number-id', '1234567'];
    const other = await command(words, {
      ...env,
      GATEWAY_SECRET_KEY: 'another key than the one before it',
    });
    expect(other).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('GATEWAY_SECRET_KEY'),
    });
    expect(await storedLines(env)).toHaveLength(1);
  });
});

describe('line edit', () => {
  test('changes what is given, and nothing else', async () => {
    const env = freshSettings();
    const { line } = await addLine(env);
    const edited = await json<{ line: object }>(
      [
        'line',
        'edit',
        PHONE_NUMBER_ID,
        '--name',
        'Your shop',
        '--window',
        'all',
        '--quality',
        'strict',
        '--active',
        'false',
      ],
      env,
    );
    const expected = { ...line, name: 'Your shop', window: 'all', quality: 'strict', is_active: false };
    expect(edited.line).toEqual(expected);
    expect(await json(['line', 'list'], env)).toEqual({ lines: [{ ...expected, health: 'deactivated' }] });
  });

  test.each([
    ['without a line', ['--name', 'x'], 'Which line?'],
    ['of a line that there is not', ['7', '--name', 'x'], 'There is no line 7.'],
    ['that changes nothing', ['1'], 'Give at least one field'],
    ['with neither true nor false', ['1', '--active', 'no'], '--active is "no"; possible: true, false.'],
    [
      'to an address that may not be called',
      ['1', '--name', 'x', '--forward-url', 'http://10.0.0.1/'],
      '10.0.0.1',
    ],
  ])('%s ends with 2 and a sentence, and changes nothing', async (_what, words, sentence) => {
    const env = freshSettings();
    await addTestLine(env);
    const { code, stderr } = await command(['line', 'edit', ...words], env);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
    expect(await storedLines(env)).toMatchObject([{ name: 'Test line', deactivated_at: null }]);
  });

  test('refuses the phone number id of another line', async () => {
    const env = freshSettings();
    await addTestLine(env);
    await addTestLine(env, { phoneNumberId: '1234567' });
    const { code, stderr } = await command(['line', 'edit', '2', '--phone-number-id', PHONE_NUMBER_ID], env);
    expect(code).toBe(2);
    expect(stderr).toBe(`--phone-number-id: ${TAKEN}\n`);
  });
});

describe('a token', () => {
  test('is made, listed without itself, and revoked', async () => {
    const env = freshSettings();
    const first = await addLine(env);
    const { id, token } = await json<{ id: number; token: string }>(['token', 'create', '1'], env);
    expect(token).not.toBe(first.token);
    expect([first.token_id, id]).toEqual([1, 2]);
    const { stdout } = await command(['token', 'list', PHONE_NUMBER_ID], env);
    expect(stdout).toContain(`…${token.slice(-4)}`);
    expect(stdout).not.toContain('gwl_');
    expect((await command(['token', 'revoke', '1'], env)).code).toBe(0);

    const gateway = await start(env);
    expect(await ask(gateway, token, 'status')).toEqual({ status: 200 });
    expect(await ask(gateway, first.token, 'status')).toEqual({ status: 401, errorCode: 'invalid_token' });
  });

  test('that is revoked leaves what it registered, which is listed, and removed on request', async () => {
    const env = freshSettings();
    const { token } = await addLine(env);
    const gateway = await start(env);
    const register = async (path: string) => {
      const answer = await fetch(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: `http://127.0.0.1:9/${path}` }),
      });
      expect(answer.status).toBe(201);
    };
    await register('destinations');
    await register('alert-webhooks');
    await offline(env, (deps) =>
      askQuestion(
        { ...deps, releaseAnswer: async () => undefined },
        {
          ...{
            lineId: 1,
            tokenId: 1,
            contact: '16505551234',
            messageId: null,
            accepts: ['text'],
            choices: null,
          },
          ...{ expiresIn: 3600, destinationId: 99, alsoForward: false, replaces: false },
          callback: { url: 'http://127.0.0.1:9/answers/1', secret: 'of-the-question' },
        },
        async () => ({ messageId: 'wamid.question', names: [] }),
        () => null,
      ),
    );
    expect((await command(['destination', 'list', '1'], env)).stdout).toContain('\ttoken 1\t');
    expect((await command(['destination', 'show', '1'], env)).stdout).toContain(
      `Registered by\ttoken 1 (…${token.slice(-4)})`,
    );
    expect((await command(['token', 'rotate', '1', '--overlap', '0'], env)).code).toBe(0);

    const revoked = await command(['token', 'revoke', '2'], env);
    expect(revoked.stdout).toBe(
      [
        'Token 2 is revoked.',
        'What this token registered still receives events, alerts or answers:',
        '  destination 1, http://127.0.0.1:9/destinations',
        '  alert webhook 1, http://127.0.0.1:9/alert-webhooks',
        '  open questions: 1, answers to http://127.0.0.1:9',
        'To remove all of it: token revoke 2 --with-destinations\n',
      ].join('\n'),
    );
    expect((await command(['destination', 'show', '1'], env)).stdout).toMatch(/token 2 \(….{4}\), revoked 2/);
    const removed = await command(['token', 'revoke', '2', '--with-destinations'], env);
    expect(removed).toMatchObject({
      code: 0,
      stdout:
        'Removed: destination 1, http://127.0.0.1:9/destinations\nRemoved: alert webhook 1, http://127.0.0.1:9/alert-webhooks\nRemoved: open questions: 1, answers to http://127.0.0.1:9\n',
    });
    expect((await command(['destination', 'list', '1'], env)).stdout).toBe('');
    expect((await command(['alert', 'list'], env)).stdout).not.toContain('127.0.0.1:9');
    expect((await command(['token', 'revoke', '2', '--with-destinations'], env)).code).toBe(2);
  });

  test('that ends is replaced by one that lives as long as it was to', async () => {
    const env = freshSettings();
    await addLine(env);
    const end = Date.now() + 30 * DAY;
    const expiresAt = new Date(end).toISOString();
    await json(['token', 'create', PHONE_NUMBER_ID, '--expires-at', expiresAt], env);
    const rotated = await json<{ id: number; expires_at: string }>(['token', 'rotate', '2'], env);
    expect(rotated.id).toBe(3);
    const { tokens } = await json<{ tokens: Record<string, string>[] }>(
      ['token', 'list', PHONE_NUMBER_ID],
      env,
    );
    const [, before, after] = tokens.map(({ created_at = '', expires_at }) => ({ created_at, expires_at }));
    expect(after?.expires_at).toBe(rotated.expires_at);
    const lifeOf = (token?: { created_at: string; expires_at?: string }): number =>
      Date.parse(token?.expires_at ?? '') - Date.parse(token?.created_at ?? '');
    const meant = end - Date.parse(before?.created_at ?? '');
    expect(Math.abs(lifeOf(after) - meant)).toBeLessThan(MINUTE);
    expect(lifeOf(before)).toBeLessThan(2 * DAY);
  });

  test('has a name and scopes, which the list tells with its last use', async () => {
    const env = freshSettings();
    await addLine(env);
    await json(['token', 'create', '1', '--name', 'n8n production', '--scopes', 'read, send'], env);
    const { tokens } = await json<{ tokens: object[] }>(['token', 'list', '1'], env);
    expect(tokens).toMatchObject([
      { name: null, scopes: ['send', 'read', 'destinations'], last_used_at: null },
      { name: 'n8n production', scopes: ['send', 'read'], last_used_from: null, last_used_by: null },
    ]);
    const { stdout } = await command(['token', 'list', '1'], env);
    expect(stdout).toContain('n8n production\tsend,read\tcreated ');
  });

  test('is replaced by another, and works beside it for a while', async () => {
    const env = freshSettings();
    const first = await addLine(env);
    const second = await json<{ token: string; previous_until: string }>(
      ['token', 'rotate', '1', '--overlap', '2'],
      env,
    );
    const left = Date.parse(second.previous_until) - Date.now();
    expect(left).toBeGreaterThan(3_000_000);
    expect(left).toBeLessThanOrEqual(7_200_000);
    const third = await command(['token', 'rotate', '2', '--overlap', '0'], env);
    expect(third.stdout).toContain('Token 2 no longer works.');
    const audit = await rows(
      env.GATEWAY_DATABASE_URL ?? '',
      "select details from audit where action = 'token.rotated' order by number",
    );
    expect(audit.map(({ details }) => JSON.parse(String(details)))).toEqual([
      {
        token: `…${second.token.slice(-4)}`,
        replaces: `…${first.token.slice(-4)}`,
        expires_at: null,
        works_until: second.previous_until,
      },
      expect.objectContaining({ replaces: `…${second.token.slice(-4)}`, works_until: 'now' }),
    ]);
    const [token = ''] = /gwl_[\w-]{49}/.exec(third.stdout) ?? [];

    const gateway = await start(env);
    expect(await ask(gateway, first.token, 'status')).toEqual({ status: 200 });
    expect(await ask(gateway, second.token, 'status')).toEqual({ status: 401, errorCode: 'invalid_token' });
    expect(await ask(gateway, token, 'status')).toEqual({ status: 200 });
  });

  test.each([
    [
      'create',
      ['1', '--answers', 'graph'],
      '--answers: "graph" is not possible here. Choose gateway, platform.',
    ],
    ['create', ['1', '--scopes', 'send,write'], '--scopes: "write" is not possible here. Choose send, read,'],
    ['create', ['1', '--name', 'x'.repeat(61)], '--name: A name has up to 60 characters.'],
    ['create', ['1', '--expires-at', 'tomorrow'], '--expires-at: Enter a date or a time'],
    ['create', ['1', '--expires-at', '2020-01-01T00:00:00Z'], '--expires-at: Enter a time in the future.'],
    ['rotate', [], 'Which token?'],
    ['rotate', ['x'], 'A token is named by its id'],
    ['rotate', ['9'], 'There is no active token with the id 9.'],
    ['rotate', ['1', '--overlap', 'long'], '--overlap: Enter whole hours'],
    ['revoke', [], 'Which token?'],
    ['revoke', ['gwl_x'], 'A token is named by its id'],
    ['revoke', ['9'], 'There is no active token with the id 9.'],
  ])('%s %j ends with 2 and a sentence', async (verb, words, sentence) => {
    const env = freshSettings();
    await addTestLine(env);
    const { code, stdout, stderr } = await command(['token', verb, ...words], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('gwl_x');
  });
});
