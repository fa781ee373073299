import { LoadOptionsContext } from 'n8n-core';
import type { ILoadOptionsFunctions, INodeParameters } from 'n8n-workflow';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { ACTION, additionalData, node, runAction, workflow, type Outcome } from '../support/n8n';
import {
  accepted,
  gatewayForEach,
  refusal,
  startGateway,
  type Answer,
  type Received,
} from './support/gateway';

/** A workflow with one row per message, each of its own line. */
const gateway = gatewayForEach();

/** The two ways to name the line of a row. */
interface Way {
  credential: { line: string; token: string };
  parameters: INodeParameters;
  tokenOf(line: string): string;
}
const BY_CREDENTIAL: Way = {
  credential: { line: '={{ $json.line }}', token: '={{ $json.token }}' },
  parameters: {},
  tokenOf: (line) => `gwl_${line}`,
};
const BY_NODE: Way = {
  credential: { line: '', token: 'gwa_all' },
  parameters: { line: { __rl: true, mode: 'id', value: '={{ $json.line }}' } },
  tokenOf: () => 'gwa_all',
};
let way = BY_CREDENTIAL;

const credentials = () => ({ baseUrl: gateway.baseUrl, ...way.credential });
const send = () => ({ ...SEND, ...way.parameters });

const LINES = Array.from({ length: 20 }, (_, index) => String(106540352242900 + index));
const SEND = { to: '={{ $json.to }}', text: '={{ $json.text }}' };

interface Row extends Record<string, string> {
  line: string;
  token: string;
  to: string;
  text: string;
}

/** Rows of so many lines in turn; three rows of a line go to two contacts. */
const rows = (count: number, lines: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    line: LINES[index % lines] ?? '',
    token: `gwl_${LINES[index % lines]}`,
    to: `1202555${String(index % 7).padStart(4, '0')}`,
    text: `row ${index}`,
  }));

/** Answers each line under both of its prefixes. */
function on(method: string, path: string, route: (request: Received) => Answer) {
  for (const line of LINES)
    for (const prefix of ['/v22.0', '/api/v22.0']) gateway.on(method, `${prefix}/${line}/${path}`, route);
}

const lineIn = ({ path }: Received): string => /\/v22\.0\/(\d+)\//.exec(path)?.[1] ?? '';

interface Posted {
  line: string;
  message: { to: string; text: { body: string } };
}
/** What the gateway was given to send, by which line, in the order of arrival. */
let posted: Posted[];
/** Says what becomes of a message, in place of accepting it. */
let instead: (one: Posted) => Answer | undefined;

beforeEach(() => {
  posted = [];
  instead = () => undefined;
  const take = (one: Posted): Answer => {
    posted.push(one);
    return instead(one) ?? accepted({ body: one.message } as Received, `wamid.${one.line}.${posted.length}`);
  };
  on('POST', 'messages', (request) =>
    take({ line: lineIn(request), message: request.body as Posted['message'] }),
  );
  on('POST', 'messages/batch', (request) => ({
    body: {
      success: true,
      results: (request.body as { messages: Posted[] }).messages.map(({ message }) => {
        const { statusCode = 200, headers, body } = take({ line: lineIn(request), message });
        return { status: statusCode, body, retry_after: headers?.['retry-after'] };
      }),
    },
  }));
});

/** Each request carries the token for the line in its path. */
function expectTokensOfTheirLines() {
  expect(gateway.received.map(({ headers }) => headers.authorization)).toEqual(
    gateway.received.map((request) => `Bearer ${way.tokenOf(lineIn(request))}`),
  );
}

describe.each([
  ['in the credential', BY_CREDENTIAL],
  ['in the node', BY_NODE],
])('with an expression %s', (_of, chosen) => {
  beforeEach(() => {
    way = chosen;
  });

  test.each([
    [3, 3],
    [60, 20],
  ])('%i rows of %i lines leave each by its own line, and say so', async (count, lines) => {
    const sent = rows(count, lines);
    const { items, error } = await runAction(credentials(), send(), sent);
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => [json.phoneNumberId, json.to])).toEqual(
      sent.map(({ line, to }) => [line, to]),
    );
    expectTokensOfTheirLines();
    expect(posted).toHaveLength(count);
    for (const { line, text, to } of sent)
      expect(posted).toContainEqual({ line, message: expect.objectContaining({ to, text: { body: text } }) });
  });

  test('the messages of a line to one contact go out in the order of the items', async () => {
    const sent = rows(120, 4);
    await runAction(credentials(), send(), sent);
    const chat = ({ line, to }: { line: string; to: string }) => `${line} ${to}`;
    const bodies = Map.groupBy(posted, ({ line, message: { to } }) => chat({ line, to }));
    for (const [name, of] of Map.groupBy(sent, chat))
      expect(bodies.get(name)?.map(({ message }) => message.text.body)).toEqual(of.map(({ text }) => text));
  });

  test('a token that is refused fails the items of its line alone', async () => {
    instead = ({ line }) =>
      line === LINES[1] ? refusal(401, 'invalid_token', 190, 'Invalid token', 'No such token.') : undefined;
    const { items, errorItems } = await runAction(credentials(), send(), rows(30, 3), {
      onError: 'continueErrorOutput',
    });
    expect(items).toHaveLength(20);
    expect(errorItems.map(({ json }) => json.line)).toEqual(Array(10).fill(LINES[1]));
    // Nobody tries it again.
    expect(posted.filter(({ line }) => line === LINES[1])).toHaveLength(1);
  });

  test('a line that has to wait holds no other line back', async () => {
    let refused = 0;
    instead = ({ line }) =>
      line === LINES[0] && refused++ === 0
        ? { ...refusal(429, 'rate_limited', 130429, 'Too many', 'Wait.'), headers: { 'retry-after': '8' } }
        : undefined;
    const { items, error } = await runAction(credentials(), send(), rows(30, 3));
    expect(error).toBeUndefined();
    expect(items).toHaveLength(30);
    // The others have eight seconds for it, of which the machine may stand still for five.
    const last = posted.findLastIndex(({ line }) => line !== LINES[0]);
    const [, ...again] = posted.flatMap(({ line }, index) => (line === LINES[0] ? [index] : []));
    expect(again).toHaveLength(10);
    for (const index of again) expect(index).toBeGreaterThan(last);
  });

  test('an item for which the credential names no line fails alone, and is sent by no other line', async () => {
    const [first, second, third] = rows(3, 3);
    const { items, errorItems } = await runAction(
      credentials(),
      send(),
      [first, { ...second, line: null }, third].map((row) => ({ ...row })),
      { onError: 'continueErrorOutput' },
    );
    expect(items.map(({ json }) => json.phoneNumberId)).toEqual([LINES[0], LINES[2]]);
    expect(errorItems.map(({ json }) => json.error)).toMatchObject([
      {
        message: way === BY_NODE ? 'Line has no value for this item' : 'No line is chosen',
        description: expect.stringMatching(/expression/),
      },
    ]);
    expect(posted.map(({ line }) => line).sort()).toEqual([LINES[0], LINES[2]]);
  });

  test('a second try sends what failed by the line of its item', async () => {
    let refused = 0;
    instead = ({ line }) =>
      line === LINES[2] && refused++ === 0
        ? refusal(500, 'internal_error', 1, 'Broken', 'Broken.')
        : undefined;
    const { items, error } = await runAction(credentials(), send(), rows(9, 3), {
      retryOnFail: true,
      maxTries: 2,
    });
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => json.phoneNumberId)).toEqual(rows(9, 3).map(({ line }) => line));
    expect(posted).toHaveLength(10);
    expectTokensOfTheirLines();
  });

  describe('by the line of its item goes', () => {
    const template = { name: 'hello', language: 'en_US', body: 'Hello!', header: null, buttons: [] };
    beforeEach(() => {
      on('GET', 'templates', (request) => ({
        body: { success: true, count: 1, data: [{ ...template, body: `Hello from ${lineIn(request)}!` }] },
      }));
      on('GET', 'status', (request) => ({ body: { success: true, connected: true, name: lineIn(request) } }));
      on('POST', 'media', () => ({ body: { id: '4711' } }));
      on('GET', 'window/12025550000', () => ({ body: { open: false } }));
      on('GET', 'window/12025550001', () => ({ body: { open: false } }));
      on('POST', 'messages', (request) =>
        (request.body as { status?: string }).status
          ? { body: { success: true } }
          : accepted(request, 'wamid.1'),
      );
      on('GET', 'messages/wamid.1', () => ({ body: { id: 'wamid.1', state: 'read' } }));
      on('GET', 'destinations', () => ({ body: { data: [] } }));
      on('POST', 'destinations', () => ({ statusCode: 201, body: { id: 7, secret: 's' } }));
    });

    const PNG = {
      data: Buffer.from('a picture').toString('base64'),
      mimeType: 'image/png',
      fileName: 'a.png',
    };
    const chosen = { __rl: true, mode: 'name', value: 'hello' };
    /** Each with how many requests it makes for every item. */
    const OPERATIONS: Array<[string, INodeParameters, number]> = [
      ['a template, looked up and sent', { ...SEND, messageType: 'template', template: chosen }, 2],
      ['a file, uploaded and sent', { ...SEND, messageType: 'image', mediaSource: 'binary' }, 2],
      [
        'a template in place of a picture',
        {
          ...SEND,
          messageType: 'image',
          mediaLink: 'https://shop.example/a.png',
          outsideWindow: 'template',
          fallbackTemplate: chosen,
        },
        3,
      ],
      ['Mark as Read', { operation: 'markAsRead', messageId: 'wamid.1' }, 1],
      ['the look at a message', { operation: 'get', messageId: 'wamid.1' }, 1],
      ['an upload', { resource: 'media', operation: 'upload' }, 1],
      ['the window of a contact', { resource: 'contact', operation: 'getWindow', to: '={{ $json.to }}' }, 1],
      ['the status of a line', { resource: 'line', operation: 'getStatus' }, 1],
      ['a list of templates', { resource: 'template', operation: 'getAll' }, 1],
      ['a single template', { resource: 'template', operation: 'get', template: chosen }, 1],
    ];
    const run = (parameters: INodeParameters): Promise<Outcome> =>
      runAction(credentials(), { ...parameters, ...way.parameters }, rows(2, 2), {
        binary: [{ data: PNG }, { data: PNG }],
      });

    test.each(OPERATIONS)('%s', async (_name, parameters, requests) => {
      const { items, error } = await run(parameters);
      expect(error).toBeUndefined();
      expect(items).toHaveLength(2);
      expectTokensOfTheirLines();
      const counts = Map.groupBy(gateway.received, lineIn);
      expect([...counts.values()].map(({ length }) => length)).toEqual([requests, requests]);
    });

    test('what a contact reads of a template of that name', async () => {
      const { items } = await run({ ...SEND, messageType: 'template', template: chosen });
      expect(items.map(({ json }) => json.text)).toEqual(
        [LINES[0], LINES[1]].map((line) => `Hello from ${line}!`),
      );
    });

    test('a file that is downloaded or deleted, whose address names no line', async () => {
      gateway.on('GET', '/v22.0/11', () => ({ body: { mime_type: 'text/plain', file_size: 2 } }));
      gateway.on('GET', '/v22.0/11/content', () => ({ body: 'ok' }));
      gateway.on('DELETE', '/v22.0/11', () => ({ body: { success: true } }));
      for (const [operation, each] of [
        ['download', 2],
        ['delete', 1],
      ] as const) {
        gateway.received.length = 0;
        const { error } = await run({ resource: 'media', operation, mediaId: '11' });
        expect(error).toBeUndefined();
        // A token of several lines needs the line beside the file.
        const owners = Map.groupBy(gateway.received, ({ headers, query }) =>
          [headers.authorization, query.phone_number_id].join(' '),
        );
        for (const line of LINES.slice(0, 2)) {
          const named = way === BY_NODE ? line : '';
          expect(owners.get(`Bearer ${way.tokenOf(line)} ${named}`)).toHaveLength(each);
        }
      }
    });

    test('a question, and the place where its answer is heard of', async () => {
      const ask = { ...send(), operation: 'sendAndWait', message: 'When?' };
      const { items, error } = await runAction(credentials(), ask, rows(1, 1));
      expect(error).toBeUndefined();
      expect(items[0].json).toMatchObject({ phoneNumberId: LINES[0] });
      const asked = gateway.received.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
      expect(asked).toEqual(['POST questions', 'GET destinations', 'POST destinations', 'POST messages']);
      expectTokensOfTheirLines();
    });
  });
});

describe('with an expression in the credential', () => {
  beforeEach(() => {
    way = BY_CREDENTIAL;
  });

  test('n8n is asked once for a credential without expressions, and for each item for one with them', async () => {
    const readsOf = async (line: string, items: number) => {
      let reads = 0;
      const counting = {
        baseUrl: gateway.baseUrl,
        token: `gwl_${LINES[0]}`,
        get line() {
          reads++;
          return line;
        },
      };
      const { error } = await runAction(counting, SEND, rows(items, 1));
      expect(error).toBeUndefined();
      return reads;
    };
    const [plain = '', expression] = [LINES[0], `={{ "${LINES[0]}" }}`];
    expect(await readsOf(plain, 40)).toBe(await readsOf(plain, 1));
    expect(await readsOf(expression, 40)).toBe(40 * (await readsOf(expression, 1)));
  });

  test('the list of a picker says that an expression has no value there, and what to do', async () => {
    const action = node(ACTION, { messageType: 'template' });
    const editor = new LoadOptionsContext(
      workflow([action]),
      action,
      additionalData(credentials()),
      'parameters',
    ) as unknown as ILoadOptionsFunctions;
    await expect(
      new MessagingGateway().methods.listSearch.searchTemplates.call(editor),
    ).rejects.toMatchObject({
      message: 'An expression in the credential of this node has no value here',
      description: expect.stringContaining('enter the template By Name'),
    });
  });

  test('of two gateways each is sent its own', async () => {
    const other = await startGateway();
    try {
      other.on('POST', `/api/v22.0/${LINES[1]}/messages`, (request) => accepted(request, 'wamid.other'));
      const sent = rows(2, 2).map((row, index) => ({ ...row, base: [gateway, other][index]?.baseUrl ?? '' }));
      const { items } = await runAction({ ...credentials(), baseUrl: '={{ $json.base }}' }, SEND, sent);
      expect(items.map(({ json }) => json.phoneNumberId)).toEqual([LINES[0], LINES[1]]);
      expect(other.received.map(lineIn)).toEqual([LINES[1]]);
    } finally {
      await other.close();
    }
  });
});
