/** What the platform manages, through the gateway with its embedded sandbox and at the sandbox itself. */
import { type ServerResponse } from 'node:http';
import { addCustomer } from '../../../gateway/customers/manage-customers';
import { commandActor } from '../../../gateway/cli/offline';
import { editLine } from '../../../gateway/lines/edit-line';
import { SCOPES, type Scope } from '../../../gateway/store/schema';
import { until, type Answer } from '../../support/http-peer';
import { rows } from '../../support/rows';
import {
  call,
  expectRefusal,
  sceneOf,
  lineOf,
  type Json,
  type Reply,
  type TestLine,
} from '../../support/scene';

const CONTACT = '12025550147';
const PIN = '482913';

const scene = sceneOf(undefined, { GATEWAY_UPSTREAM_URL: 'sandbox', GATEWAY_TOKEN_RATE: 'off' });
/** Used through the gateway, and directly at the sandbox. */
const own = lineOf(scene, { accessToken: 'EAAown', wabaId: '402290129340398' });
const direct = lineOf(scene, { accessToken: 'EAAdirect', wabaId: '502290129340398' });
const ACCOUNTS: Record<string, string> = { EAAown: '402290129340398', EAAdirect: '502290129340398' };

let token: string;
beforeAll(async () => {
  token = await tokenOf(own, [...SCOPES]);
});

const tokenOf = (line: TestLine, scopes: Scope[]) => scene.token(line.id, null, { scopes });

type Call = [method: string, path: string, body?: object | string, headers?: Record<string, string>];

const sent = (bearer: string, [method, , body, headers]: Call): RequestInit => ({
  method,
  headers: {
    authorization: `Bearer ${bearer}`,
    ...(typeof body === 'object' && { 'content-type': 'application/json' }),
    ...headers,
  },
  ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
});
const request = (bearer: string, ...given: Call): Promise<Reply> =>
  call(`${scene.gateway.url}/v22.0${given[1]}`, sent(bearer, given));
const ask = (...given: Call): Promise<Reply> => request(token, ...given);
/** At the sandbox itself. */
async function askDirectly(...given: Call): Promise<{ status: number; text: string; body: Json }> {
  const answer = await fetch(`${scene.gateway.sandboxUrl}/v22.0${given[1]}`, sent('EAAdirect', given));
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) };
}

/** Ids that differ between two lines, or are random. */
const alike = (text: string): string =>
  [own, direct]
    .reduce((all, { phoneNumberId }) => all.replaceAll(phoneNumberId, 'PHONE'), text)
    .replaceAll(/[45]02290129340398/g, 'WABA')
    .replaceAll(/"id":"\d{16}"/g, '"id":"ID"')
    .replaceAll(/[0-9A-F]{14}/g, 'CODE')
    .replaceAll(/"cursors":\{[^}]*\}/g, '"cursors":{}')
    .replaceAll(/upload:[\w.-]+/g, 'upload:ID')
    .replaceAll(/4:[\w-]{43}/g, 'HANDLE')
    .replaceAll(/"fbtrace_id":"[\w-]+"/g, '"fbtrace_id":"TRACE"')
    .replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, 'HOST');

/** The platform's part of an answer: refusals of the gateway contain the platform's error object. */
const platformPart = ({ status, text, body }: Reply): [number, string] => [
  status,
  body?.success === false && body.error
    ? alike(JSON.stringify({ ...body.error, error_data: undefined }))
    : alike(text),
];

const fromPlatform = ({
  status,
  text,
  body,
}: {
  status: number;
  text: string;
  body: Json;
}): [number, string] => [
  status,
  body?.error ? alike(JSON.stringify({ ...body.error, error_data: undefined })) : alike(text),
];

const CREATE = {
  name: 'order_ready',
  language: 'en_US',
  category: 'UTILITY',
  components: [
    { type: 'BODY', text: 'Hello {{1}}, your order is ready.', example: { body_text: [['Ana']] } },
  ],
};

/** Without components, because they are the library's. */
const OF_LIBRARY = {
  ...{ name: 'of_library', language: 'en_US', category: 'UTILITY' },
  library_template_name: 'visit_reminder',
};

describe('answers exactly like the platform', () => {
  const PROFILE = { messaging_product: 'whatsapp', about: 'Open 9–18', websites: ['https://example.com/'] };
  const BLOCK = { messaging_product: 'whatsapp', block_users: [{ user: `+${CONTACT}` }] };
  const CALLS: Call[] = [
    ['GET', '/PHONE/whatsapp_business_profile'],
    ['POST', '/PHONE/whatsapp_business_profile', PROFILE],
    ['GET', '/PHONE/whatsapp_business_profile?fields=about,websites,email'],
    ['GET', '/PHONE/whatsapp_business_profile?fields=owner{id}'],
    ['POST', '/PHONE/whatsapp_business_profile', { ...PROFILE, about: 'a'.repeat(140) }],
    ['POST', '/PHONE/block_users', BLOCK],
    ['GET', '/PHONE/block_users'],
    ['DELETE', '/PHONE/block_users', BLOCK],
    ['GET', '/PHONE/block_users?limit=5'],
    ['POST', '/PHONE/message_qrdls', { prefilled_message: 'Hi', generate_qr_image: 'SVG' }],
    ['POST', '/PHONE/message_qrdls?prefilled_message=From%20a%20query'],
    ['GET', '/PHONE/message_qrdls'],
    ['GET', '/PHONE/message_qrdls/AAAAAAAAAAAAAA'],
    ['DELETE', '/PHONE/message_qrdls/AAAAAAAAAAAAAA'],
    ['POST', '/PHONE/register', { messaging_product: 'whatsapp', pin: PIN }],
    ['POST', '/PHONE/register', { messaging_product: 'whatsapp', pin: '000000' }],
    ['POST', '/PHONE', { pin: PIN }],
    ['POST', '/PHONE?new_display_name=Lucky%20Shrub'],
    ['GET', '/PHONE?fields=new_display_name,new_name_status'],
    ['POST', '/PHONE/deregister'],
    ['POST', `/PHONE/register?messaging_product=whatsapp&pin=${PIN}`],
    ['POST', '/PHONE/request_code', { code_method: 'SMS', language: 'en_US' }],
    ['POST', '/PHONE/verify_code?code=123-456'],
    ['POST', '/PHONE/verify_code', { code: 'abc' }],
    ['POST', '/PHONE/conversational_automation', { enable_welcome_message: true, prompts: ['Hours?'] }],
    ['GET', '/PHONE/conversational_automation'],
    ['GET', '/PHONE/settings'],
    ['POST', '/PHONE/whatsapp_commerce_settings?is_cart_enabled=false'],
    ['GET', '/PHONE/whatsapp_commerce_settings'],
    ['GET', '/WABA/subscribed_apps'],
    ['POST', '/WABA/subscribed_apps'],
    ['GET', '/WABA?fields=name,currency,account_review_status'],
    ['GET', '/WABA?fields=nothing'],
    ['GET', '/WABA/phone_numbers?fields=id,display_phone_number'],
    ['POST', '/app/uploads?file_name=a.png&file_length=3&file_type=image/png'],
    ['POST', '/app/uploads?file_name=a.exe&file_length=3&file_type=application/exe'],
    ['POST', '/WABA/message_templates', CREATE],
    ['DELETE', '/WABA/message_templates?name=order_ready'],
    ['POST', '/WABA/message_templates', OF_LIBRARY],
    ['GET', '/WABA/message_templates?name=library&fields=name,status,library_template_name'],
  ];

  test.each(CALLS)('%s %s', async (method, path, ...more) => {
    const of = (line: TestLine, accessToken: string) =>
      path.replace('PHONE', line.phoneNumberId).replace('WABA', ACCOUNTS[accessToken] ?? '');
    const gateways = await ask(method, of(own, 'EAAown'), ...more);
    const platforms = await askDirectly(method, of(direct, 'EAAdirect'), ...more);
    expect(platformPart(gateways)).toEqual(fromPlatform(platforms));
  });
});

async function play(path: string, body: object): Promise<void> {
  const answer = await fetch(`${scene.gateway.sandboxUrl}/sandbox/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

describe('what a token may manage', () => {
  test('needs a scope that no token has unless it is named', async () => {
    const usual = await scene.token(own.id, null);
    const profile = `/${own.phoneNumberId}/whatsapp_business_profile`;
    const edit = { messaging_product: 'whatsapp', about: 'Hello' };
    for (const reply of [await request(usual, 'GET', profile), await request(usual, 'POST', profile, edit)])
      expect([reply.status, reply.body.error_code]).toEqual([403, 'scope_missing']);
    const reader = await tokenOf(own, ['manage:read']);
    expect((await request(reader, 'GET', profile)).status).toBe(200);
    expect((await request(reader, 'POST', profile, edit)).body.error_code).toBe('scope_missing');
    const manager = await tokenOf(own, ['manage']);
    expect((await request(manager, 'GET', profile)).status).toBe(200);
    expect((await request(manager, 'POST', profile, edit)).status).toBe(200);
  });

  test('ends at its own line and business account', async () => {
    for (const [method, path] of [
      ['GET', `/${direct.phoneNumberId}/whatsapp_business_profile`],
      ['POST', `/${direct.phoneNumberId}`],
      ['GET', '/502290129340398?fields=name'],
      ['GET', '/502290129340398/phone_numbers'],
      ['DELETE', '/502290129340398/message_templates?name=hello_world'],
      ['POST', '/502290129340398/subscribed_apps'],
    ] as const)
      expectRefusal(await ask(method, path), 401, 'invalid_token', 190);
    const { body: theirs } = await askDirectly('GET', '/502290129340398/message_templates?limit=1');
    expectRefusal(await ask('POST', `/${theirs.data[0].id}`, CREATE), 404, 'template_not_found', 100);
  });

  test('leaves the callback with the gateway', async () => {
    const ofNumber = await ask('POST', `/${own.phoneNumberId}`, {
      webhook_configuration: { override_callback_uri: 'https://example.com/', verify_token: 'v' },
    });
    expectRefusal(ofNumber, 403, 'callback_is_the_gateways', 10);
    const path = `/${ACCOUNTS.EAAown}/subscribed_apps`;
    const override = { override_callback_uri: 'https://example.com/', verify_token: 'mine' };
    for (const reply of [
      await ask('POST', path, override),
      await ask('POST', `${path}?override_callback_uri=https%3A%2F%2Fexample.com`),
      await ask('DELETE', path),
    ])
      expectRefusal(reply, 403, 'callback_is_the_gateways', 10);
    expect((await ask('GET', path)).body.data).toHaveLength(1);
  });

  test('keeps analytics to the numbers of the account’s lines', async () => {
    const account = `/${ACCOUNTS.EAAown}?fields=`;
    const asked = `name,analytics.start(1).end(2).granularity(DAY).phone_numbers(["19995550123"])`;
    expect((await ask('GET', account + encodeURIComponent(asked))).status).toBe(200);
    for (const field of ['owner.fields(id)', 'name.limit(5).fields(owner)'])
      expectRefusal(await ask('GET', account + encodeURIComponent(field)), 400, 'invalid_query', 100);
    for (const field of ['phone_numbers{id}', 'message_templates', 'template_analytics.start(1)'])
      expectRefusal(await ask('GET', account + encodeURIComponent(field)), 400, 'invalid_query', 100);
  });

  test('is described by debug_token, which says nothing of the platform’s', async () => {
    const { body } = await ask('GET', `/debug_token?input_token=${token}`);
    expect(body.data).toMatchObject({ is_valid: true, expires_at: 0 });
    expect(body.data.scopes).toEqual(expect.arrayContaining(['manage', 'whatsapp_business_management']));
    for (const other of ['EAAown', direct.token])
      expect((await ask('GET', `/debug_token?input_token=${other}`)).body.data.is_valid).toBe(false);
  });
});

describe('changes', () => {
  test('are audited by the names of their fields; a PIN is neither stored nor logged', async () => {
    const secret = '719305';
    await ask('POST', `/${own.phoneNumberId}`, { pin: secret });
    await ask('POST', `/${own.phoneNumberId}/register?messaging_product=whatsapp&pin=${secret}`);
    await ask('POST', `/${own.phoneNumberId}/register`, { messaging_product: 'whatsapp', pin: '000000' });
    const entries = await scene.change(({ store }) => store.audit.page({ lineId: own.id }, 2));
    expect(entries.map(({ action, details }) => [action, JSON.parse(details)])).toEqual([
      ['platform.changed', { request: `POST /${own.phoneNumberId}/register`, fields: ['pin'] }],
      ['platform.changed', { request: `POST /${own.phoneNumberId}`, fields: ['pin'] }],
    ]);
    expect(scene.gateway.logged()).not.toContain(secret);
    for (const { name } of await rows(
      scene.databaseUrl,
      "select name from sqlite_master where type = 'table'",
    ))
      expect(JSON.stringify(await rows(scene.databaseUrl, `select * from ${name}`))).not.toContain(secret);
  });

  test('an upload is continued only by the token that began it, and its handle sets the picture', async () => {
    const begun = await ask('POST', '/app/uploads?file_name=a.png&file_length=6&file_type=image/png');
    const upload = `/${begun.body.id}`;
    const bytes = (bearer: string, offset: string, content: string) =>
      call(`${scene.gateway.url}/v22.0${upload}`, {
        method: 'POST',
        headers: {
          authorization: `OAuth ${bearer}`,
          file_offset: offset,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: content,
      });
    const another = await tokenOf(own, [...SCOPES]);
    expectRefusal(await bytes(another, '0', 'PNGPNG'), 404, 'not_found', 100);
    expectRefusal(await request(another, 'GET', upload), 404, 'not_found', 100);
    await bytes(token, '0', 'PNG');
    expect((await ask('GET', upload)).body).toEqual({ id: begun.body.id, file_offset: 3 });
    const { body } = await bytes(token, '3', 'PNG');
    const profile = `/${own.phoneNumberId}/whatsapp_business_profile`;
    const edit = { messaging_product: 'whatsapp', profile_picture_handle: body.h };
    expect((await ask('POST', profile, edit)).body).toEqual({ success: true });
  });
});

const moveTo = (line: TestLine, customerId: number | null) =>
  scene.change(async (world) => {
    const row = await world.store.lines.find(line.id);
    if (row) await editLine(world, commandActor(), null, row, { customerId });
  });

describe('a template', () => {
  const account = `/${ACCOUNTS.EAAown}/message_templates`;

  test('is created, read by its id, edited and deleted', async () => {
    const { body: created } = await ask('POST', account, { ...CREATE, name: 'life' });
    const { body: listed } = await ask('GET', `${account}?name=life`);
    expect(listed.data).toMatchObject([{ id: created.id, status: 'PENDING' }]);
    expect((await ask('GET', `/${created.id}?fields=name,status`)).body).toEqual({
      name: 'life',
      status: 'PENDING',
      id: created.id,
    });
    expect((await ask('GET', `${account}/${created.id}`)).body.name).toBe('life');
    const usual = await scene.token(own.id, null);
    expect((await request(usual, 'GET', `/${created.id}`)).body.error_code).toBe('scope_missing');
    await play(`templates/${created.id}`, { event: 'APPROVED', line: own.phoneNumberId });
    const components = [{ type: 'BODY', text: 'Your order is ready.' }];
    const edited = await ask('POST', `/${created.id}`, { components });
    expect([edited.status, edited.text]).toEqual([200, expect.any(String)]);
    expect((await ask('GET', `/${created.id}?fields=status,components`)).body).toMatchObject({
      status: 'PENDING',
      components,
    });
    expect((await ask('DELETE', `${account}?name=life`)).body).toEqual({ success: true });
    expect((await ask('GET', `${account}?name=life`)).body.data).toEqual([]);
    expectRefusal(await ask('DELETE', `${account}?name=life`), 404, 'template_not_found', 100);
  });

  test('lives as the platform decides: rejected, edited, approved, paused, again approved, disabled', async () => {
    const review = (rule: object) => play('review', { ...rule, line: own.phoneNumberId });
    const happens = (event: string) => play(`templates/${id}`, { event, line: own.phoneNumberId });
    // By the stored list, which decides about sends.
    const status = async () => {
      const { body } = await ask('GET', `/${own.phoneNumberId}/templates?limit=500`);
      return body.data.find((one: Json) => one.id === id)?.platform_status;
    };
    const becomes = (wanted: string) => until(async () => (await status()) === wanted);
    const send = () =>
      ask('POST', `/${own.phoneNumberId}/messages`, {
        to: CONTACT,
        type: 'template',
        template: { name: 'long_life', language: { code: 'en_US' } },
      });
    const components = [{ type: 'BODY', text: 'Your order is ready.' }];
    await review({ mode: 'reject', reason: 'PROMOTIONAL' });
    const { body: created } = await ask('POST', account, { ...CREATE, name: 'long_life', components });
    const id = String(created.id);
    await becomes('REJECTED');
    expect((await ask('GET', `/${id}?fields=rejected_reason`)).body.rejected_reason).toBe('PROMOTIONAL');
    expectRefusal(await send(), 400, 'template_not_approved', 132001);
    await review({ mode: 'approve' });
    expect((await ask('POST', `/${id}`, { components })).status).toBe(200);
    await becomes('APPROVED');
    expect((await send()).status).toBe(200);
    for (const [event, becoming, code] of [
      ['PAUSED', 'PAUSED', 132015],
      ['APPROVED', 'APPROVED', null],
      ['DISABLED', 'DISABLED', 132016],
    ] as const) {
      await happens(event);
      await becomes(becoming);
      const sentNow = await send();
      if (code === null) expect(sentNow.status).toBe(200);
      else expectRefusal(sentNow, 400, 'template_not_approved', code);
    }
    expectRefusal(await ask('POST', `/${id}`, { components }), 400, 'invalid_template', 100);
    await review({ mode: 'manual' });
  });

  test('is refused by the platform’s rules before the platform is asked, and warned of what it may refuse', async () => {
    const refused = await ask('POST', account, { ...CREATE, name: 'Order ready', category: 'OTHER' });
    expectRefusal(refused, 400, 'invalid_template', 100);
    expect(refused.body.error.error_subcode).toBe(2388046);
    expect(refused.body.error.error_data.fields.map(({ path }: Json) => path)).toEqual(['name', 'category']);
    const text = 'Hello {{1}} {{2}}, it is ready.';
    const components = [{ type: 'BODY', text, example: { body_text: [['Ana', 'Lima']] } }];
    const { status, body } = await ask('POST', account, { ...CREATE, name: 'adjacent', components });
    expect([status, body.status]).toEqual([200, 'PENDING']);
    expect(body.error_data.warnings).not.toEqual([]);
    await ask('DELETE', `${account}?name=adjacent`);
  });

  test('belongs to the customer that made it, on an account that several share', async () => {
    const customers = await scene.change(async (world) => [
      await addCustomer(world, commandActor(), null, { name: 'Bakery', externalId: null }),
      await addCustomer(world, commandActor(), null, { name: 'Garage', externalId: null }),
    ]);
    const shared = { wabaId: '602290129340398', accessToken: 'EAAshared' };
    const [bakery, garage] = await Promise.all(
      customers.map((customer) => scene.line({ ...shared, customerId: customer.id })),
    );
    if (!bakery || !garage) throw new Error('There are no lines');
    const tokens = [await tokenOf(bakery, [...SCOPES]), await tokenOf(garage, [...SCOPES])] as const;
    const path = `/${shared.wabaId}/message_templates`;
    const names = async (bearer: string, line: TestLine) => [
      ...(await request(bearer, 'GET', `${path}?limit=100`)).body.data.map(({ name }: Json) => name),
      ...(await request(bearer, 'GET', `/${line.phoneNumberId}/templates`)).body.data.map(
        ({ name }: Json) => name,
      ),
    ];
    const made = await request(tokens[0], 'POST', path, { ...CREATE, name: 'bread_ready' });
    expect(made.status).toBe(200);
    expect((await names(tokens[0], bakery)).filter((name) => name === 'bread_ready')).toHaveLength(2);
    expect(await names(tokens[1], garage)).not.toContain('bread_ready');
    // Neither in lists that only the platform can answer, nor in its totals.
    const { body: searched } = await request(tokens[1], 'GET', `${path}?content=order&fields=id`);
    expect(searched.data).not.toEqual([]);
    expect(searched.data.map(({ id }: Json) => id)).not.toContain(made.body.id);
    const totals = await request(tokens[1], 'GET', `${path}?summary=total_count`);
    expect([totals.status, totals.body.error_code]).toEqual([403, 'shared_business_account']);
    for (const reply of [
      await request(tokens[1], 'GET', `/${made.body.id}`),
      await request(tokens[1], 'POST', `/${made.body.id}`, { components: [] }),
      await request(tokens[1], 'DELETE', `${path}?name=bread_ready`),
    ])
      expect(reply.status).toBe(404);
    // Ids beside an own one, in any form, are checked each.
    const own = await request(tokens[1], 'POST', path, { ...CREATE, name: 'car_ready' });
    const [mine, theirs] = [own.body.id, made.body.id] as string[];
    for (const [query, status] of [
      [`hsm_ids=${encodeURIComponent(JSON.stringify([mine, theirs]))}`, 404],
      [`hsm_id=${mine}&hsm_ids=${encodeURIComponent(JSON.stringify([theirs]))}`, 400],
      [`hsm_ids=${mine},${theirs}`, 400],
      [`name=bread_ready&hsm_id=${mine}`, 404],
      ['', 400],
    ] as const)
      expect((await request(tokens[1], 'DELETE', `${path}?${query}`)).status).toBe(status);
    expect(await names(tokens[0], bakery)).toContain('bread_ready');
    // Another's cannot be sent.
    const template = { name: 'bread_ready', language: { code: 'en_US' } };
    const sentTo = { to: CONTACT, type: 'template', template };
    expectRefusal(
      await request(tokens[1], 'POST', `/${garage.phoneNumberId}/messages`, sentTo),
      404,
      'template_not_found',
      132001,
    );
    // Common ones are read by all, and changed by nobody who has only some of the lines.
    const taken = await request(tokens[1], 'POST', path, { ...CREATE, name: 'bread_ready' });
    expect([taken.status, taken.body.error_code]).toEqual([400, 'invalid_template']);
    expect(await names(tokens[1], garage)).toContain('hello_world');
    for (const reply of [
      await request(tokens[1], 'DELETE', `${path}?name=hello_world`),
      await request(tokens[1], 'POST', path, { ...CREATE, name: 'hello_world', language: 'pt_BR' }),
      await request(tokens[1], 'GET', `/${shared.wabaId}?fields=name`),
      await request(tokens[1], 'GET', `/${shared.wabaId}/subscribed_apps`),
    ])
      expect([reply.status, reply.body.error_code]).toEqual([403, 'shared_business_account']);
    // The last line of a customer on the account takes the templates along.
    await moveTo(garage, customers[0]?.id ?? null);
    expect(await names(tokens[1], garage)).toEqual(expect.arrayContaining(['bread_ready', 'car_ready']));
    await moveTo(garage, customers[1]?.id ?? null);
    expect(await names(tokens[0], bakery)).toContain('car_ready');
    const { body: numbers } = await request(tokens[1], 'GET', `/${shared.wabaId}/phone_numbers?fields=id`);
    expect(numbers.data).toEqual([{ id: garage.phoneNumberId }]);
  });
});

/** Closes the connection. */
function destroyed(response: ServerResponse): 'handled' {
  response.destroy();
  return 'handled';
}

/** Sends the status and the beginning of a longer body, and closes the connection. */
function cutAfter(response: ServerResponse, body: string): 'handled' {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 60 });
  response.flushHeaders();
  response.write(body || ' ', () => response.destroy());
  return 'handled';
}

describe('a creation whose answer is lost', () => {
  const platform = sceneOf(undefined);
  const line = lineOf(platform);

  /** What the platform does with the POST after it made the template, or before. */
  const CUTS: [
    string,
    isMade: boolean,
    status: number,
    cut: (response: ServerResponse) => Answer | 'handled',
  ][] = [
    ['before the platform reads it', false, 504, destroyed],
    ['before the answer', true, 200, destroyed],
    ['after the status', true, 200, (response) => cutAfter(response, '')],
    ['in the middle of the answer', true, 200, (response) => cutAfter(response, '{"id":"7","stat')],
    ['by a proxy', true, 200, () => ({ status: 502, body: '<html>Bad gateway</html>' })],
    ['by a proxy before the platform', false, 504, () => ({ status: 504, body: '<html>Timeout</html>' })],
  ];

  test.each(CUTS)('%s is looked up in the list, and never sent again', async (where, isMade, status, cut) => {
    let creations = 0;
    const name = where.replaceAll(' ', '_').toLowerCase();
    const bearer = await platform.token(line.id, null, { scopes: [...SCOPES] });
    const before = platform.upstream.answers.templates;
    platform.upstream.answers.templates = ({ method }, response) => {
      if (method === 'POST') {
        creations++;
        return cut(response);
      }
      const template = { ...CREATE, name, id: '7', status: 'PENDING' };
      return { body: { data: creations && isMade ? [template] : [] } };
    };
    const reply = await call(
      `${platform.gateway.url}/v22.0/${line.phoneNumberId}/message_templates`,
      sent(bearer, ['POST', '', { ...CREATE, name }]),
    );
    platform.upstream.answers.templates = before;
    expect([reply.status, creations]).toEqual([status, 1]);
    if (isMade) expect(reply.body).toEqual({ id: '7', status: 'PENDING', category: 'UTILITY' });
    else expect(reply.body.outcome).toBe('unknown');
  });
});

test('a template stays its customer’s if its creation in another language is refused at the same time', async () => {
  const wabaId = ACCOUNTS.EAAown ?? '';
  const customer = await scene.change((world) =>
    addCustomer(world, commandActor(), null, { name: 'Florist', externalId: null }),
  );
  const line = await scene.line({ customerId: customer.id, accessToken: 'EAAflorist', wabaId });
  const bearer = await tokenOf(line, [...SCOPES]);
  // The sandbox refuses it, because the library has no such template.
  const refused = { name: 'flowers', language: 'en_US', category: 'UTILITY', library_template_name: 'none' };
  const path = `/${wabaId}/message_templates`;
  const replies = await Promise.all([
    request(bearer, 'POST', path, refused),
    request(bearer, 'POST', path, { ...CREATE, name: 'flowers', language: 'pt_BR' }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([400, 200]);
  expect(await scene.change(({ store }) => store.templates.owner(wabaId, 'flowers'))).toBe(customer.id);
});
