import { commandActor } from '../../../../gateway/cli/offline';
import { lineOf, sceneOf } from '../../../support/scene';
import { secretFile } from '../../../support/secret-file';
import { command } from '../support';

/** The gateway's sandbox is the platform, at its own address. */
const scene = sceneOf(undefined, { GATEWAY_UPSTREAM_URL: 'sandbox' });
const line = lineOf(scene);

const run = (...words: string[]) =>
  command(words, { ...scene.gateway.env, GATEWAY_UPSTREAM_URL: scene.gateway.sandboxUrl ?? '' });

async function said(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...words);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const fileOf = (template: object) => secretFile(JSON.stringify(template));

const BODY = { type: 'BODY', text: 'Hello {{1}}, your order is ready.', example: { body_text: [['Ana']] } };
const TEMPLATE = { name: 'order_ready', language: 'en_US', category: 'UTILITY', components: [BODY] };

const lastAudit = async () => {
  const [entry] = await scene.change(({ store }) => store.audit.page({ lineId: line.id }, 1));
  return entry && { ...entry, details: JSON.parse(String(entry.details)) };
};

describe('template', () => {
  test('creates, lists, edits and deletes, each change audited under the user of the command', async () => {
    expect(await said('template', 'create', line.phoneNumberId, fileOf(TEMPLATE))).toMatch(
      /^Template \d+ is submitted: PENDING, UTILITY\.\n$/,
    );
    expect(await lastAudit()).toMatchObject({
      ...commandActor(),
      action: 'template.created',
      details: { template: 'order_ready', language: 'en_US', category: 'UTILITY' },
    });

    const list = await said('template', 'list', line.phoneNumberId);
    const [, id = ''] = /^(\d+)\torder_ready\ten_US\tUTILITY\tPENDING$/m.exec(list) ?? [];
    const { templates } = JSON.parse(await said('template', 'list', line.phoneNumberId, '--json'));
    expect(templates).toContainEqual(expect.objectContaining({ id, name: 'order_ready' }));

    await fetch(`${scene.gateway.sandboxUrl}/sandbox/templates/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ line: line.phoneNumberId, event: 'APPROVED' }),
    });
    const edit = fileOf({ components: [{ ...BODY, text: 'Hi {{1}}, your order is ready for pickup.' }] });
    expect(JSON.parse(await said('template', 'edit', line.phoneNumberId, id, edit, '--json'))).toEqual({
      success: true,
    });
    expect(await lastAudit()).toMatchObject({ ...commandActor(), action: 'template.edited' });

    const asked = await run('template', 'delete', line.phoneNumberId, 'order_ready');
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('confirm with --yes')]);
    expect(await said('template', 'list', line.phoneNumberId)).toContain('order_ready');
    expect(await said('template', 'delete', line.phoneNumberId, 'order_ready', '--yes')).toBe(
      'Template "order_ready" in all its languages is deleted.\n',
    );
    expect(await lastAudit()).toMatchObject({ ...commandActor(), action: 'template.deleted' });
    expect(await said('template', 'list', line.phoneNumberId)).not.toContain('order_ready');
  });

  test('warns of what the review will probably refuse', async () => {
    const doubtful = {
      ...TEMPLATE,
      name: 'spring_sale',
      components: [{ type: 'BODY', text: 'Buy now: 50% off!' }],
    };
    const { code, stdout, stderr } = await run(
      'template',
      'create',
      line.phoneNumberId,
      fileOf(doubtful),
      '--json',
    );
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ category: 'UTILITY' })]);
    expect(stderr).toMatch(/^The review will probably refuse this\. \S+: .+\n$/);
  });

  test('prints every reason why the rules refuse a file, and asks the platform nothing', async () => {
    const before = await lastAudit();
    const wrong = { ...TEMPLATE, name: 'Order ready', components: [{ type: 'BODY', text: '{{1}}' }] };
    const { code, stdout, stderr } = await run('template', 'create', line.phoneNumberId, fileOf(wrong));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^name: .+$/m);
    expect(stderr).toMatch(/^components\[0\]\S*: .+$/m);
    expect(await lastAudit()).toEqual(before);
  });
});

describe('profile', () => {
  test('changes the given fields and shows the profile', async () => {
    const change = [
      ...['--about', 'Open 9–18'],
      ...['--description', 'First\nsecond\u001b[31m'],
      ...['--website', 'https://a.example/'],
      ...['--website', 'https://b.example/'],
    ];
    expect(await said('profile', 'edit', line.phoneNumberId, ...change)).toBe(
      `The business profile of line ${line.id} is changed: about, description, websites.\n`,
    );
    expect(await lastAudit()).toMatchObject({
      ...commandActor(),
      action: 'platform.changed',
      details: {
        request: `POST /${line.phoneNumberId}/whatsapp_business_profile`,
        fields: ['about', 'description', 'websites'],
      },
    });
    const shown = await said('profile', 'show', line.phoneNumberId);
    expect(shown).toContain('description\tFirst second [31m\n');
    expect(shown).toContain('about\tOpen 9–18\n');
    expect(shown).toContain('websites\thttps://a.example/, https://b.example/\n');
    expect(JSON.parse(await said('profile', 'show', line.phoneNumberId, '--json'))).toMatchObject({
      data: [{ about: 'Open 9–18' }],
    });
  });

  test("prints the platform's refusal and ends with 1", async () => {
    const { code, stderr } = await run('profile', 'edit', line.phoneNumberId, '--about', 'a'.repeat(140));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The platform refused: .+\n$/)]);
  });
});

describe('a number', () => {
  const PIN = '719305';

  test('has QR codes, which are created, edited and deleted', async () => {
    const created = await said('qr', 'create', line.phoneNumberId, '--text', 'Is it open?');
    const [, code = ''] =
      /^QR code ([0-9A-F]{14}) is created: https:\/\/wa\.me\/message\/\1\n$/.exec(created) ?? [];
    await said('qr', 'edit', line.phoneNumberId, code, '--text', 'Are you open?');
    expect(await said('qr', 'list', line.phoneNumberId)).toBe(
      `${code}\thttps://wa.me/message/${code}\tAre you open?\n`,
    );
    expect((await run('qr', 'delete', line.phoneNumberId, code)).stderr).toContain('confirm with --yes');
    await said('qr', 'delete', line.phoneNumberId, code, '--yes');
    expect(JSON.parse(await said('qr', 'list', line.phoneNumberId, '--json'))).toEqual({ data: [] });
    expect(await lastAudit()).toMatchObject({
      ...commandActor(),
      action: 'platform.changed',
      details: { request: `DELETE /${line.phoneNumberId}/message_qrdls/${code}` },
    });
  });

  test('has a chat start and a shop', async () => {
    const tid = line.phoneNumberId;
    const offers = ['--prompt', 'Are you open?', '--command', 'menu: See the menu'];
    await said('chat-start', 'edit', tid, ...offers, '--welcome', 'true');
    expect(await said('chat-start', 'show', tid)).toBe('welcome: true\tAre you open?\tmenu: See the menu\n');
    await said('shop', 'edit', tid, '--cart', 'false');
    expect(await said('shop', 'show', tid)).toBe('catalog: true\tcart: false\n');
    expect((await run('chat-start', 'edit', tid, '--command', 'menu')).code).toBe(2);
  });

  test('has blocked contacts', async () => {
    await said('block', 'add', line.phoneNumberId, '+1 202-555-0147');
    expect(await said('block', 'list', line.phoneNumberId)).toBe('12025550147\n');
    await said('block', 'remove', line.phoneNumberId, '12025550147');
    expect(await said('block', 'list', line.phoneNumberId)).toBe('');
    expect((await run('block', 'add', line.phoneNumberId, 'nobody')).code).toBe(2);
  });

  test('is verified, registered and disconnected; a PIN is no argument, and in no audit entry', async () => {
    await said('number', 'request-code', line.phoneNumberId, '--method', 'voice');
    await said('number', 'verify-code', line.phoneNumberId, '--code-file', secretFile('482-913'));
    const wrong = await run('number', 'register', line.phoneNumberId, '--pin-file', secretFile('12'));
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('A PIN has six digits.')]);
    const refused = await run('number', 'register', line.phoneNumberId, '--pin', PIN);
    expect([refused.code, refused.stderr]).toEqual([2, expect.not.stringContaining(PIN)]);
    await said('number', 'set-pin', line.phoneNumberId, '--pin-file', secretFile(PIN));
    expect(await said('number', 'register', line.phoneNumberId, '--pin-file', secretFile(PIN))).toBe(
      'The number is registered.\n',
    );
    expect(await lastAudit()).toMatchObject({
      details: { request: `POST /${line.phoneNumberId}/register`, fields: ['pin'] },
    });
    expect((await run('number', 'deregister', line.phoneNumberId)).stderr).toContain('confirm with --yes');
    await said('number', 'deregister', line.phoneNumberId, '--yes');
    const entries = await scene.change(({ store }) => store.audit.page({ lineId: line.id }, 100));
    expect(JSON.stringify(entries)).not.toMatch(/719305|482-?913/);
  });
});

test.each([
  ['Which file?', ['template', 'create', '1']],
  ['does not contain a JSON object', ['template', 'create', '1', secretFile('no JSON')]],
  ['cannot be read', ['template', 'create', '1', '/nowhere/template.json']],
  ['Which template?', ['template', 'edit', '1', 'order_ready', '-']],
  ['no such template', ['template', 'edit', '1', '12', fileOf(TEMPLATE)]],
  ['Which template?', ['template', 'delete', '1']],
  ['Give at least one field', ['profile', 'edit', '1']],
  ['Which line?', ['profile', 'show']],
])('refuses with "%s"', async (sentence, words) => {
  const { code, stderr } = await run(...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});

test('the sandbox inside a running gateway cannot be reached', async () => {
  const { code, stderr } = await command(['profile', 'show', '1'], scene.gateway.env);
  expect([code, stderr]).toEqual([2, expect.stringContaining('commands cannot reach the sandbox')]);
});
