import { request } from 'node:http';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/databases';
import {
  bodyOf,
  buttons,
  callbackTo,
  CONTACT,
  inside,
  LINE,
  list,
  startObserved,
  startReceiver,
  startTestSandbox,
  template,
  text,
} from '../support';

const ROWS = [
  { id: 'standard', title: 'Standard', description: 'Three days' },
  { id: 'express', title: 'Express' },
];

describe('a contact', () => {
  it('writes a text, which reaches the callback with its profile name', async () => {
    const { receiver, sandbox } = await startObserved();
    const answer = await sandbox.contact({ text: 'Is it still there?', name: 'Ana' });
    expect(answer.code).toBe(200);
    const [notification] = await receiver.accepted(1);
    expect(inside(notification)).toEqual({
      from: CONTACT,
      id: answer.json.id,
      timestamp: '1772445600',
      type: 'text',
      text: { body: 'Is it still there?' },
    });
    expect(answer.json.message).toEqual(inside(notification));
    expect(notification.json.entry[0].changes[0].value.contacts).toEqual([
      { profile: { name: 'Ana' }, wa_id: CONTACT },
    ]);
  });

  it('is called by the end of its number, and keeps a name until it takes another', async () => {
    const { receiver, sandbox } = await startObserved();
    for (const name of [undefined, 'Ana', undefined]) await sandbox.contact({ text: 'Hi', name });
    const names = (await receiver.accepted(3)).map(
      (each) => each.json.entry[0].changes[0].value.contacts[0].profile.name,
    );
    expect(names).toEqual(['Contact 0147', 'Ana', 'Ana']);
  });

  it.each(['id-yes', 'Yes', 'yes'])(
    'taps the button called %s of the last message that has buttons',
    async (tap) => {
      const sandbox = await startTestSandbox();
      await sandbox.send(buttons('Old'));
      const { id } = (await sandbox.send(buttons('Yes', 'No'))).json.messages[0];
      await sandbox.send(text('Well?'));
      const tapped = (await sandbox.contact({ button: tap })).json.message;
      expect(tapped).toMatchObject({
        context: { from: '12025550123', id },
        from: CONTACT,
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: 'id-yes', title: 'Yes' } },
      });
    },
  );

  it('taps a button of an older message that is named', async () => {
    const sandbox = await startTestSandbox();
    const { id } = (await sandbox.send(buttons('Old'))).json.messages[0];
    await sandbox.send(buttons('New'));
    expect((await sandbox.contact({ button: 'Old', message: id })).json.message.context.id).toBe(id);
  });

  it('chooses a row, which is reported with its description', async () => {
    const sandbox = await startTestSandbox();
    const { id } = (await sandbox.send(list(ROWS))).json.messages[0];
    expect((await sandbox.contact({ row: 'Standard' })).json.message).toMatchObject({
      context: { id },
      interactive: { type: 'list_reply', list_reply: ROWS[0] },
    });
    expect((await sandbox.contact({ row: 'express' })).json.message.interactive.list_reply).toEqual(ROWS[1]);
  });

  it('taps a quick reply of a template, which is reported as a button with its payload', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.send(
      template('appointment_reminder', [
        bodyOf('Ana', 'Friday', '15:30'),
        {
          type: 'button',
          sub_type: 'quick_reply',
          index: 1,
          parameters: [{ type: 'payload', payload: 'cancel-7' }],
        },
      ]),
    );
    expect((await sandbox.contact({ button: 'Yes' })).json.message).toMatchObject({
      type: 'button',
      button: { payload: 'Yes', text: 'Yes' },
    });
    expect((await sandbox.contact({ button: 'cancel-7' })).json.message.button).toEqual({
      payload: 'cancel-7',
      text: 'No',
    });
  });

  it('answers a message that the sandbox has forgotten when all is given', async () => {
    const sandbox = await startTestSandbox();
    const context = { from: '12025550123', id: 'wamid.forgotten' };
    const answer = async (body: object) =>
      (await sandbox.contact({ ...body, message: context.id })).json.message;
    expect(await answer({ button: { id: 'y', title: 'Yes' } })).toMatchObject({
      context,
      interactive: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } },
    });
    expect(await answer({ row: ROWS[0] })).toMatchObject({ context, interactive: { list_reply: ROWS[0] } });
    expect(await answer({ button: { payload: 'p', text: 'T' } })).toMatchObject({
      context,
      type: 'button',
      button: { payload: 'p', text: 'T' },
    });
    expect(await answer({ text: 'Thanks' })).toMatchObject({ context, text: { body: 'Thanks' } });
    expect((await sandbox.contact({ row: ROWS[1] })).json.message).not.toHaveProperty('context');
  });

  it.each([
    [
      'a button that is not there',
      { button: 'Maybe' },
      'has no button "Maybe". It has "Yes" (id-yes), "No" (id-no).',
    ],
    ['a row where there is none', { row: 'Express' }, `No message with a row was sent to ${CONTACT}`],
    ['a message nobody knows', { button: 'Yes', message: 'wamid.x' }, 'does not know the message wamid.x'],
    ['nothing', {}, 'exactly one of "text", "button", "row"'],
    ['two things at once', { text: 'a', button: 'Yes' }, 'exactly one of'],
    ['something unknown', { txt: 'a' }, 'The field "txt" is not known here.'],
    ['an empty text', { text: ' ' }, 'that is not empty'],
    ['a number for a text', { text: 7 }, 'that is not empty'],
    ['a number for a button', { button: 7 }, 'the id or the title of the button'],
    ['half a button', { button: { id: 'y' } }, 'has "id" and "title"'],
    ['half a row', { row: { title: 'y' } }, 'has "id", "title"'],
    ['a number for a message', { text: 'a', message: 7 }, 'the id of the message'],
    ['a name too long', { text: 'a', name: 'x'.repeat(201) }, 'profile name'],
    [
      'a line that is not there',
      { text: 'a', line: '7' },
      `There is no line "7"; "line" is the phone number id, one of ${LINE}`,
    ],
    ['no JSON', '{"text":', 'The body is to be a JSON object, for example {"text": "Hello"}.'],
    ['a list', [], 'The body is to be a JSON object'],
  ])('cannot do %s, and is told what it can', async (_fault, body, words) => {
    const receiver = await startReceiver();
    const sandbox = await startTestSandbox({
      callback: callbackTo(receiver),
      statusDelays: { sent: 60_000, delivered: 60_000, read: 60_000 },
    });
    await sandbox.send(buttons('Yes', 'No'));
    const answer = await sandbox.contact(body);
    expect(answer.code).toBe(400);
    expect(answer.json.error.message).toContain(words);
    expect(receiver.received).toEqual([]);
  });

  it('is a telephone number', async () => {
    const sandbox = await startTestSandbox();
    expect((await sandbox.call('POST', '/sandbox/contacts/ana/messages', { text: 'a' })).code).toBe(400);
    const spelled = await sandbox.call('POST', '/sandbox/contacts/+1 202-555-0147/messages', { text: 'a' });
    expect(spelled.json.message.from).toBe(CONTACT);
  });

  it('cannot tap a button that another got', async () => {
    const sandbox = await startTestSandbox();
    const { id } = (await sandbox.send({ ...buttons('Yes'), to: '12025550199' })).json.messages[0];
    const answer = await sandbox.contact({ button: 'Yes', message: id });
    expect(answer.json.error.message).toContain(`is not one of line ${LINE} to ${CONTACT}`);
  });
});

describe('the conversation', () => {
  it('shows what was written and what arrived, with its buttons and ticks', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.contact({ text: 'Hi', name: 'Ana' });
    await sandbox.send(buttons('Yes'));
    await receiver.accepted(4);
    await sandbox.contact({ button: 'Yes' });
    const { json } = await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`);
    const at = '2026-03-02T10:00:00.000Z';
    expect(json).toMatchObject({
      contact: CONTACT,
      name: 'Ana',
      line: LINE,
      window: { open: true, expires_at: '2026-03-03T10:00:00.000Z' },
      messages: [
        { direction: 'from_contact', type: 'text', text: { body: 'Hi' } },
        {
          direction: 'to_contact',
          type: 'interactive',
          taps: [{ kind: 'button', id: 'id-yes', title: 'Yes' }],
          statuses: [
            { status: 'sent', at },
            { status: 'delivered', at },
            { status: 'read', at },
          ],
        },
        { direction: 'from_contact', type: 'interactive', replies_to: json.messages[1].id },
      ],
    });
  });

  it('tells of a file how large it is, and gives it out', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.contact({ image: { data: 'aGVsbG8=', mime_type: 'image/png' } });
    const { json } = await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`);
    const { id } = json.messages[0].image;
    expect(json.messages[0].files).toEqual({ [id]: { mime_type: 'image/png', bytes: 5 } });
    const answer = await fetch(`${sandbox.url}/sandbox/media/${id}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(await answer.text()).toBe('hello');
    expect((await sandbox.call('GET', '/sandbox/media/7')).code).toBe(404);
  });

  it('shows a template in its parts, and why a message failed', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.play(`contacts/${CONTACT}`, { path: 'failed', code: 131026 });
    await sandbox.send(template('hello_world'));
    await receiver.accepted(2);
    const { json } = await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`);
    expect(json.messages).toMatchObject([
      {
        card: {
          header: 'Hello World',
          body: expect.stringMatching(/^Welcome!/),
          footer: 'Sandbox',
          buttons: [],
        },
        statuses: [{ status: 'sent' }, { status: 'failed', code: 131026, title: 'Message undeliverable' }],
      },
    ]);
  });

  it('of a contact who never wrote has a closed window', async () => {
    const sandbox = await startTestSandbox();
    expect((await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`)).json).toEqual({
      contact: CONTACT,
      name: null,
      line: LINE,
      window: { open: false, expires_at: null },
      messages: [],
    });
  });
});

describe('a restart', () => {
  const folder = temporaryFolder();
  const dataFile = join(folder, 'data', 'sandbox-contacts.jsonl');

  it('forgets messages, but neither who wrote when nor its name', async () => {
    const before = await startTestSandbox({ dataFile });
    await before.contact({ text: 'Hi', name: 'Ana' });
    await before.contact({ text: 'Hi again' });
    await before.close();
    appendFileSync(dataFile, '{"line":"1093514782036');

    const receiver = await startReceiver();
    const after = await startTestSandbox({ dataFile, callback: callbackTo(receiver) });
    expect(readFileSync(dataFile, 'utf8').trim().split('\n')).toHaveLength(1);
    const conversation = (await after.call('GET', `/sandbox/contacts/${CONTACT}/messages`)).json;
    expect(conversation).toMatchObject({ name: 'Ana', window: { open: true }, messages: [] });
    await after.send(text('Hello again'));
    expect(inside((await receiver.accepted(1))[0]).status).toBe('sent');
  });
});

describe('the control routes', () => {
  const get = (url: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      request(url, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  it('need no token on loopback', async () => {
    const sandbox = await startTestSandbox();
    expect(await get(`${sandbox.url}/sandbox`, {})).toBe(200);
    expect(await get(`${sandbox.url}/sandbox`, { host: 'localhost:8081' })).toBe(200);
    expect(await get(`${sandbox.url}/sandbox`, { host: '[::1]:8081' })).toBe(200);
  });

  it.each([
    ['a page', { origin: 'http://127.0.0.1:5678' }],
    ['a page that hides', { origin: 'null' }],
    ['a page’s link', { 'sec-fetch-site': 'cross-site' }],
    ['a name that was made to point here', { host: 'attacker.example:8081' }],
    ['a name that begins well', { host: '127.0.0.1.attacker.example' }],
  ])('refuse %s', async (_who, headers) => {
    const sandbox = await startTestSandbox();
    expect(await get(`${sandbox.url}/sandbox`, headers as Record<string, string>)).toBe(403);
  });

  it.each(['/sandbox/nothing', '/sandbox/contacts/ana', '/sandbox/%zz', '/sandbox/contacts/%00/messages'])(
    'answer %s with JSON that says what is wrong',
    async (path) => {
      const sandbox = await startTestSandbox();
      const answer = await sandbox.call('GET', path);
      expect(answer.code).toBeGreaterThanOrEqual(400);
      expect(answer.code).toBeLessThan(500);
      expect(answer.json.error.message).toEqual(expect.any(String));
    },
  );
});
