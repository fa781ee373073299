import { rows } from '../../support/rows';
import { addTestLine } from '../../support/test-gateway';
import { command, freshSettings, json, PHONE_NUMBER_ID } from './support';

describe('admin-token', () => {
  test('create shows the token once; list shows its reach, and revoke ends it', async () => {
    const env = freshSettings();
    const { id: line } = await addTestLine(env);
    await json(['customer', 'add', '--name', 'One'], env);
    const made = await json<{ token: string; id: number }>(
      ['admin-token', 'create', '--name', 'Sync', '--customer', '1', '--expires-in', '30'],
      env,
    );
    expect(made).toMatchObject({ token: expect.stringMatching(/^gwa_[\w-]{49}$/), customer_ids: [1] });
    const ofLine = ['--line', PHONE_NUMBER_ID, '--permissions', 'send, read'];
    const { stdout } = await command(['admin-token', 'create', '--name', 'n8n', ...ofLine], env);
    expect(stdout).toMatch(/^Admin token 2 "n8n", valid until \S+, shown only once: gwa_[\w-]{49}\n$/);
    expect(await command(['admin-token', 'revoke', '1'], env)).toMatchObject({
      code: 0,
      stdout: 'Admin token 1 is revoked.\n',
    });
    const { admin_tokens: listed } = await json<{ admin_tokens: object[] }>(['admin-token', 'list'], env);
    expect(listed).toMatchObject([
      { id: 2, name: 'n8n', permissions: ['send', 'read'], customer_ids: null, line_ids: [line] },
      { id: 1, name: 'Sync', customer_ids: [1], line_ids: null, revoked_at: expect.any(String) },
    ]);
    const text = (await command(['admin-token', 'list'], env)).stdout;
    expect(text).toContain(`lines ${line}`);
    const database = JSON.stringify(
      await rows(env.GATEWAY_DATABASE_URL ?? '', 'select * from admin_tokens, audit'),
    );
    for (const shown of [database, text, JSON.stringify(listed)])
      expect(shown).not.toContain(made.token.slice(4, 24));
  });

  test.each([
    ['create', [], '--name: Enter a name.'],
    ['create', ['--name', 'x', '--permissions', 'fly'], '--permissions: "fly" is not possible here.'],
    ['create', ['--name', 'x', '--customer', '7'], '--customer: There is no such customer.'],
    ['create', ['--name', 'x', '--line', '7'], 'There is no line 7.'],
    ['create', ['--name', 'x', '--expires-in', '400'], '--expires-in: Enter a number of days from 1 to 365.'],
    ['revoke', [], 'Which admin token?'],
    ['revoke', ['gwa_x'], 'Which admin token?'],
    ['revoke', ['7'], 'There is no such admin token.'],
  ])('%s %j ends with 2 and a sentence', async (verb, words, sentence) => {
    const env = freshSettings();
    await addTestLine(env);
    const { code, stdout, stderr } = await command(['admin-token', verb, ...words], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('gwa_x');
  });
});
