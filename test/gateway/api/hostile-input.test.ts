import fc from 'fast-check';
import { SCOPES } from '../../../gateway/store/schema';
import { OPERATIONS } from '../../../gateway/api/operations';
import { ADMIN_OPERATIONS } from '../../../gateway/api/v1/operations';
import { PATH_PARAMETERS } from '../../../gateway/api/path-parameters';
import { signatureOf } from '../../../gateway/cloud-api/signature';
import { adminToken, NOTHING, pathWith } from '../../support/admin-api';
import { DATABASES } from '../../support/databases';
import { MESSAGES } from '../../support/message-shapes';
import { exchange, type RawAnswer } from '../../support/raw-http';
import { CONTACT, imageTo, lineOf, sceneOf } from '../../support/scene';
import { APP_SECRET, notification, textFrom, VERIFY_TOKEN } from '../../support/test-gateway';

/** The same input at each run; a failure tells the seed and the path to what failed. */
const RUNS = { seed: 20260310, numRuns: 80 };

interface Sent {
  method?: string;
  target: string;
  headers?: [string, string][];
  body?: string | Buffer;
  /** This side ends its half of the connection: what it sent is not whole. */
  isCut?: boolean;
}

/** A request as bytes: what stands in `headers` goes as it is, even twice. */
function bytesOf({ method = 'POST', target, headers = [], body = '' }: Sent): Buffer {
  const content = Buffer.from(body);
  const framed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const all = [
    ['Host', 'gateway'],
    ['Connection', 'close'],
    ...headers,
    ...(framed || !content.length ? [] : [['Content-Length', String(content.length)]]),
  ];
  const head = [`${method} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), content]);
}

/** Every answer is a success or a 4xx in the contract's shape: no failure, no page, no silence. */
function expectContract(answers: RawAnswer[], isHead = false): void {
  expect(answers).not.toEqual([]);
  for (const { status, headers, body } of answers) {
    const told = [status, headers['content-type'], body.slice(0, 300)];
    expect(body).not.toMatch(/^\s*</);
    const type = headers['content-type'];
    if (status >= 200 && status < 300) {
      // Reads in upstream's own shape have nothing beside it.
      if (type?.startsWith('application/json') && !isHead)
        expect(JSON.parse(body)).not.toHaveProperty('error');
      continue;
    }
    expect([status >= 400 && status < 500, type, told]).toEqual([
      true,
      'application/json; charset=utf-8',
      told,
    ]);
    if (isHead) continue;
    const error = JSON.parse(body);
    expect(error).toMatchObject({
      success: false,
      error_code: expect.stringMatching(/^[a-z_0-9]+$/),
      error: { message: expect.any(String), type: expect.any(String), code: expect.any(Number) },
      request_id: expect.any(String),
    });
    expect(error).not.toHaveProperty('messages');
  }
}

const TEMPLATE = {
  id: '1',
  name: 'order_update',
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Hello {{1}}, {{2}}' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'See', url: 'https://example.com/{{1}}' },
        { type: 'QUICK_REPLY', text: 'Stop' },
      ],
    },
  ],
};

const templateMessage = {
  to: CONTACT,
  type: 'template',
  template: {
    name: 'order_update',
    language: { code: 'en_US' },
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { id: '1' } }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ana' },
          { type: 'text', text: 'today' },
        ],
      },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'x' }] },
    ],
  },
};

/** Stands for JSON that no JavaScript value is written as. */
const RAW = '@raw@';
const RAW_JSON = [
  '1e999',
  '-1e999',
  '-0',
  '0.1e-400',
  '123456789012345678901234567890',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '{"__proto__":{"to":"1"}}',
  '{"\\u005f_proto__":1}',
  '{"constructor":{"prototype":{"to":"1"}}}',
  '{"constructor":1,"hasOwnProperty":1,"toString":null,"then":1}',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  '{"a":1,"a":2}',
  'NaN',
  '01',
  "'a'",
  '',
  '"\t"',
  '/**/1',
];

const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e21,
    '',
    [],
    {},
    'constructor',
    '__proto__',
    '\ud800',
    '\u0000',
  ),
  fc.constantFrom<unknown>([null], [[]], [{}], { type: 'text' }, { length: 1e9 }, Array(2000).fill(0)),
  fc.constant(RAW),
  fc.jsonValue(),
);

/** JSON text of a value of which one place, wherever it is, holds something else, or is gone. */
const mutated = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc
    .tuple(value, fc.nat(), anything, fc.constantFrom(...RAW_JSON), fc.boolean())
    .map(([whole, at, other, raw, isRemoved]) => {
      const places: { holder: Record<string, unknown>; key: string }[] = [];
      const root = { value: JSON.parse(JSON.stringify(whole)) as unknown };
      const visit = (holder: Record<string, unknown>) => {
        for (const key of Object.keys(holder)) {
          places.push({ holder, key });
          if (typeof holder[key] === 'object' && holder[key] !== null)
            visit(holder[key] as Record<string, unknown>);
        }
      };
      visit(root);
      const place = places[at % places.length];
      if (place && isRemoved && !Array.isArray(place.holder)) delete place.holder[place.key];
      else if (place) place.holder[place.key] = other;
      return (JSON.stringify(root.value) ?? '').replace(`"${RAW}"`, () => raw);
    });

/** A text of which some bytes are cut out, put in, or changed. */
const damaged = (text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(text, fc.nat(), fc.nat({ max: 8 }), fc.uint8Array({ maxLength: 8 }))
    .map(([whole, at, cut, put]) => {
      const bytes = Buffer.from(whole);
      const place = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)]);
    });

/** What the scene has one of has the id 1. */
const EXISTING = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, '1']));

const bytes = fc.uint8Array({ maxLength: 200 }).map((list) => Buffer.from(list));
/** What a line of a request's head can hold at all. */
const printable = fc
  .array(fc.integer({ min: 0x21, max: 0xff }), { maxLength: 60 })
  .map((list) => Buffer.from(list).toString('latin1').replace(/\x7f/g, ''));

describe.each(DATABASES)('hostile input ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, {
    GATEWAY_LINE_RATE: 'off',
    GATEWAY_PAIR_LIMIT: 'off',
    GATEWAY_AUTH_FAILURE_RATE: 'off',
    GATEWAY_TOKEN_RATE: 'off',
  });
  const line = lineOf(scene, { windowMode: 'upstream' });
  /** Every operation's path, under both prefixes, the management API, and the callbacks. */
  let routes: { target: string; methods: string[] }[];
  let opened: [string, string][];
  let openedForAdmin: [string, string][];

  beforeAll(async () => {
    scene.upstream.answers.templates = () => ({ body: { data: [TEMPLATE] } });
    const names = Object.fromEntries(
      Object.entries(PATH_PARAMETERS).map(([name, { example }]) => [name, example]),
    );
    const targetOf = (path: string, named: Record<string, string>) =>
      `/v22.0${path.replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '')}`;
    const methodsOf = (operations: readonly { method: string }[]) =>
      operations.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    const own = (prefix: string) =>
      Object.entries(Object.groupBy(OPERATIONS, ({ path }) => path)).flatMap(([path, operations = []]) => {
        const methods = methodsOf(operations);
        // An object is a file or the line itself.
        const objects = path === '/{object_id}' ? [names.object_id ?? '', line.phoneNumberId] : [''];
        return objects.map((object_id) => ({
          target: prefix + targetOf(path, { ...names, tid: line.phoneNumberId, object_id }),
          methods,
        }));
      });
    routes = [
      ...own('/api'),
      ...own(''),
      ...Array.from(
        Map.groupBy(ADMIN_OPERATIONS, (operation) => `/v1${pathWith(operation, NOTHING)}`),
        ([target, operations]) => ({ target, methods: methodsOf(operations) }),
      ),
      { target: '/webhooks/platform', methods: ['GET', 'HEAD', 'POST'] },
      { target: `/webhooks/platform/${line.phoneNumberId}`, methods: ['GET', 'HEAD', 'POST'] },
    ];
    const token = await scene.token(line.id, null, { scopes: SCOPES });
    opened = [['Authorization', `Bearer ${token}`]];
    openedForAdmin = [['Authorization', `Bearer ${await adminToken(scene)}`]];
  });

  /** Whatever came: the next good request is answered. */
  afterEach(async () => {
    expect((await line.get('/status')).status).toBe(200);
    expect((await line.send(imageTo(CONTACT))).status).toBe(200);
  });

  const messages = () => routes.find(({ target }) => target.endsWith('/messages'))?.target ?? '';
  const ask = (sent: Sent) => exchange(scene.gateway.url, bytesOf(sent), sent.isCut ? 0 : undefined);
  const openedFor = (target: string) => (target.startsWith('/v1/') ? openedForAdmin : opened);
  const asJson = (target = ''): [string, string][] => [
    ...openedFor(target),
    ['Content-Type', 'application/json'],
  ];
  const anyRoute = () => fc.constantFrom(...routes);
  const anyCall = () =>
    anyRoute().chain(({ target, methods }) =>
      fc.record({ target: fc.constant(target), method: fc.constantFrom(...methods) }),
    );

  /** As upstream would send it: signed with the secret of that address. */
  const signed = (target: string, body: string | Buffer): [string, string][] => [
    [
      'X-Hub-Signature-256',
      signatureOf(
        Buffer.from(body),
        target === '/webhooks/platform' ? APP_SECRET : 'app-secret-of-this-line',
      ),
    ],
  ];

  test('random bytes for a body are refused on every path', async () => {
    await fc.assert(
      fc.asyncProperty(anyCall(), bytes, async ({ target, method }, body) => {
        const headers = target.startsWith('/webhooks') ? signed(target, body) : asJson(target);
        expectContract(await ask({ method, target, headers, body }), method === 'HEAD');
      }),
      RUNS,
    );
  });

  test('a message with something else in one place is sent or refused', async () => {
    const shapes = [...Object.values(MESSAGES).map(({ good }) => good), fc.constant(templateMessage)];
    const any = fc.oneof(
      fc.oneof(...shapes),
      { weight: 8, arbitrary: fc.constant(templateMessage) },
      ...Object.values(MESSAGES).map(({ broken }) => broken.map(({ value }) => value)),
    );
    await fc.assert(
      fc.asyncProperty(mutated(any), async (body) =>
        expectContract(await ask({ target: messages(), headers: asJson(), body })),
      ),
      { ...RUNS, numRuns: 4 * RUNS.numRuns },
    );
  });

  test('a message with damaged bytes is sent or refused', async () => {
    const text = fc
      .constantFrom<unknown>(templateMessage, imageTo(CONTACT))
      .map((body) => JSON.stringify(body));
    await fc.assert(
      fc.asyncProperty(damaged(text), async (body) =>
        expectContract(await ask({ target: messages(), headers: asJson(), body })),
      ),
      RUNS,
    );
  });

  test('a destination with something else in one place is added or refused', async () => {
    const destination = {
      url: 'http://127.0.0.1:9/x',
      secret: 'a secret of sixteen',
      events: ['messages', 'failed'],
      mode: 'split',
      expires_in: 60,
    };
    const odd = fc.constantFrom(
      'http://127.0.0.1:99999/',
      'http://[::1',
      'http://a:b@127.0.0.1:9/',
      'http://127.0.0.1:9/\u0000\ud800',
      'http://xn--/',
      'http://1.2.3.4.5:9/',
      'file:///etc/passwd',
      'http://\u0000/',
      `http://127.0.0.1:9/${'a'.repeat(2000)}`,
    );
    const any = fc.oneof(
      mutated(fc.constant(destination)),
      fc.oneof(odd, printable).map((url) => JSON.stringify({ ...destination, url })),
      fc
        .string({ unit: 'binary', minLength: 16 })
        .map((secret) => JSON.stringify({ ...destination, secret })),
    );
    const target = messages().replace('/messages', '/destinations');
    await fc.assert(
      fc.asyncProperty(any, async (body) => expectContract(await ask({ target, headers: asJson(), body }))),
      RUNS,
    );
    const kept = JSON.parse((await line.get('/destinations')).text) as { data: { id: number }[] };
    for (const { id } of kept.data)
      expectContract(await ask({ method: 'DELETE', target: `${target}/${id}`, headers: opened }));
  });

  test('a change by the management API with something else in one place is made or refused', async () => {
    const changes = ADMIN_OPERATIONS.flatMap((operation) =>
      Object.values(operation.body?.examples ?? {}).map(({ value }) => ({
        method: operation.method.toUpperCase(),
        target: `/v1${pathWith(operation, EXISTING)}?dry_run=1`,
        value,
      })),
    );
    const any = fc.constantFrom(...changes).chain(({ value, ...call }) =>
      fc.record({
        call: fc.constant(call),
        body: fc.oneof(mutated(fc.constant(value)), damaged(fc.constant(JSON.stringify(value)))),
      }),
    );
    await fc.assert(
      fc.asyncProperty(any, async ({ call, body }) =>
        expectContract(await ask({ ...call, headers: asJson(call.target), body })),
      ),
      { ...RUNS, numRuns: 4 * RUNS.numRuns },
    );
  });

  test('a notification that is signed, with something else in one place, is kept or refused', async () => {
    const status = {
      id: 'wamid.1',
      status: 'failed',
      timestamp: '1',
      recipient_id: CONTACT,
      errors: [{ code: 1 }],
    };
    const any = fc.oneof(
      fc.nat().map((at) => notification(textFrom(CONTACT, 'Hello', `wamid.${at}`), line.phoneNumberId)),
      fc.nat().map((at) =>
        notification(
          {
            ...textFrom(CONTACT, 'Hello', `wamid.a${at}`),
            statuses: [status, { ...status, status: 'read' }],
          },
          line.phoneNumberId,
        ),
      ),
      fc.constant({
        object: 'x',
        entry: [{ id: '1', time: 1, changes: [{ field: 'account_update', value: {} }] }],
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(mutated(any), damaged(any.map((one) => JSON.stringify(one)))),
        fc.constantFrom('/webhooks/platform', `/webhooks/platform/${line.phoneNumberId}`),
        async (body, target) => expectContract(await ask({ target, headers: signed(target, body), body })),
      ),
      { ...RUNS, numRuns: 2 * RUNS.numRuns },
    );
  });

  test.each([
    ['an object', '{"a":', '}'],
    ['a list', '[', ']'],
  ])('a signed notification that is nested too deep is refused: %s', async (_name, open, close) => {
    const deep = `${open.repeat(300_000)}1${close.repeat(300_000)}`;
    for (const body of [
      deep,
      `{"entry":[{"changes":[{"field":"messages","value":{"messages":[{"a":${deep}},{"a":1}]}}]}]}`,
    ])
      for (const { target } of routes.slice(-2))
        expectContract(await ask({ target, headers: signed(target, body), body }));
  });

  test('random headers are no way in', async () => {
    const names = fc.constantFrom(
      'Authorization',
      'Content-Type',
      'Accept',
      'Idempotency-Key',
      'X-Hub-Signature-256',
      'Accept-Encoding',
      'Content-Encoding',
      'Expect',
      'Upgrade',
      'X-HTTP-Method-Override',
      'X-Forwarded-For',
      'Cookie',
      'Range',
      'If-None-Match',
      'Traceparent',
    );
    await fc.assert(
      fc.asyncProperty(
        anyCall(),
        fc.array(fc.tuple(names, printable), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async ({ target, method }, headers, withToken) => {
          const all = withToken ? [...asJson(target), ...headers] : headers;
          const body = method === 'POST' ? JSON.stringify(imageTo(CONTACT)) : '';
          expectContract(await ask({ method, target, headers: all, body }), method === 'HEAD');
        },
      ),
      RUNS,
    );
  });

  test('random queries are answered or refused', async () => {
    const names = fc.constantFrom(
      ...['status', 'limit', 'refresh', 'access_token', 'hub.mode', 'hub.verify_token', 'hub.challenge'],
      ...['__proto__', 'constructor', 'status[]', 'limit[a]'],
    );
    const values = fc.oneof(
      printable,
      fc.constantFrom(
        '1',
        '0',
        'true',
        'approved',
        'subscribe',
        VERIFY_TOKEN,
        '%00',
        '%ff',
        '%',
        '%zz',
        '1e999',
        '-0',
      ),
      fc.constantFrom('<html><body>', '%3Chtml%3E', '9'.repeat(400)),
    );
    const query = fc
      .array(fc.tuple(names, values), { minLength: 1, maxLength: 5 })
      .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
    await fc.assert(
      fc.asyncProperty(anyCall(), fc.oneof(query, printable), async ({ target, method }, asked) => {
        const answers = await ask({ method, target: `${target}?${asked}`, headers: openedFor(target) });
        // The challenge is given back as it came, and no browser takes it for a page.
        const echoed = answers.every(
          ({ headers }) => headers['content-type'] === 'text/plain; charset=utf-8',
        );
        if (echoed) expect(answers[0]?.headers['x-content-type-options']).toBe('nosniff');
        else expectContract(answers, method === 'HEAD');
      }),
      { ...RUNS, numRuns: 2 * RUNS.numRuns },
    );
  });

  test('a NUL in the query is refused by every operation, one in the path names nothing', async () => {
    const names = [...OPERATIONS, ...ADMIN_OPERATIONS].flatMap(({ query }) =>
      Object.keys((query as { properties?: object } | undefined)?.properties ?? {}),
    );
    expect(names).toEqual(expect.arrayContaining(['after', 'cursor']));
    const own = routes.filter(({ target }) => /^\/v(22\.0|1)\//.test(target));
    for (const { target, methods } of own)
      for (const method of methods.filter((one) => one !== 'HEAD')) {
        expectContract(await ask({ method, target: `${target}%00`, headers: openedFor(target) }));
        for (const name of new Set([...names, 'unknown'])) {
          const query = `${target}?limit=5&${name}=a%00b`;
          const answers = await ask({ method, target: query, headers: openedFor(target) });
          expectContract(answers);
          expect([query, JSON.parse(answers[0]?.body ?? '{}').error_code]).toEqual([query, 'invalid_query']);
        }
      }
  });

  test('random paths are answered 404, or as the path that they come to', async () => {
    const part = fc.oneof(
      printable,
      fc.constantFrom(
        '%',
        '%zz',
        '%00',
        '%2e%2e',
        '..',
        '%2f',
        '%c3%28',
        '%ed%a0%80',
        'x'.repeat(2000),
        '*',
        ':tid',
      ),
      fc.constantFrom('v22.0', 'v99.0', 'api', 'webhooks', 'platform', 'messages', 'status', '1', '%31'),
    );
    const path = fc.oneof(
      fc.array(part, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`),
      fc.tuple(anyRoute(), fc.nat(), printable).map(([{ target }, at, put]) => {
        const place = 1 + (at % target.length);
        return target.slice(0, place) + put + target.slice(place + 1);
      }),
    );
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom('GET', 'POST', 'DELETE', 'OPTIONS'), async (target, method) =>
        expectContract(
          await ask({ method, target, headers: asJson(target), body: method === 'POST' ? '{}' : '' }),
        ),
      ),
      RUNS,
    );
  });

  test('methods that nobody knows are refused', async () => {
    const methods = fc.oneof(
      fc.constantFrom(
        'PURGE',
        'BREW',
        'get',
        'Post',
        'PRI',
        'CONNECT',
        'TRACE',
        'PROPFIND',
        'QUERY',
        'M-SEARCH',
      ),
      fc.stringMatching(/^[A-Za-z!#$%&'*+.^_`|~-]{1,20}$/),
    );
    await fc.assert(
      fc.asyncProperty(methods, anyRoute(), async (method, { target }) =>
        expectContract(await ask({ method, target, headers: openedFor(target) })),
      ),
      RUNS,
    );
  });

  test('bytes that are no request at all are refused', async () => {
    const request = bytesOf({
      target: messages(),
      headers: asJson(),
      body: JSON.stringify(imageTo(CONTACT)),
    }).toString('latin1');
    const any = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }).map((list) => Buffer.from(list)),
      damaged(fc.constant(request)).filter((one) => one.length > 0),
    );
    await fc.assert(
      fc.asyncProperty(any, async (some) => {
        // What follows ends whatever the gateway may still wait for, but a length of more than it.
        const whole = Buffer.concat([some, Buffer.from(`\r\n\r\n${'\0'.repeat(2000)}`)]);
        expectContract(
          await exchange(scene.gateway.url, whole, 2000),
          /^HEAD /.test(whole.toString('latin1')),
        );
      }),
      { ...RUNS, numRuns: 2 * RUNS.numRuns },
    );
  });

  describe('of a known kind', () => {
    const good = JSON.stringify(imageTo(CONTACT));
    const CHUNKED: [string, string] = ['Transfer-Encoding', 'chunked'];
    const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    const bearer = (): [string, string] => ['Authorization', `Bearer ${line.token}`];
    const json: [string, string] = ['Content-Type', 'application/json'];

    const known: [string, () => Partial<Sent>, number | number[]][] = [
      ['a good one', () => ({}), 200],
      [
        'two tokens, the right one first',
        () => ({ headers: [bearer(), ['Authorization', 'Bearer x'], json] }),
        200,
      ],
      [
        'two tokens, the right one last',
        () => ({ headers: [['Authorization', 'Bearer x'], bearer(), json] }),
        401,
      ],
      ['two content types', () => ({ headers: [bearer(), json, ['Content-Type', 'text/html']] }), 200],
      ['two other content types', () => ({ headers: [bearer(), ['Content-Type', 'text/html'], json] }), 415],
      [
        'two lengths that differ',
        () => ({ headers: [bearer(), json, ['Content-Length', '5'], ['Content-Length', '6']] }),
        400,
      ],
      [
        'two lengths that are the same',
        () => ({ headers: [bearer(), json, ...Array(2).fill(['Content-Length', String(good.length)])] }),
        400,
      ],
      ['a length that is none', () => ({ headers: [bearer(), json, ['Content-Length', 'many']] }), 400],
      ['a length below nothing', () => ({ headers: [bearer(), json, ['Content-Length', '-1']] }), 400],
      ['a length beyond all', () => ({ headers: [bearer(), json, ['Content-Length', '9'.repeat(40)]] }), 400],
      ['a length of 10 GB', () => ({ headers: [bearer(), json, ['Content-Length', '10000000000']] }), 413],
      [
        'less than its length',
        () => ({ headers: [bearer(), json, ['Content-Length', '1000']], isCut: true }),
        400,
      ],
      ['chunks', () => ({ headers: [bearer(), json, CHUNKED], body: `${chunk(good)}0\r\n\r\n` }), 200],
      [
        'a chunk of no size',
        () => ({ headers: [bearer(), json, CHUNKED], body: `zz\r\n${good}\r\n0\r\n\r\n` }),
        400,
      ],
      [
        'a chunk beyond all',
        () => ({ headers: [bearer(), json, CHUNKED], body: `${'f'.repeat(20)}\r\nx` }),
        400,
      ],
      [
        'chunks without an end',
        () => ({ headers: [bearer(), json, CHUNKED], body: chunk(good), isCut: true }),
        400,
      ],
      ['chunks and a length', () => ({ headers: [bearer(), json, CHUNKED, ['Content-Length', '3']] }), 400],
      [
        'an encoding that nobody knows',
        () => ({ headers: [bearer(), json, ['Transfer-Encoding', 'gold']] }),
        400,
      ],
      [
        'a body that is said to be packed',
        () => ({ headers: [bearer(), json, ['Content-Encoding', 'gzip']] }),
        [200, 415],
      ],
      ['a byte order mark', () => ({ body: `\ufeff${good}` }), 200],
      ['a byte order mark alone', () => ({ body: '\ufeff' }), 400],
      ['half a character', () => ({ body: Buffer.from('7b2261223a22eda080227d', 'hex') }), 400],
      ['a number beyond range', () => ({ body: good.replace('{', '{"later":[1e999,-0,1e-999],') }), 200],
      [
        'thousands of keys',
        () => ({ body: `{${Array.from({ length: 6_000 }, (_, key) => `"${key}":1`).join()}}` }),
        400,
      ],
      ['a constructor that is only a word', () => ({ body: good.replace('{', '{"constructor":"a",') }), 200],
      [
        'a type with parameters',
        () => ({ headers: [bearer(), ['Content-Type', 'application/json; charset=utf-16; a="']] }),
        [200, 400, 415],
      ],
      ['a path of 10 KB', () => ({ target: `/v22.0/${'x'.repeat(10_000)}/messages` }), 404],
      ['a path of 20 KB', () => ({ target: `/${'x'.repeat(20_000)}` }), 400],
      [
        'a thousand headers',
        () => ({
          headers: [
            bearer(),
            json,
            ...Array.from({ length: 1500 }, (_, n): [string, string] => [`X-${n}`, '1']),
          ],
        }),
        [200, 400],
      ],
    ];

    test.each(known)('is answered as the contract says: %s', async (_name, sent, expected) => {
      const answers = await ask({ target: messages(), headers: asJson(), body: good, ...sent() });
      expectContract(answers);
      expect([expected].flat()).toContain(answers[0]?.status);
    });

    test('is forwarded without its byte order mark', async () => {
      await ask({
        target: messages(),
        headers: asJson(),
        body: `\ufeff${JSON.stringify(imageTo('16505550001'))}`,
      });
      expect(line.sent().at(-1)).toBe(JSON.stringify(imageTo('16505550001')));
    });
  });
});
