import { DATABASES } from '../../support/databases';
import { turns, until } from '../../support/http-peer';
import { call, CONTACT, expectRefusal, sceneOf, upstreamError, type TestLine } from '../../support/scene';

const SECOND = 1000;

const upstreamTemplate = (name: string, more: object = {}) => ({
  id: `id of ${name}`,
  name,
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hello {{1}}' }],
  ...more,
});

/** Answers pages as the platform does: `next` and a cursor on all but the last. */
const pages = (...lists: object[][]) => ({
  templates: ({ url }: { url: string }) => {
    const page = Number(new URL(url, 'http://upstream').searchParams.get('after') ?? 0);
    const isLast = page + 1 >= lists.length;
    return {
      body: {
        data: lists[page],
        paging: {
          cursors: { before: 'x', after: String(page + 1) },
          ...(!isLast && { next: 'https://graph.example/next' }),
        },
      },
    };
  },
});

describe.each(DATABASES)('the templates of a line ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  let line: TestLine;

  beforeEach(async () => {
    scene.upstream.answers.templates = pages([]).templates;
    line = await scene.line();
  });

  const answering = (...lists: object[][]) => Object.assign(scene.upstream.answers, pages(...lists));
  const asked = () =>
    scene.upstream.received.filter(({ url }) =>
      url.includes(`${line.phoneNumberId.slice(-2)}/message_templates`),
    );
  const names = async (query = '') => {
    const { status, body } = await line.get(`/templates${query}`);
    expect(status).toBe(200);
    return body.data.map(({ name }: { name: string }) => name);
  };
  /** Synced once and past the cooldown. */
  const synced = async (...lists: object[][]) => {
    answering(...lists);
    expect((await line.get('/templates?refresh=1')).body.refresh).toEqual({
      requested: true,
      performed: true,
    });
    scene.clock.now += 60 * SECOND;
  };

  test('Templates response envelope and Template record: every field, and those added for clients that build forms', async () => {
    answering([
      upstreamTemplate('order_update', {
        quality_score: { score: 'GREEN', date: 1 },
        parameter_format: 'POSITIONAL',
        components: [
          { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['7'] } },
          { type: 'BODY', text: 'Hello {{1}}, {{2}} and {{1}} again' },
          { type: 'FOOTER', text: 'Bye' },
          {
            type: 'BUTTONS',
            buttons: [
              { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
              { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550783881' },
              { type: 'QUICK_REPLY', text: 'Thanks' },
              { type: 'COPY_CODE', example: 'SAVE' },
            ],
          },
        ],
      }),
    ]);
    const { status, body } = await line.get('/templates?refresh=1&status=approved');
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      line: {
        id: line.id,
        phone_number: '15550783881',
        channel: 'cloud_api',
        requires_platform_approval: true,
      },
      synced_at: new Date(scene.clock.now).toISOString(),
      refresh: { requested: true, performed: true },
      count: 1,
      data: [
        {
          id: 'id of order_update',
          name: 'order_update',
          language: 'en_US',
          category: 'UTILITY',
          status: 'approved',
          platform_status: 'APPROVED',
          quality_score: 'HIGH',
          parameter_format: 'POSITIONAL',
          header: { type: 'text', text: 'Order {{1}}' },
          body: 'Hello {{1}}, {{2}} and {{1}} again',
          footer: 'Bye',
          buttons: [
            { index: 0, type: 'url', text: 'Track', url: 'https://example.com/{{1}}', variables: 1 },
            { index: 1, type: 'phone_number', text: 'Call', phone_number: '+15550783881', variables: 0 },
            { index: 2, type: 'quick_reply', text: 'Thanks', variables: 0 },
            { index: 3, type: 'copy_code', text: '', variables: 1 },
          ],
          variables: 2,
          variable_names: ['1', '2'],
          header_variables: ['1'],
          is_starter: true,
          components: expect.arrayContaining([{ type: 'FOOTER', text: 'Bye' }]),
        },
      ],
    });
  });

  test('header: {type, text}; variables = distinct placeholders of the body, {{1}} or {{name}}; null for what is not there', async () => {
    answering([
      upstreamTemplate('a_image', {
        components: [
          { type: 'HEADER', format: 'IMAGE', example: {} },
          { type: 'BODY', text: 'Hi' },
        ],
      }),
      upstreamTemplate('b_named', {
        parameter_format: 'NAMED',
        components: [{ type: 'BODY', text: 'Hi {{first_name}}, {{ order_id }}' }],
      }),
      upstreamTemplate('c_location', {
        components: [
          { type: 'HEADER', format: 'LOCATION' },
          { type: 'BODY', text: 'Hi' },
        ],
      }),
      upstreamTemplate('d_bare', { components: undefined }),
    ]);
    const { body } = await line.get('/templates?refresh=1&status=approved');
    expect(body.data).toEqual([
      expect.objectContaining({
        header: { type: 'image', text: null },
        footer: null,
        buttons: [],
        variables: 0,
      }),
      expect.objectContaining({
        header: null,
        parameter_format: 'NAMED',
        variables: 2,
        variable_names: ['first_name', 'order_id'],
      }),
      expect.objectContaining({ header: { type: 'location', text: null } }),
      expect.objectContaining({
        header: null,
        body: '',
        variables: 0,
        parameter_format: 'POSITIONAL',
        quality_score: 'UNKNOWN',
      }),
    ]);
  });

  test.each([
    ['approved', ['APPROVED', 'FLAGGED', 'REINSTATED', 'UNARCHIVED', 'LOCKED']],
    ['pending', ['PENDING', 'IN_APPEAL', 'SOMETHING_NEW']],
    ['rejected', ['REJECTED']],
    ['disabled', ['PAUSED', 'DISABLED', 'ARCHIVED', 'LIMIT_EXCEEDED', 'PENDING_DELETION', 'DELETED']],
  ])(
    'status: %s by what upstream says. platform_status keeps the upstream’s word.',
    async (status, words) => {
      const found = words.map((word) => upstreamTemplate(`t_${word.toLowerCase()}`, { status: word }));
      answering([
        ...found,
        upstreamTemplate('z_other', { status: status === 'rejected' ? 'PENDING' : 'REJECTED' }),
      ]);
      const { body } = await line.get(`/templates?refresh=true&status=${status}`);
      const own = body.data.filter(({ is_starter: isStarter }: { is_starter: boolean }) => !isStarter);
      expect(own.map(({ status: one }: { status: string }) => one)).toEqual(words.map(() => status));
      expect(own.map(({ platform_status: word }: { platform_status: string }) => word)).toEqual(
        [...words].sort(),
      );
    },
  );

  test.each([
    ['GREEN', 'HIGH'],
    ['YELLOW', 'MEDIUM'],
    ['RED', 'LOW'],
    ['UNKNOWN', 'UNKNOWN'],
    ['PURPLE', 'UNKNOWN'],
  ])('quality_score: GREEN/YELLOW/RED → HIGH/MEDIUM/LOW, else UNKNOWN. %s → %s', async (score, quality) => {
    answering([upstreamTemplate('rated', { quality_score: { score } })]);
    const { body } = await line.get('/templates?refresh=1&status=approved');
    expect(body.data[0].quality_score).toBe(quality);
  });

  test('The filter is applied before limit; order by name, then language; count = items returned.', async () => {
    await synced([
      upstreamTemplate('b', { language: 'pt_BR' }),
      upstreamTemplate('B'),
      upstreamTemplate('a', { status: 'REJECTED' }),
      upstreamTemplate('b', { language: 'en_US' }),
      upstreamTemplate('c'),
    ]);
    const { body } = await line.get('/templates?status=approved');
    expect(body.data.map((one: { name: string; language: string }) => `${one.name} ${one.language}`)).toEqual(
      ['B en_US', 'b en_US', 'b pt_BR', 'c en_US'],
    );
    expect((await line.get('/templates?status=approved&limit=2')).body).toMatchObject({
      count: 2,
      data: [{ name: 'B' }, { name: 'b' }],
    });
    expect(await names('?limit=1&status=rejected')).toEqual(['a']);
    expect(await names('?limit=1')).toEqual(['B']);
    expect(await names('?limit=1&name=C')).toEqual(['c']);
    expect(await names('?name=nothing')).toEqual([]);
  });

  test('limit | templates | 1 to 500, default 200', async () => {
    const many = (from: number) =>
      Array.from({ length: 100 }, (_, index) =>
        upstreamTemplate(`t_${String(from + index).padStart(4, '0')}`),
      );
    await synced(many(0), many(100), many(200), many(300), many(400), many(500));
    expect(await names('?status=approved')).toHaveLength(200);
    expect(await names('?limit=500&status=approved')).toHaveLength(500);
    expect(asked()).toHaveLength(6);
  });

  test.each([
    ['limit', '0'],
    ['limit', '501'],
    ['limit', '1.5'],
    ['limit', '-1'],
    ['limit', '1e2'],
    ['limit', ''],
    ['limit', 'all'],
    ['limit', '1&limit=2'],
    ['status', 'APPROVED'],
    ['status', 'paused'],
    ['status', ''],
    ['status', 'approved&status=pending'],
    ['refresh', 'yes'],
    ['refresh', '2'],
    ['refresh', '1&refresh=1'],
    ['refresh', ''],
    ['refresh', 'True'],
  ])('are not answered for a query that cannot be: %s=%s', async (name, value) => {
    const details = expectRefusal(await line.get(`/templates?${name}=${value}`), 400, 'invalid_query', 100);
    expect(details).toMatch(new RegExp(`^${name} is ".*"; (it takes|possible)`));
    expect(asked()).toEqual([]);
  });

  test('are answered as if a parameter that means nothing here were not there', async () => {
    for (const query of ['_=1767225600', '__proto__=1', 'fields=name'])
      expect((await line.get(`/templates?${query}`)).status).toBe(200);
  });

  test('Synced from GET /{waba}/message_templates, all pages, with the line’s credential and every field that is needed', async () => {
    answering([upstreamTemplate('one')], [], [upstreamTemplate('two')]);
    await line.get('/templates?refresh=1');
    expect(await names('?status=approved')).toEqual(['one', 'two']);
    expect(asked().map(({ url }) => new URL(url, 'http://upstream').searchParams.get('after'))).toEqual([
      null,
      '1',
      '2',
    ]);
    expect(asked()[0]?.headers.authorization).toBe('Bearer upstream-access-token');
    expect(new URL(asked()[0]?.url ?? '', 'http://upstream').searchParams.get('fields')?.split(',')).toEqual(
      expect.arrayContaining([
        'name',
        'language',
        'status',
        'components',
        'quality_score',
        'parameter_format',
      ]),
    );
  });

  test('the cached set replaced only after the last one arrived: what upstream no longer has is gone', async () => {
    await synced([upstreamTemplate('one'), upstreamTemplate('two')]);
    await synced([upstreamTemplate('two', { category: 'MARKETING' }), upstreamTemplate('three')]);
    const { body } = await line.get('/templates?status=approved');
    expect(body.data.map((one: { name: string; category: string }) => [one.name, one.category])).toEqual([
      ['three', 'UTILITY'],
      ['two', 'MARKETING'],
    ]);
  });

  test('stay as they were when the platform fails in the middle of its pages', async () => {
    await synced([upstreamTemplate('one'), upstreamTemplate('two')]);
    const before = (await line.get('/templates')).body;
    let page = 0;
    scene.upstream.answers.templates = (request) =>
      ++page === 2 ? upstreamError(500, 2) : pages([upstreamTemplate('three')], [], []).templates(request);
    const { status, body } = await line.get('/templates?refresh=1');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      refresh: { requested: true, performed: false, reason: 'upstream_error' },
    });
    expect(page).toBe(2);
  });

  test.each([
    ['an object', {}],
    ['no list', { data: null }],
    ['a page that leads to none', { data: [], paging: { next: 'https://graph.example/next' } }],
  ])('stay as they were when the platform answers no page: %s', async (_name, body) => {
    await synced([upstreamTemplate('one')]);
    scene.upstream.answers.templates = () => ({ body });
    const reply = await line.get('/templates?refresh=1&status=approved');
    expect(reply.body).toMatchObject({ count: 1, refresh: { performed: false, reason: 'upstream_error' } });
  });

  test('Key (name, language): those that upstream tells twice, as they changed between its pages, are there once', async () => {
    await synced(
      [upstreamTemplate('one'), upstreamTemplate('two', { status: 'PENDING' })],
      [upstreamTemplate('two')],
    );
    expect(await names('?status=approved')).toEqual(['one', 'two']);
  });

  test('Templates are also kept without upstream: is_starter marks those that the gateway seeds for a new line.', async () => {
    answering([]);
    const { body } = await line.get('/templates');
    expect(body.refresh).toEqual({ requested: false });
    expect(
      body.data.map((one: { name: string; is_starter: boolean; status: string; platform_status: null }) => [
        one.name,
        one.is_starter,
        one.status,
        one.platform_status,
      ]),
    ).toEqual([
      ['appointment_reminder', true, 'pending', null],
      ['order_update', true, 'pending', null],
    ]);
    scene.clock.now += 60 * SECOND;
    await synced([upstreamTemplate('order_update', { status: 'REJECTED' }), upstreamTemplate('own')]);
    expect((await line.get('/templates?status=rejected')).body.data).toEqual([
      expect.objectContaining({ name: 'order_update', is_starter: true, platform_status: 'REJECTED' }),
    ]);
    await synced([]);
    expect((await line.get('/templates')).body.data).toEqual([
      expect.objectContaining({ name: 'appointment_reminder', platform_status: null }),
      expect.objectContaining({ name: 'order_update', status: 'pending', platform_status: null, id: null }),
    ]);
  });

  describe('when they are asked for again', () => {
    test('Templates are kept by the service so that clients can sync them without holding upstream credentials: until a refresh is asked for', async () => {
      await synced([upstreamTemplate('one')]);
      answering([upstreamTemplate('two')]);
      for (const query of ['', '?refresh=0', '?refresh=false']) {
        const { body } = await line.get(`/templates${query}`);
        expect(body.refresh).toEqual({ requested: false });
      }
      expect(asked()).toHaveLength(1);
      expect(await names('?refresh=1&status=approved')).toEqual(['two']);
    });

    test('are not asked the platform twice within 60 seconds, whichever token asks', async () => {
      answering([upstreamTemplate('one')]);
      await line.get('/templates?refresh=1');
      answering([upstreamTemplate('two')]);
      scene.clock.now += 23 * SECOND;
      const second = await scene.token(line.id, null);
      const { status, body } = await call(
        `${scene.gateway.url}/v22.0/${line.id}/templates?refresh=1&status=approved`,
        {
          headers: { authorization: `Bearer ${second}` },
        },
      );
      expect([status, body.refresh, body.data[0].name]).toEqual([
        200,
        { requested: true, performed: false, reason: 'cooldown', retry_after: 37 },
        'one',
      ]);
      scene.clock.now += 37 * SECOND - 1;
      expect((await line.get('/templates?refresh=1')).body.refresh.retry_after).toBe(1);
      scene.clock.now += 1;
      expect((await line.get('/templates?refresh=1')).body.refresh).toEqual({
        requested: true,
        performed: true,
      });
      expect(asked()).toHaveLength(2);
    });

    test('by many at once are one the platform call, and all get its outcome', async () => {
      let answer = () => {};
      const held = new Promise<void>((resolve) => (answer = resolve));
      scene.upstream.answers.templates = async () => {
        await held;
        return { body: { data: [upstreamTemplate('one')] } };
      };
      const asking = Array.from({ length: 20 }, () => line.get('/templates?refresh=1&status=approved'));
      await until(() => asked().length === 1);
      // By then all of them have come.
      await turns(20);
      answer();
      const replies = await Promise.all(asking);
      expect(asked()).toHaveLength(1);
      for (const { body } of replies) {
        expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['one']);
        expect(body.refresh.performed || body.refresh.reason === 'cooldown').toBe(true);
      }
      expect(replies.filter(({ body }) => body.refresh.performed).length).toBeGreaterThan(1);
    });

    test.each([
      ['refuses the credentials', () => upstreamError(401, 190), 'upstream_auth_failed', 190],
      ['does not know the account', () => upstreamError(400, 100), 'upstream_error', 100],
      ['is down', () => ({ status: 503, body: '' }), 'upstream_unavailable', 2],
      ['answers nonsense', () => ({ body: 'no JSON' }), 'upstream_unavailable', 2],
    ])('and were never synced, are answered 502 where the platform %s', async (_name, answer, word, code) => {
      scene.upstream.answers.templates = answer;
      const reply = await line.get('/templates?refresh=1');
      expectRefusal(reply, 502, word, code);
      expect(reply.body).not.toHaveProperty('outcome');
      // Without a refresh, what the gateway seeded is there all the same.
      expect(await names()).toEqual(['appointment_reminder', 'order_update']);
    });

    test('of a line without credentials, come from the store with the reason', async () => {
      const bare = await scene.line({ accessToken: null });
      const { status, body } = await bare.get('/templates?refresh=1');
      expect([status, body.refresh, body.synced_at]).toEqual([
        200,
        { requested: true, performed: false, reason: 'no_credentials' },
        null,
      ]);
    });
  });

  describe('at a send', () => {
    const send = (name: string, components: unknown = []) =>
      line.send({
        messaging_product: 'whatsapp',
        to: CONTACT,
        type: 'template',
        template: { name, language: { code: 'en_US' }, components },
      });
    const body = (...values: string[]) => [
      { type: 'body', parameters: values.map((value) => ({ type: 'text', text: value })) },
    ];

    test('Template pre-flight: When the line’s template cache holds (name, language), before anything is forwarded', async () => {
      await synced([upstreamTemplate('greeting')]);
      const details = expectRefusal(await send('greeting'), 400, 'template_params_mismatch', 132000);
      expect(details).toBe('Template "greeting" (en_US): its body needs 1 value ({{1}}); 0 came.');
      expect(line.sent()).toEqual([]);
      expect((await send('greeting', body('Ana'))).status).toBe(200);
      expect(line.sent()).toHaveLength(1);
    });

    test('When the cache does not hold it: refresh once (inside the cooldown rule), else forward and let upstream judge.', async () => {
      await synced([upstreamTemplate('greeting')]);
      answering([upstreamTemplate('greeting'), upstreamTemplate('brand_new')]);
      expectRefusal(await send('brand_new'), 400, 'template_params_mismatch', 132000);
      expect(asked()).toHaveLength(2);
      expect(line.sent()).toEqual([]);

      scene.upstream.answers.messages = () => upstreamError(404, 132001);
      expectRefusal(await send('nowhere'), 404, 'template_not_found', 132001);
      expect(asked()).toHaveLength(2);
      expect(line.sent()).toHaveLength(1);
      scene.upstream.answers.messages = () => ({ body: { messages: [{ id: 'wamid.1' }] } });
    });

    test('are forwarded where the platform’s list cannot be had', async () => {
      scene.upstream.answers.templates = () => upstreamError(500, 2);
      expect((await send('nowhere')).status).toBe(200);
      expect(line.sent()).toHaveLength(1);
    });

    test('that the gateway only seeded are not taken for known', async () => {
      expect((await send('order_update')).status).toBe(200);
      expect(asked()).toHaveLength(1);
      expect(line.sent()).toHaveLength(1);
    });
  });
});
