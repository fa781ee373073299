import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';

import { runAction } from '../support/n8n';
import {
  accepted,
  gatewayForEach,
  MEDIA,
  MESSAGES,
  refusal,
  TEMPLATES,
  type Answer,
  type Received,
} from './support/gateway';

const SEND = { resource: 'message', operation: 'send', to: '={{ $json.to }}', text: '={{ $json.text }}' };
/** No limit of the node's own keeps its texts short. */
const AS_JSON = {
  ...SEND,
  messageType: 'json',
  messageJson: '={{ JSON.stringify({ type: "text", text: { body: $json.text } }) }}',
};
const BATCH = `${MESSAGES}/batch`;

interface Item {
  key: string;
  message: { to: string; text: { body: string } };
}

const gateway = gatewayForEach();
/** What the gateway takes, alone or in a batch, in the order of arrival. */
let taken: Item[];
beforeEach(() => {
  taken = [];
  gateway.on('POST', MESSAGES, (request) => {
    const key = String(request.headers['idempotency-key']);
    return answerTo({ key, message: request.body as Item['message'] });
  });
});

/** Says what becomes of a message, in place of accepting it. */
let instead: (item: Item) => Answer | undefined = () => undefined;
afterEach(() => (instead = () => undefined));

function answerTo(item: Item): Answer {
  taken.push(item);
  return instead(item) ?? accepted({ body: item.message } as Received, `wamid.${item.message.to}`);
}

const takesBatches = () =>
  gateway.on('POST', BATCH, ({ body }) => ({
    body: {
      success: true,
      results: (body as { messages: Item[] }).messages.map((item) => {
        const { statusCode = 200, body: said, headers } = answerTo(item);
        const after = headers?.['retry-after'];
        return { status: statusCode, body: said, ...(after && { retry_after: Number(after) }) };
      }),
    },
  }));

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ to: String(12025550000 + index), text: `Order ${index}` }));
const batches = () =>
  gateway.requests('POST', BATCH).map(({ body }) => (body as { messages: Item[] }).messages.length);

test('goes out in a few requests, each message with a key of its own, in the order of the items', async () => {
  takesBatches();
  const { items, error } = await runAction(gateway.credentials, SEND, people(301));
  expect(error).toBeUndefined();
  expect(items.map(({ json }) => json.messageId)).toEqual(people(301).map(({ to }) => `wamid.${to}`));
  expect(items.map(({ pairedItem }) => pairedItem)).toEqual(people(301).map((_, item) => ({ item })));
  expect(taken).toHaveLength(301);
  expect(new Set(taken.map(({ key }) => key)).size).toBe(301);
  expect(gateway.requests('POST', MESSAGES)).toHaveLength(1);
  expect(batches()).toEqual([50, 50, 50, 50, 50, 50]);
});

test('one that is refused comes out as an error in its place, and hides no other', async () => {
  takesBatches();
  instead = ({ message }) =>
    message.to === '12025550030'
      ? refusal(403, 'contact_opted_out', 131050, '(#131050) Contact opted out', 'No more messages.')
      : undefined;
  const { items, errorItems } = await runAction(gateway.credentials, SEND, people(100), {
    onError: 'continueErrorOutput',
  });
  expect(items).toHaveLength(99);
  expect(errorItems.map(({ json }) => json)).toEqual([
    expect.objectContaining({ message: 'This contact wants no more messages from this line' }),
  ]);
});

test('a message that has to wait is asked for again, under its key; the others are not sent twice', async () => {
  takesBatches();
  let refused = 0;
  instead = ({ message }) =>
    message.to === '12025550005' && ++refused === 1
      ? {
          ...refusal(429, 'pair_rate_limited', 131056, 'Too many', 'Wait.'),
          headers: { 'retry-after': '1' },
        }
      : undefined;
  const { items, error } = await runAction(gateway.credentials, SEND, people(20));
  expect(error).toBeUndefined();
  expect(items).toHaveLength(20);
  const counts = Map.groupBy(taken, ({ key }) => key);
  expect([...counts.values()].map(({ length }) => length).sort()).toEqual([...Array(19).fill(1), 2]);
});

test('to one contact each waits for the one before it', async () => {
  takesBatches();
  const texts = Array.from({ length: 12 }, (_, index) => ({
    to: index % 2 ? '+1 202 555 0001' : '12025550002',
    text: `Part ${index}`,
  }));
  const { error } = await runAction(gateway.credentials, SEND, texts);
  expect(error).toBeUndefined();
  const of = (to: string) =>
    taken.filter(({ message }) => message.to === to).map(({ message }) => message.text.body);
  expect(of('12025550002')).toEqual(texts.filter((_, index) => index % 2 === 0).map(({ text }) => text));
  expect(of('+1 202 555 0001')).toEqual(texts.filter((_, index) => index % 2).map(({ text }) => text));
});

test('to one contact they keep the order of the items, also where a file is uploaded before some', async () => {
  takesBatches();
  const TEMPLATE = { name: 'look', language: 'en_US', body: '{{1}}', buttons: null };
  gateway.on('GET', TEMPLATES, () => ({
    body: { success: true, data: [{ ...TEMPLATE, header: { type: 'image', text: null } }] },
  }));
  let uploads = 0;
  gateway.on('POST', MEDIA, async () => {
    // Longer than what needs no upload takes.
    await sleep(100);
    return { body: { id: String(++uploads) } };
  });
  const items = Array.from({ length: 16 }, (_, index) => ({
    to: String(12025550000 + (index % 4)),
    text: String(index),
    image: index % 8 < 4 ? 'data' : 'https://shop.example/a.png',
  }));
  const picture = { data: 'iVBORw0KGgo=', mimeType: 'image/png', fileName: 'a.png' };
  const { error } = await runAction(
    gateway.credentials,
    {
      ...SEND,
      messageType: 'template',
      template: { __rl: true, mode: 'list', value: 'look|en_US' },
      templateVariables: {
        mappingMode: 'defineBelow',
        value: { 'header-image-link': '={{ $json.image }}', 'body-1': '={{ $json.text }}' },
        schema: [],
      },
    } as INodeParameters,
    items,
    { binary: items.map(() => ({ data: picture })) },
  );
  expect(error).toBeUndefined();
  expect(uploads).toBe(8);
  const textOf = ({ message }: Item) => /"type":"text","text":"(\d+)"/.exec(JSON.stringify(message))?.[1];
  for (const to of new Set(items.map((item) => item.to)))
    expect(taken.filter(({ message }) => message.to === to).map(textOf)).toEqual(
      items.filter((item) => item.to === to).map(({ text }) => text),
    );
});

test.each<[string, Answer]>([
  ['an older gateway', refusal(405, 'method_not_allowed', 2500, 'Method not allowed', 'Use GET.')],
  ['one that knows no such path', refusal(404, 'not_found', 2500, 'Unknown path', 'Nothing there.')],
  [
    'the platform itself',
    { statusCode: 400, body: { error: { message: 'Unsupported post request', code: 100 } } },
  ],
])('%s is sent each message alone, once it has shown that it takes no batches', async (_case, answer) => {
  gateway.on('POST', BATCH, () => answer);
  const { items, error } = await runAction(gateway.credentials, SEND, people(130));
  expect(error).toBeUndefined();
  expect(items.map(({ json }) => json.to)).toEqual(people(130).map(({ to }) => to));
  expect(taken).toHaveLength(130);
  expect(batches().length).toBeLessThanOrEqual(3);
});

test('a refusal of the whole batch is the refusal of each item', async () => {
  gateway.on('POST', BATCH, () => refusal(403, 'line_inactive', 200, 'Line deactivated', 'It is off.'));
  const { errorItems } = await runAction(gateway.credentials, SEND, people(10), {
    onError: 'continueErrorOutput',
  });
  expect(errorItems).toHaveLength(9);
  expect(new Set(errorItems.map(({ json }) => json.message))).toEqual(new Set(['This line is switched off']));
  expect(taken).toHaveLength(1);
});

test('where no answer comes, each item says so, and a second try sends the same keys', async () => {
  let tries = 0;
  takesBatches();
  const keys: string[][] = [];
  gateway.on('POST', BATCH, ({ body }) => {
    const { messages } = body as { messages: Item[] };
    keys.push(messages.map(({ key }) => key));
    if (++tries === 1) return { statusCode: 502, body: '<html>Bad gateway</html>' };
    return {
      body: { success: true, results: messages.map((item) => ({ status: 200, body: answerTo(item).body })) },
    };
  });
  const { items, error } = await runAction(gateway.credentials, SEND, people(10), {
    retryOnFail: true,
    maxTries: 2,
  });
  expect(error).toBeUndefined();
  expect(items).toHaveLength(10);
  // The first of each try goes ahead alone.
  expect(keys[1]).toEqual(keys[0]?.slice(1));
  expect(taken).toHaveLength(10);
});

test('what is too large for one request goes out in several', async () => {
  takesBatches();
  const large = people(60).map((item) => ({ ...item, text: 'x'.repeat(25_000) }));
  gateway.on('POST', BATCH, ({ body }) => {
    sizes.push(Buffer.byteLength(JSON.stringify(body)));
    const { messages } = body as { messages: Item[] };
    return {
      body: { success: true, results: messages.map((item) => ({ status: 200, body: answerTo(item).body })) },
    };
  });
  const sizes: number[] = [];
  const { error } = await runAction(gateway.credentials, AS_JSON, large);
  expect(error).toBeUndefined();
  expect(sizes.length).toBeGreaterThan(1);
  // What nginx takes where nobody said more.
  expect(Math.max(...sizes)).toBeLessThan(1024 * 1024);
});

describe('behind a proxy that takes little at once', () => {
  const MOST_BYTES = 30_000;
  const tooLarge: Answer = { statusCode: 413, body: '<html>413 Request Entity Too Large</html>' };
  const sizeOf = ({ headers }: Received) => Number(headers['content-length']);
  beforeEach(() => {
    takesBatches();
    for (const path of [BATCH, MESSAGES]) {
      const answer = gateway.routeOf('POST', path);
      gateway.on('POST', path, (request) => (sizeOf(request) > MOST_BYTES ? tooLarge : answer(request)));
    }
  });

  test('a batch goes out in halves, as often as needed, and each message once', async () => {
    const items = people(60).map((item) => ({ ...item, text: 'x'.repeat(4000) }));
    const sent = await runAction(gateway.credentials, SEND, items);
    expect(sent.error).toBeUndefined();
    expect(sent.items.map(({ json }) => json.to)).toEqual(items.map(({ to }) => to));
    expect(taken).toHaveLength(60);
    expect(new Set(taken.map(({ key }) => key)).size).toBe(60);
    expect(batches().slice(0, 3)).toEqual([50, 9, 25]);
  });

  test('one that alone is too large says who has to change what, and hides no other', async () => {
    const items = people(6).map((item, index) =>
      index === 3 ? { ...item, text: 'x'.repeat(MOST_BYTES) } : item,
    );
    const { items: sent, errorItems } = await runAction(gateway.credentials, AS_JSON, items, {
      onError: 'continueErrorOutput',
    });
    expect(sent).toHaveLength(5);
    expect(errorItems.map(({ json }) => json.error)).toEqual([
      expect.objectContaining({
        message: `The proxy in front of the gateway at ${gateway.baseUrl} refuses anything this large`,
        description: expect.stringContaining('client_max_body_size'),
      }),
    ]);
  });
});

test('of a thousand with the first refused, the others come out in order, and none is sent twice', async () => {
  takesBatches();
  instead = ({ message }) =>
    message.to === '12025550000'
      ? refusal(403, 'contact_opted_out', 131050, '(#131050) Contact opted out', 'No more messages.')
      : undefined;
  const { items, errorItems, error } = await runAction(gateway.credentials, SEND, people(1000), {
    onError: 'continueErrorOutput',
    retryOnFail: true,
    maxTries: 2,
  });
  expect(error).toBeUndefined();
  expect(items.map(({ json }) => json.to)).toEqual(
    people(1000)
      .slice(1)
      .map(({ to }) => to),
  );
  expect(errorItems.map(({ json }) => json.to)).toEqual(['12025550000']);
  const times = Map.groupBy(taken, ({ message }) => message.to);
  expect(times.get('12025550000')).toHaveLength(2);
  expect(taken).toHaveLength(1001);
});
