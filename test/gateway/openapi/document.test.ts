import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import pino from 'pino';
import { validateMessage } from '../../../gateway/cloud-api/validate/validate-message';
import { MESSAGE_TYPES } from '../../../gateway/cloud-api/validate/message-request';
import { ADMIN_API } from '../../../gateway/openapi/admin-api';
import { openApiDocument } from '../../../gateway/openapi/document';
import { LINE_API } from '../../../gateway/openapi/line-api';
import { MESSAGE_EXAMPLES } from '../../../gateway/api/messages/message-examples';
import { OPERATIONS } from '../../../gateway/api/operations';
import { ADMIN_OPERATIONS } from '../../../gateway/api/v1/operations';
import { PATH_PARAMETERS } from '../../../gateway/api/path-parameters';
import { toOpenApi } from '../../../gateway/openapi/schema';
import { offline } from '../../../gateway/cli/offline';
import { addToken } from '../../../gateway/lines/tokens';
import { SCOPES } from '../../../gateway/store/schema';
import { DEMO_CONTACT, DEMO_LINE } from '../../../gateway/sandbox/platform/account';
import { ALL_ROLES } from '../../../gateway/process-roles';
import { createServer, type Services } from '../../../gateway/server';
import { expectDescribed, resolved } from '../../support/described';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { call, sqliteUrl, type Json } from '../../support/scene';
import { addTestLine, settings, startTestGateway, type TestGateway } from '../../support/test-gateway';

const APIS = [LINE_API, ADMIN_API];
const document = openApiDocument(LINE_API, null) as Json;
type Kinds = Record<string, object>;

/** Every object under a key of that name, wherever in the document it stands. */
function found(part: unknown, key: string): unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = Object.hasOwn(part, key) ? [(part as Record<string, unknown>)[key]] : [];
  return [...own, ...Object.values(part).flatMap((one) => found(one, key))];
}

describe('the OpenAPI document', () => {
  test.each(APIS)('is valid OpenAPI 3.0: $title', async (api) => {
    const document = openApiDocument(api, null) as Json;
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect([valid, errors]).toEqual([true, undefined]);
    expect([document.openapi, document.info.version]).toEqual(['3.0.3', '1.0.0']);
  });

  test.each(APIS)('is read in one go: 200 KB at most: $title', (api) => {
    const document = openApiDocument(api, null);
    expect(JSON.stringify(document).length).toBeLessThan(200 * 1024);
  });

  test.each(APIS)('points at nothing that it does not hold, and names each operation once: $title', (api) => {
    const document = openApiDocument(api, null) as Json;
    const refs = [
      ...found(document, '$ref'),
      ...found(document, 'mapping').flatMap((one) => Object.values(one as object)),
    ];
    for (const ref of new Set(refs as string[])) {
      const held = ref
        .split('/')
        .slice(1)
        .reduce<Json>((part, step) => part?.[step], document);
      expect([ref, typeof held]).toEqual([ref, 'object']);
    }
    const ids = api.operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has both address forms, of the public address where that is known', () => {
    expect(document.servers).toEqual([{ url: '/api' }, { url: '/' }]);
    expect(openApiDocument(LINE_API, 'https://gateway.example.com').servers).toEqual([
      { url: 'https://gateway.example.com/api' },
      { url: 'https://gateway.example.com' },
    ]);
  });

  test('has exactly the operations that the server has', async () => {
    const version = '/:version(^v(?:1[3-9]|2[0-6])\\.0$)';
    const served = new Set<string>();
    // Nothing is asked of the world before a request comes.
    const server = createServer({
      log: pino({ level: 'silent' }),
      publicUrl: null,
      roles: ALL_ROLES,
    } as unknown as Services);
    server.addHook('onRoute', ({ method, url }) => {
      // The methods that a path refuses are registered together; those that it has, one by one.
      const path = url.slice(url.indexOf(version) + version.length);
      const withoutNames = (text: string) =>
        text.replace(/(::)?:\w+(\([^)]*\))?/g, (_, colon) => (colon ? ':{}' : '{}'));
      const isAdmin = url.startsWith('/v1/');
      const named = url.includes(version) ? url.replace(path, withoutNames(path)) : url;
      if (typeof method === 'string' && method !== 'HEAD')
        served.add(`${method} ${isAdmin ? withoutNames(url) : named}`);
    });
    await server.ready();
    await server.close();

    const described = OPERATIONS.map(
      ({ method, path }) => `${method.toUpperCase()} ${version}${path.replace(/\{\w+\}/g, '{}')}`,
    );
    const ofAdmin = ADMIN_OPERATIONS.map(
      ({ method, path }) => `${method.toUpperCase()} /v1${path.replace(/\{\w+\}/g, '{}')}`,
    );
    // What upstream calls, the description itself and the control panel are no operations for customers.
    const others = [...served].filter(
      (route) => !route.includes(version) && !/ \/(panel.*)?$/.test(route) && !ofAdmin.includes(route),
    );
    expect(others.sort()).toEqual([
      'GET /docs',
      'GET /docs/:file',
      'GET /healthz',
      'GET /metrics',
      'GET /openapi.json',
      'GET /readyz',
      'GET /v1/docs',
      'GET /v1/openapi.json',
      'GET /webhooks/platform',
      'GET /webhooks/platform/:tid',
      'POST /webhooks/platform',
      'POST /webhooks/platform/:tid',
    ]);
    expect([...served].filter((route) => route.includes(version)).sort()).toEqual(described.sort());
    expect([...served]).toEqual(expect.arrayContaining(ofAdmin));
  });

  test('tells the kinds of a message apart by their type, and what has no type from them all', () => {
    const { SendRequest, Message } = document.components.schemas;
    expect(SendRequest.oneOf).toEqual([
      { $ref: '#/components/schemas/Message' },
      { $ref: '#/components/schemas/MarkAsRead' },
    ]);
    expect(Object.keys(Message.discriminator.mapping)).toEqual(Object.keys(MESSAGE_TYPES));
    for (const [type, ref] of Object.entries<string>(Message.discriminator.mapping)) {
      const schema = document.components.schemas[ref.split('/').at(-1) ?? ''];
      expect(schema.properties.type).toEqual({ type: 'string', enum: [type] });
      expect(schema.required).toEqual(expect.arrayContaining(['type', type]));
    }
  });

  test('generated from the very schemas that validate requests: judges a body as the gateway does', () => {
    const judge = new Ajv({ strict: false, validateSchema: false })
      .addSchema(document, 'api')
      .compile({ $ref: 'api#/components/schemas/SendRequest' });
    const text = { to: '5511987654321', type: 'text', text: { body: 'Hello' } };
    const bodies = [
      ...Object.values(MESSAGE_EXAMPLES).map(({ value }) => value),
      text,
      { ...text, to: 'US.13491208655302741918' },
      { ...text, to: 'nobody' },
      { ...text, to: undefined },
      { ...text, type: 'fax' },
      { ...text, text: { body: 'x'.repeat(4097) } },
      { ...text, text: {} },
      { ...text, text: 'Hello' },
      { ...text, messaging_product: 'sms' },
      { ...text, messaging_product: null },
      { ...text, context: {} },
      { ...text, further: 1 },
      { to: text.to, type: 'image', image: { link: 'ftp://example.com' } },
      { to: text.to, type: 'location', location: { latitude: '1.5', longitude: 181 } },
      { to: text.to, type: 'location', location: { latitude: '1.5', longitude: 18 } },
      {
        to: text.to,
        type: 'interactive',
        interactive: { type: 'button', body: { text: 'A' }, action: { buttons: [] } },
      },
      { to: text.to, type: 'interactive', interactive: { type: 'unheard_of', action: { a: 1 } } },
      { status: 'read', message_id: 'wamid.1' },
      { status: 'read' },
      { status: 'unread', message_id: 'wamid.1' },
      {},
    ].map((body) => JSON.parse(JSON.stringify(body)) as Record<string, unknown>);
    expect(bodies.map((body) => [body, judge(body)])).toEqual(
      bodies.map((body) => [body, validateMessage(body).length === 0]),
    );
  });

  test.each(APIS)('describes every refusal in words, with an example of each status: $title', (api) => {
    const document = openApiDocument(api, null) as Json;
    const within = api === ADMIN_API ? 'admin' : 'api';
    const refused = Object.values<Kinds>(document.paths)
      .flatMap((path) => Object.values<Json>(path))
      .flatMap(({ responses }) => Object.entries<Json>(responses))
      .filter(([status]) => !status.startsWith('2'));
    for (const [, answer] of refused) {
      const { description, content } = resolved<Json>(answer, within);
      const { examples, schema } = content['application/json'];
      const words = found(schema, 'error_code').flatMap((one) => (one as Json).enum as string[]);
      for (const word of words) expect(description).toContain(`- \`${word}\`: `);
      expect(Object.keys(examples)).toHaveLength(1);
      for (const [name, example] of Object.entries<Json>(examples)) {
        const { value } = resolved<Json>(example, within);
        expect(name).toContain(value.error_code);
        expect(description).toContain(`- \`${value.error_code}\`: `);
        expect(value.error.code).toEqual(expect.any(Number));
      }
    }
    expect(refused.length).toBeGreaterThan(30);
  });

  test('has an example of an answer wherever one is given that it describes itself', () => {
    for (const [path, methods] of Object.entries<Kinds>(document.paths))
      for (const [method, { responses }] of Object.entries<Json>(methods as Json))
        for (const [status, answer] of Object.entries<Json>(responses))
          for (const example of Object.values<Json>(
            resolved(answer).content['application/json']?.examples ?? {},
          ))
            expectDescribed({
              method: method.toUpperCase(),
              url: `http://gateway${path.replace(/\{(\w+)\}/g, (_, name) => PATH_PARAMETERS[name]?.example ?? '')}`,
              status: Number(status.replace('XX', '22')),
              headers: new Headers({ 'content-type': 'application/json', 'x-gateway-version': 'v22.0' }),
              text: JSON.stringify(resolved(example).value),
            });
  });
});

describe('an answer that the document does not describe', () => {
  const headers = new Headers({
    'content-type': 'application/json; charset=utf-8',
    'x-gateway-version': 'v22.0',
  });
  const removed = {
    method: 'DELETE',
    url: 'http://gateway/api/v19.0/1/destinations/1',
    status: 200,
    headers,
    text: '{"success":true}',
  };
  const refused = (code: string, more: object = {}) =>
    JSON.stringify({
      success: false,
      error_code: code,
      error: {
        message: 'm',
        type: 't',
        code: 1,
        error_data: { messaging_product: 'whatsapp', details: 'd' },
        fbtrace_id: 'f',
        ...more,
      },
      request_id: 'r',
    });

  test('fails the test that sees it', () => {
    expect(() => expectDescribed(removed)).not.toThrow();
    for (const [change, told] of [
      [{ status: 204 }, 'no such status'],
      [{ text: '{"success":true,"id":1}' }, '"additionalProperty":"id"'],
      [{ text: '{}' }, "required property 'success'"],
      [{ text: '<html>' }, 'must be object'],
      [
        { headers: new Headers({ 'content-type': 'text/plain', 'x-gateway-version': 'v22.0' }) },
        'no text/plain',
      ],
      [{ headers: new Headers({ 'content-type': 'application/json' }) }, 'X-Gateway-Version is missing'],
      [{ headers: new Headers([...headers, ['x-secret', '1']]) }, 'the header x-secret'],
      [{ method: 'PATCH' }, 'no such method'],
      [{ url: 'http://gateway/api/v22.0/1/nothing' }, 'no such path'],
      [{ status: 404, text: refused('unheard_of') }, '/error_code'],
      [{ status: 404, text: refused('not_found', { internals: 1 }) }, '"additionalProperty":"internals"'],
    ] as const)
      expect(() => expectDescribed({ ...removed, ...change })).toThrow(told);
  });

  test('is told from an error of upstream, which holds whatever upstream put into it', () => {
    const sent = { ...removed, method: 'POST', url: 'http://gateway/v22.0/1/messages' };
    const upstream = refused('upstream_error', { error_subcode: 2494010, whatever: { it: 'is' } });
    for (const status of [400, 404, 422])
      expect(() => expectDescribed({ ...sent, status, text: upstream })).not.toThrow();
    expect(() => expectDescribed({ ...sent, status: 401, text: upstream })).toThrow();
    expect(() =>
      expectDescribed({ ...sent, status: 400, text: refused('invalid_payload', { whatever: 1 }) }),
    ).toThrow();
  });
});

test('a schema in words that OpenAPI does not have is translated, and one without a translation refused', () => {
  expect(toOpenApi({ type: 'object', properties: { a: { const: 'x' }, b: { enum: ['y', null] } } })).toEqual({
    type: 'object',
    properties: {
      a: { type: 'string', enum: ['x'] },
      b: { type: 'string', enum: ['y', null], nullable: true },
    },
  });
  expect(toOpenApi({ anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] })).toEqual({
    type: 'string',
    maxLength: 3,
    nullable: true,
  });
  expect(toOpenApi({ type: ['integer', 'null'], minimum: 1 })).toEqual({
    type: 'integer',
    minimum: 1,
    nullable: true,
  });
  expect(toOpenApi({ type: 'object', patternProperties: { '^.*$': { type: 'string' } } })).toEqual({
    type: 'object',
    additionalProperties: { type: 'string' },
  });
  expect(() => toOpenApi({ type: 'array', contains: { type: 'string' } })).toThrow('"contains"');
});

/** The least that is a picture. */
function picture(): FormData {
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  );
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', 'image/png');
  form.set('file', new Blob([bytes], { type: 'image/png' }), 'picture.png');
  return form;
}

describe('every example request', () => {
  let gateway: TestGateway;
  let receiver: HttpPeer;
  let authorization: string;
  /** What operations need in their query. */
  const QUERIES: Record<string, string> = {
    'delete /{account_id}/message_templates': '?name=order_ready',
    'post /{app_id}/uploads': '?file_length=9',
  };
  /** What stands in an example, and what takes its place. */
  let ids: Record<string, string>;

  async function upload(line: string): Promise<string> {
    const { status, text, body } = await call(`${gateway.url}/v22.0/${line}/media`, {
      method: 'POST',
      headers: { authorization },
      body: picture(),
    });
    expect([status, text]).toEqual([200, text]);
    return body.id;
  }

  beforeAll(async () => {
    const env = settings(await sqliteUrl(), { GATEWAY_UPSTREAM_URL: 'sandbox' });
    const { phoneNumberId, displayPhoneNumber: phoneNumber, wabaId } = DEMO_LINE;
    const { id } = await addTestLine(env, { phoneNumberId, phoneNumber, wabaId });
    const { token } = await offline(env, (world) => addToken(world, id, { scopes: SCOPES }), 'first command');
    authorization = `Bearer ${token}`;
    gateway = await startTestGateway(env);
    receiver = await startPeer();
    // The contact writes first, so that its window is open.
    await fetch(`${gateway.sandboxUrl}/sandbox/contacts/${DEMO_CONTACT}/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer upstream-access-token' },
      body: JSON.stringify({ text: 'Hello', line: phoneNumberId }),
    });
    await until(async () => (await gateway.windows.lastInboundAt(1, DEMO_CONTACT)) !== null);
    const sent = await call(`${gateway.url}/v22.0/${phoneNumberId}/messages`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ to: DEMO_CONTACT, type: 'text', text: { body: 'Hello' } }),
    });
    const made = async (path: string, value = {}) => {
      const { body } = await call(`${gateway.url}/v22.0/${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(value),
      });
      return body;
    };
    const { data } = await fetch(`${gateway.url}/v22.0/${wabaId}/message_templates?status=APPROVED`, {
      headers: { authorization },
    }).then(async (answer) => (await answer.json()) as Json);
    const { code } = await made(`${phoneNumberId}/message_qrdls`, { prefilled_message: 'Hello' });
    const upload = await made('app/uploads', { file_length: 9, file_type: 'image/png' });
    ids = {
      [PATH_PARAMETERS.message_id?.example ?? '']: sent.body.chat_message_id,
      [PATH_PARAMETERS.account_id?.example ?? '']: wabaId,
      [PATH_PARAMETERS.template_id?.example ?? '']: data[0].id,
      [PATH_PARAMETERS.code?.example ?? '']: code,
      [`upload:${PATH_PARAMETERS.upload_id?.example}`]: upload.id,
      template: data[1].id,
      pin: phoneNumberId,
    };
  });
  afterAll(async () => {
    await gateway.stop();
    await receiver.close();
  });

  const requests = Object.entries<Kinds>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods as Json).flatMap(([method, { parameters, requestBody, responses }]) => {
      // An operation that is always refused.
      if (!Object.keys(responses).some((status) => status.startsWith('2'))) return [];
      const filled = (parameters as Json[])
        .map((parameter) => resolved<Json>(parameter))
        .filter(({ in: place }) => place === 'path')
        .reduce((url, { name, example }) => url.replace(`{${name}}`, example), path);
      const examples: [string, Json][] = requestBody
        ? Object.values<Json>(requestBody.content).flatMap(({ examples: of }) => Object.entries<Json>(of))
        : [['as it stands', {}]];
      return examples.map(([name, { value }]) => ({
        method: method.toUpperCase(),
        url: filled,
        type: Object.keys(requestBody?.content ?? {})[0] ?? 'application/json',
        query: QUERIES[`${method} ${path.slice('/v22.0'.length)}`] ?? '',
        name,
        value,
      }));
    }),
  );

  test.each(requests)(
    'is carried out in the sandbox: $method $url, $name',
    async ({ method, url: example, type, query, name, value }) => {
      const file = PATH_PARAMETERS.media_id?.example ?? '';
      const isJson = type === 'application/json';
      if (example.includes(file)) ids[file] = await upload(DEMO_LINE.phoneNumberId);
      const isObject = method === 'POST' && example === `/v22.0/${file}`;
      const url = (isObject ? `/v22.0/${name}` : example).replace(/[^/]+/g, (word: string) =>
        encodeURIComponent(ids[word] ?? word),
      );
      // The receiver stands in for the address of an example; everything else is sent as it stands.
      const body = value && {
        ...(typeof value === 'object' && value),
        ...(value.url && { url: receiver.url }),
        ...(value.callback_url && value.message_id && { message_id: ids[value.message_id] }),
      };
      const written = type === 'multipart/form-data' ? picture() : 'nine bytes'.slice(1);
      const reply = await call(`${gateway.url}/api${url}${query}`, {
        method,
        headers: { authorization, ...(body && type !== 'multipart/form-data' && { 'content-type': type }) },
        body: isJson ? body && JSON.stringify(body) : written,
      });
      const isMade = method === 'POST' && (value?.url || value?.callback_url);
      expect([reply.status, reply.text]).toEqual([isMade ? 201 : 200, reply.text]);
      if (value?.callback_url) ids[PATH_PARAMETERS.question_id?.example ?? ''] = reply.body.id;
    },
  );
});
