import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTROL_ROUTES } from '../../../gateway/sandbox/control-routes';
import { temporaryFolder } from '../../support/databases';
import {
  callbackTo,
  CONTACT,
  inside,
  type Json,
  LINE,
  lineWith,
  startObserved,
  startReceiver,
  startTestSandbox,
  template,
  TOKEN,
  valueOf,
} from './support';

describe('a flood', () => {
  it.each([
    [{ messages: 600, statuses: 400 }, 1],
    [{ messages: 1000, notifications: 3 }, 3],
    [{ statuses: 7, notifications: 7 }, 7],
  ])('of %j comes in %i notifications', async (asked, notifications) => {
    const { receiver, sandbox } = await startObserved();
    const { messages = 0, statuses = 0 } = asked as { messages?: number; statuses?: number };
    expect(await sandbox.play('flood', asked)).toEqual({ messages, statuses, notifications });
    const changes = (await receiver.accepted(notifications)).flatMap(({ json }) => json.entry[0].changes);
    const all = (list: string): Json[] => changes.flatMap(({ value }) => value[list] ?? []);
    expect([all('messages').length, all('statuses').length]).toEqual([messages, statuses]);
    expect(new Set([...all('messages'), ...all('statuses')].map(({ id }) => id)).size).toBe(
      messages + statuses,
    );
    for (const { value } of changes.filter((change) => change.value.messages)) {
      const writers = new Set(value.messages.map(({ from }: Json) => from));
      expect(new Set(value.contacts.map((contact: Json) => contact.wa_id))).toEqual(writers);
      expect(value.contacts).toHaveLength(writers.size);
    }
  });

  it('opens the windows of those who write', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('flood', { messages: 2 });
    const { json } = await sandbox.call('GET', '/sandbox/contacts/12025550101/messages');
    expect(json).toMatchObject({ name: 'Contact 2', window: { open: true } });
    expect(json.messages[0].text.body).toBe('Message 2 of 2');
  });

  it.each([
    [{}, '1 to 1000 together'],
    [{ messages: 600, statuses: 401 }, '1 to 1000 together'],
    [{ messages: 1001 }, '"messages" is a whole number from 0 to 1000'],
    [{ messages: 1.5 }, '"messages" is a whole number'],
    [{ messages: 2, notifications: 3 }, '"notifications" is a whole number from 1 to 2'],
    [{ messages: 2, contact: CONTACT }, 'The field "contact" is not known here'],
  ])('is not made of %j', async (body, words) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('POST', '/sandbox/flood', body);
    expect([answer.code, answer.json.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});

describe('a reset', () => {
  it('of everything leaves the lines, and the time that it is', async () => {
    const folder = temporaryFolder();
    const dataFile = join(folder, 'contacts.jsonl');
    const receiver = await startReceiver();
    const sandbox = await startTestSandbox({
      dataFile,
      callback: callbackTo(receiver),
      statusDelays: { sent: 1, delivered: 60_000, read: 60_000 },
    });
    const untouched = (await sandbox.call('GET', '/sandbox')).json;
    await sandbox.contact({ text: 'Hi' });
    await sandbox.send(template('hello_world'));
    await receiver.accepted(2);
    await sandbox.play(`contacts/${CONTACT}`, { path: 'sent', user_id: 'US.1' });
    await sandbox.play('failures', { code: 131026 });
    await sandbox.play(`lines/${LINE}`, { quality_rating: 'RED' });
    await sandbox.play('templates/hello_world', { event: 'DELETED' });
    await sandbox.play('latency', { delay: '1m' });
    await sandbox.play('outage', { kind: 'unavailable', for: '1h' });
    await sandbox.play('clock', { advance: '1h' });
    expect(await sandbox.play('reset')).toEqual({ reset: 'everything' });

    const after = (await sandbox.call('GET', '/sandbox')).json;
    expect(after).toEqual({ ...untouched, clock: { now: '2026-03-02T11:00:00.000Z', ahead: '1h' } });
    const { json } = await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`);
    expect(json).toMatchObject({ name: null, window: { open: false }, messages: [] });
    expect((await sandbox.call('GET', `/sandbox/contacts/${CONTACT}`)).json.user_id).toBeNull();
    expect((await sandbox.send(template('hello_world'))).code).toBe(200);
    await sandbox.close();

    await startTestSandbox({ dataFile });
    expect(readFileSync(dataFile, 'utf8')).toBe('{"clockAhead":3600000}\n');
  });

  it('of one contact leaves the others', async () => {
    const { receiver, sandbox } = await startObserved();
    for (const contact of [CONTACT, '12025550199'])
      await sandbox.call('POST', `/sandbox/contacts/${contact}/messages`, { text: 'Hi' });
    await sandbox.play(`contacts/${CONTACT}`, { path: 'sent' });
    expect(await sandbox.play('reset', { contact: `+${CONTACT}` })).toEqual({ reset: CONTACT });
    const { contacts } = (await sandbox.call('GET', '/sandbox/contacts')).json;
    expect(contacts.map(({ contact }: Json) => contact)).toEqual(['12025550199']);
    await sandbox.send(template('hello_world'));
    expect((await receiver.accepted(5)).slice(2).map((each) => inside(each).status)).toEqual([
      'sent',
      'delivered',
      'read',
    ]);
  });

  it('stops what is on its way', async () => {
    const receiver = await startReceiver();
    const sandbox = await startTestSandbox({
      callback: callbackTo(receiver),
      statusDelays: { sent: 50, delivered: 51, read: 52 },
    });
    await sandbox.send(template('hello_world'));
    await sandbox.play('reset');
    await sandbox.send({ ...template('hello_world'), to: '12025550199' });
    const statuses = (await receiver.accepted(3)).flatMap((each) => valueOf(each).statuses);
    expect(new Set(statuses.map(({ recipient_id }: Json) => recipient_id))).toEqual(new Set(['12025550199']));
  });
});

describe('every control route', () => {
  const paths = CONTROL_ROUTES.map(({ method, path }) => [
    method,
    path.replace(':contact', CONTACT).replace(':line', LINE).replace(':template', 'hello_world'),
  ]) as ['GET' | 'POST' | 'DELETE', string][];

  it('is told by GET /sandbox, with a body that it takes', async () => {
    const sandbox = await startTestSandbox();
    const { routes } = (await sandbox.call('GET', '/sandbox')).json;
    expect(Object.keys(routes)).toHaveLength(CONTROL_ROUTES.length);
    expect(routes['POST /sandbox/clock']).toEqual({
      does: expect.any(String),
      example: { advance: '25h' },
    });
    for (const { method, example } of CONTROL_ROUTES)
      expect([method, Boolean(example)]).toEqual([method, method === 'POST']);
  });

  const examples = paths.map(
    ([method, path], index) => [method, path, CONTROL_ROUTES[index].example] as const,
  );

  // There is no file yet whose id it could be.
  it.each(examples.filter(([, path]) => !path.includes(':media')))(
    'takes its example: %s %s',
    async (method, path, example) => {
      const sandbox = await startTestSandbox();
      const { code, json } = await sandbox.call(method, path, example);
      expect([code, json]).toEqual([200, expect.any(Object)]);
    },
  );

  const bodies: (string | Uint8Array<ArrayBuffer>)[] = [
    '[]',
    '7',
    'null',
    '"text"',
    '{',
    '{"__proto__": {"advance": "1h"}, "constructor": 1}',
    '{"a": 1e999}',
    '['.repeat(100_000),
    `{"text": ${'['.repeat(70)}${']'.repeat(70)}}`,
    '\u0000',
    new Uint8Array([0xff, 0xfe, 0x00, 0x80, 0xc0]),
    new Uint8Array(4096).map((_, index) => (index * 31) % 256),
    `{"text": "${'x'.repeat(2 * 1024 * 1024)}"}`,
  ];

  it.each(paths.filter(([method]) => method === 'POST'))(
    'answers %s %s with 4xx and JSON, whatever comes',
    async (method, path) => {
      const sandbox = await startTestSandbox();
      for (const body of bodies) {
        for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain']) {
          const answer = await fetch(sandbox.url + path, { method, body, headers: { 'content-type': type } });
          const json = (await answer.json()) as Json;
          expect([answer.status >= 400 && answer.status < 500, json.error?.message]).toEqual([
            true,
            expect.any(String),
          ]);
        }
      }
    },
  );

  it.each([
    'GET /sandbox/%ff HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    'GET /sandbox/contacts/%E0%A4%A/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    'BREW /sandbox HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    'POST /sandbox/clock HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: nine\r\n\r\n',
    'PUT /sandbox/clock HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
  ])('answers %j with 4xx and JSON', async (raw) => {
    const sandbox = await startTestSandbox();
    const text = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(sandbox.url);
      let received = '';
      connect(Number(port), hostname)
        .on('data', (chunk) => (received += chunk.toString()))
        .on('end', () => resolve(received))
        .on('error', reject)
        .end(raw);
    });
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(() => JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).not.toThrow();
  });

  it.each([
    ['POST', '/sandbox/clock', { advance: '1h' }],
    ['POST', '/sandbox/reset', {}],
    ['POST', '/sandbox/latency', { delay: '1s' }],
    ['POST', '/sandbox/outage', { kind: 'cut' }],
    ['POST', `/sandbox/contacts/${CONTACT}`, { path: 'sent' }],
  ] as const)('that concerns all lines asks for a token of them all: %s %s', async (method, path, body) => {
    let lines = [
      lineWith({ phoneNumberId: LINE }),
      lineWith({ phoneNumberId: '2001', accessToken: 'EAAother' }),
    ];
    const sandbox = await startTestSandbox({ host: '0.0.0.0', lines: () => lines });
    const refused = await sandbox.call(method, path, body, { authorization: `Bearer ${TOKEN}` });
    expect([refused.code, refused.json.error.message]).toEqual([
      403,
      'This concerns every line, and the access token does not open them all.',
    ]);
    lines = lines.slice(0, 1);
    expect((await sandbox.call(method, path, body)).code).toBe(200);
  });
});
