import { gzipSync } from 'node:zlib';
import { CONTACT, expectRefusal, imageTo, lineOf, sceneOf } from '../../support/scene';

const MOST = 64 * 1024;

const scene = sceneOf();
const line = lineOf(scene);

afterEach(() => expect(line.sent()).toEqual([]));

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

describe('a body that is no JSON object', () => {
  test.each([
    ['nothing', '', 'it is empty'],
    ['a word', 'hello', 'look at its commas, quotes and brackets'],
    ['a form', 'to=1&type=text', 'look at its commas, quotes and brackets'],
    ['a missing quote', '{\n"to":"1,\n"type":"text"}', 'look at line 2, column 9'],
    ['a comma too many', '{"to":"1",}', 'look at line 1, column 11'],
    ['a single quote', "{'to':'1'}", 'look at line 1, column 2'],
    ['an end too early', '{"to":', 'may be missing at its end'],
    ['two objects', '{}{}', 'look at line 1, column 3'],
    ['a list', '[{}]', 'it must start with { and end with }'],
    ['a text', '"to"', 'it must start with { and end with }'],
    ['a number', '1', 'it must start with { and end with }'],
    ['null', 'null', 'it must start with { and end with }'],
    ['true', 'true', 'it must start with { and end with }'],
    ['NaN', '{"a":NaN}', 'look at'],
    ['33 levels', nested(33), 'nested more than 32 levels'],
    ['thirty thousand brackets', '['.repeat(MOST / 2), 'nested more than 32 levels'],
    ['a prototype', '{"__proto__":{"to":"1"}}', 'a key that is not allowed'],
    ['a prototype written with escapes', '{"\\u005f_proto__":{"to":"1"}}', 'a key that is not allowed'],
    ['a prototype further in', '{"text":{"a":[{"__proto__":1}]}}', 'a key that is not allowed'],
    [
      'a constructor with a prototype',
      '{"constructor":{"prototype":{"to":"1"}}}',
      'a key that is not allowed',
    ],
  ])('is refused with the place to look at: %s', async (_name, body, told) => {
    const reply = await line.send(body);
    expect(expectRefusal(reply, 400, 'invalid_json', 100)).toContain(told);
    expect(reply.body.error).not.toHaveProperty('error_data.fields');
  });

  test('is refused when it is not UTF-8', async () => {
    for (const bytes of [
      [0x7b, 0xff, 0x7d],
      [0x22, 0xc3, 0x28, 0x22],
      [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00],
    ]) {
      expect(expectRefusal(await line.send(Uint8Array.from(bytes)), 400, 'invalid_json', 100)).toContain(
        'UTF-8',
      );
    }
  });

  test('is not repeated in the answer', async () => {
    const reply = await line.send('{"text":"something private');
    expect(reply.text).not.toContain('private');
  });
});

describe('a body of another content type', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/vnd.api+json',
    'x',
    ';;',
  ])('is refused: %s', async (type) => {
    const reply = await line.send(JSON.stringify(imageTo(CONTACT)), { 'content-type': type });
    expect(expectRefusal(reply, 415, 'unsupported_media_type', 100)).toContain(
      'Content-Type: application/json',
    );
  });

  test('is refused with a 400, which Graph clients read, if it has form fields', async () => {
    const fields = String(new URLSearchParams({ to: CONTACT, type: 'text', text: '{"body":"Hello"}' }));
    const reply = await line.send(fields, { 'content-type': 'application/x-www-form-urlencoded' });
    expect(expectRefusal(reply, 400, 'unsupported_media_type', 100)).toContain('Send the body as JSON');
    expect(line.sent()).toEqual([]);
  });

  test('is no body if it is an empty form', async () => {
    const { status, body } = await line.send('', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([status, body.error_code]).toEqual([400, 'invalid_json']);
  });

  test('is refused with the compression that it has', async () => {
    const reply = await line.send(Uint8Array.from(gzipSync(JSON.stringify(imageTo(CONTACT)))), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
    expect(expectRefusal(reply, 400, 'invalid_json', 100)).toContain('"gzip": send it without compression');
  });

  test('is refused when it has none', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(imageTo(CONTACT)));
    expectRefusal(await line.send(bytes, {}), 415, 'unsupported_media_type', 100);
  });
});

describe('a body beyond 64 KB', () => {
  const ofSize = (bytes: number) => `{"to":"","type":"text","text":{"body":"${'x'.repeat(bytes - 42)}"}}`;

  test('is refused at the first byte too many, and not before', async () => {
    expect(ofSize(MOST)).toHaveLength(MOST);
    expectRefusal(await line.send(ofSize(MOST)), 400, 'invalid_payload', 131009);
    const reply = await line.send(ofSize(MOST + 1));
    expect(expectRefusal(reply, 413, 'payload_too_large', 100)).toContain('64 KB');
  });

  test('is refused as soon as that is known, when its length is not announced', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    let chunks = 0;
    const body = new ReadableStream({
      pull: (controller) => (++chunks > 100 ? controller.close() : controller.enqueue(chunk)),
    });
    const answer = await fetch(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    const { error_code: word } = (await answer.json()) as { error_code: string };
    expect([answer.status, word]).toEqual([413, 'payload_too_large']);
  });
});

describe('a hostile body', () => {
  test.each([
    ['spaces for a phone number', { to: ' '.repeat(MOST - 200), type: 'text', text: { body: 'a' } }],
    ['brackets for a phone number', { to: `1${'('.repeat(MOST - 200)}x`, type: 'text', text: { body: 'a' } }],
    ['digits', { to: '1'.repeat(MOST - 200), type: 'text', text: { body: 'a' } }],
    [
      'twenty thousand parameters',
      {
        to: '1',
        type: 'template',
        template: {
          name: 'a',
          language: { code: 'b' },
          components: [{ type: 'body', parameters: Array.from({ length: 20_000 }, () => ({})) }],
        },
      },
    ],
    [
      'parameters without a value',
      {
        to: '1',
        type: 'template',
        template: {
          name: 'a',
          language: { code: 'b' },
          components: [{ type: 'body', parameters: Array.from({ length: 1_900 }, () => ({ type: 'text' })) }],
        },
      },
    ],
    [
      'thirty thousand contacts',
      { to: '1', type: 'contacts', contacts: Array.from({ length: 30_000 }, () => 1) },
    ],
    [
      'as many contacts as are judged',
      { to: '1', type: 'contacts', contacts: Array.from({ length: 2_000 }, () => ({})) },
    ],
    [
      'thirty thousand buttons',
      {
        to: '1',
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'a' },
          action: { buttons: Array.from({ length: 30_000 }, () => 1) },
        },
      },
    ],
    [
      'as many equal rows',
      {
        to: '1',
        type: 'interactive',
        interactive: {
          type: 'list',
          body: { text: 'a' },
          action: { button: 'a', sections: [{ rows: Array.from({ length: 1_900 }, () => ({ id: 'a' })) }] },
        },
      },
    ],
    [
      'as many sections',
      {
        to: '1',
        type: 'interactive',
        interactive: {
          type: 'list',
          body: { text: 'a' },
          action: { button: 'a', sections: Array.from({ length: 20_000 }, () => ({})) },
        },
      },
    ],
  ])('is refused in little time and few words: %s', async (_name, body) => {
    const before = process.cpuUsage();
    const reply = await line.send(body);
    const { user, system } = process.cpuUsage(before);
    expect(reply.status).toBe(400);
    expect(reply.body.error_code).toBe('invalid_payload');
    expect(reply.body.error.error_data.fields.length).toBeLessThanOrEqual(20);
    expect(reply.text.length).toBeLessThan(100_000);
    // Of this process's own time: others may have the processor meanwhile.
    expect((user + system) / 1000).toBeLessThan(4000);
  });
});
