import {
  call,
  CONTACT,
  expectRefusal,
  imageTo,
  textTo,
  upstreamError,
  type Reply,
  withoutAction,
} from '../../support/scene';
import {
  ask,
  bearer,
  buttons,
  JSON_TYPE,
  message,
  onEachDatabase,
  post,
  refuses,
  synced,
  template,
  upstreamTemplate,
} from './support';

const OPERATIONS: [string, RequestInit][] = [
  ['/messages', { method: 'POST', body: JSON.stringify(imageTo(CONTACT)), headers: JSON_TYPE }],
  ['/templates', {}],
  ['/status', {}],
];
const under = (key: string) => ({ ...JSON_TYPE, 'idempotency-key': key });

onEachDatabase('5. Errors', (world) => {
  const since = () => new Date(world.scene.clock.now).toISOString();
  const asking = (path: string, init: RequestInit, authorization?: string): Promise<Reply> =>
    call(`${world.scene.gateway.url}/v22.0/${world.line.phoneNumberId}${path}`, {
      ...init,
      headers: { ...init.headers, ...(authorization !== undefined && { authorization }) },
    });
  const failing = (status: number, code: number, more: object = {}) => {
    world.scene.upstream.answers.messages = () => upstreamError(status, code, more);
  };

  test('Every error, of every path, has this body and never HTML', async () => {
    const { url } = world.scene.gateway;
    const replies = [
      await call(`${url}/nothing`),
      await call(`${url}/<script>`),
      await call(`${url}/v22.0/1/messages`),
      await call(`${url}/v22.0/1/messages`, { method: 'POST' }),
      await call(`${url}/webhooks/platform`, { method: 'POST', body: 'x' }),
      await call(`${url}/webhooks/platform`),
      await post(world, `/v22.0/${world.line.phoneNumberId}/destinations`, {}),
      await world.line.send('<html>'),
      await world.line.get('/templates?limit=<b>'),
    ];
    for (const reply of replies) {
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(reply.body).toEqual({
        success: false,
        error_code: expect.stringMatching(/^[a-z0-9_]+$/),
        error: {
          message: expect.any(String),
          type: 'OAuthException',
          code: expect.any(Number),
          error_data: expect.objectContaining({ messaging_product: 'whatsapp', details: expect.any(String) }),
          fbtrace_id: reply.body.request_id,
        },
        request_id: expect.any(String),
      });
    }
    expect(new Set(replies.map(({ body }) => body.request_id)).size).toBe(replies.length);
  });

  test('where the gateway knows it, an error carries error.error_data.action, one sentence for a person', async () => {
    const replies = [
      await asking('/status', {}),
      await world.line.send(textTo('5511900000009')),
      await call(`${world.scene.gateway.url}/nothing/here`),
    ];
    for (const { body } of replies) {
      const { details, action } = body.error.error_data;
      expect(action).toMatch(/^[A-Z].*\.$/);
      expect(details.endsWith(` ${action}`)).toBe(true);
    }
    failing(400, 131049);
    const { body } = await world.line.send(imageTo(CONTACT));
    expect(body.error.error_data.action).toMatch(/^Do not send it again at once; .*\.$/);
  });

  test('An upstream error keeps its error object byte for byte.', async () => {
    const error =
      '{"message":"(#131026) Caf\\u00e9 \\/ undeliverable","type":"OAuthException", "code":131026,"error_data":{"messaging_product":"whatsapp","details":"x"},"error_subcode":2494010,"big":12345678901234567890,"fbtrace_id":"Az8or2yhqkZfEZ-_4Qn_Bam"}';
    world.scene.upstream.answers.messages = () => ({ status: 400, body: `{"error":${error}}` });
    const reply = await world.line.send(imageTo(CONTACT));
    refuses(world, reply, 400, 'upstream_error', 131026, 1);
    expect(withoutAction(reply.text)).toContain(`"error":${error}`);
  });

  describe.each(OPERATIONS)('%s', (path, init) => {
    test.each(['none', '', 'Bearer', 'Token gwl_x', 'Bearer a b', 'Basic YTpi'])(
      'no or garbled Authorization | 401 | missing_token | 190: "%s"',
      async (authorization) => {
        const reply = await asking(path, init, authorization === 'none' ? undefined : authorization);
        refuses(world, reply, 401, 'missing_token', 190);
      },
    );

    test('unknown, revoked, expired token; unknown tid; other line’s token | 401 | invalid_token | 190 (Token invalid or not matching tid | all three operations | HTTP 401.)', async () => {
      const expired = await world.scene.token(world.line.id, since());
      const other = await world.scene.line();
      for (const token of ['unknown', expired, other.token])
        refuses(world, await asking(path, init, `Bearer ${token}`), 401, 'invalid_token', 190);
      const elsewhere = await call(`${world.scene.gateway.url}/v22.0/404404${path}`, {
        ...init,
        headers: { ...init.headers, ...bearer(world.line.token) },
      });
      refuses(world, elsewhere, 401, 'invalid_token', 190);
    });

    test('line deactivated / API disabled (all three operations) | 403 | line_inactive / api_disabled | 200 (Line deactivated or API disabled | templates, status | HTTP 403.)', async () => {
      const asked = () => asking(path, init, `Bearer ${world.line.token}`);
      await world.line.edit({ api_disabled_at: since() });
      refuses(world, await asked(), 403, 'api_disabled', 200);
      await world.line.edit({ deactivated_at: since() });
      refuses(world, await asked(), 403, 'line_inactive', 200);
    });
  });

  test('quality LOW | 403 | line_quality_low | 131048 (Line quality not HIGH or MEDIUM | send | Send is blocked before forwarding.)', async () => {
    await world.line.rated('RED');
    refuses(world, await world.line.send(imageTo(CONTACT)), 403, 'line_quality_low', 131048);
  });

  test.each(['{', '', 'null', '[]', '"text"', '7', '\u0000', '{"a":1}{', '{"a":1,}', "{'a':1}"])(
    'not JSON, or not an object | 400 | invalid_json | 100: %j',
    async (body) => {
      refuses(world, await world.line.send(body), 400, 'invalid_json', 100);
    },
  );

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
  ])('other Content-Type | 415 | unsupported_media_type | 100: %s', async (type) => {
    const reply = await world.line.send(imageTo(CONTACT), { 'content-type': type });
    refuses(world, reply, 415, 'unsupported_media_type', 100);
  });

  test('larger than 1 MB | 413 | payload_too_large | 100', async () => {
    refuses(world, await world.line.send(' '.repeat(1024 * 1024 + 1)), 413, 'payload_too_large', 100);
  });

  test.each<[string, object, number, string]>([
    ['100 missing top-level', { type: 'image', image: { id: '1' } }, 100, 'to'],
    ['131008 missing inside', message('text', {}), 131008, 'text.body'],
    ['131009 bad value', message('text', { body: 7 }), 131009, 'text.body'],
    ['131051 unknown type', message('poll', {}), 131051, 'type'],
  ])('missing or invalid field | 400 | invalid_payload | %s', async (_row, body, code, path) => {
    const reply = await world.line.send(body);
    refuses(world, reply, 400, 'invalid_payload', code);
    expect(reply.body.error.error_data.fields).toEqual([
      { path, rule: expect.any(String), message: expect.stringContaining(path) },
    ]);
  });

  test('missing or invalid field (error.error_data.fields: [{path, rule, message}], all of them at once)', async () => {
    const wrong = buttons({ body: {}, footer: { text: 'x'.repeat(61) }, action: { buttons: [] } });
    const reply = await world.line.send({ ...wrong, to: 7, context: {} });
    refuses(world, reply, 400, 'invalid_payload', reply.body.error.code);
    const { fields } = reply.body.error.error_data;
    expect(fields.map(({ path }: { path: string }) => path).sort()).toEqual([
      'context.message_id',
      'interactive.action.buttons',
      'interactive.body.text',
      'interactive.footer.text',
      'to',
    ]);
    for (const field of fields) expect(Object.keys(field)).toEqual(['path', 'rule', 'message']);
  });

  describe('template pre-flight | 400, 404', () => {
    test.each<[string, object, string, number]>([
      ['template_params_mismatch | 132000', {}, 'template_params_mismatch', 132000],
      ['template_not_approved | 132001', { status: 'REJECTED' }, 'template_not_approved', 132001],
      ['template_not_approved | (132015 paused)', { status: 'PAUSED' }, 'template_not_approved', 132015],
      ['template_not_approved | (132016 disabled)', { status: 'DISABLED' }, 'template_not_approved', 132016],
    ])('%s', async (_row, upstream, word, code) => {
      await synced(world, upstreamTemplate('greeting', upstream));
      refuses(world, await world.line.send(template('greeting')), 400, word, code);
    });

    test('template_not_found | 132001', async () => {
      failing(404, 132001);
      refuses(world, await world.line.send(template('nowhere')), 404, 'template_not_found', 132001, 1);
    });
  });

  test('free-form outside the window | 400 | outside_24h_window | 131047 (Free-form text sent outside the 24-hour window | send)', async () => {
    refuses(world, await world.line.send(textTo(CONTACT)), 400, 'outside_24h_window', 131047);
  });

  test('line without upstream credentials | 409 | line_not_configured | 131045', async () => {
    await world.line.edit({ access_token_sealed: null });
    refuses(world, await world.line.send(imageTo(CONTACT)), 409, 'line_not_configured', 131045);
  });

  test('Idempotency-Key with another body | 409 | idempotency_conflict | 100', async () => {
    await world.line.send(imageTo(CONTACT), under('order 1'));
    const reply = await world.line.send(imageTo('16505559999'), under('order 1'));
    refuses(world, reply, 409, 'idempotency_conflict', 100, 1);
  });

  test('Idempotency-Key still in flight | 409 | idempotency_in_progress | 100', async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    const accepted = world.scene.upstream.answers.messages;
    world.scene.upstream.answers.messages = async (...given) => {
      await held;
      return accepted(...given);
    };
    const before = world.scene.upstream.received.length;
    const first = world.line.send(imageTo(CONTACT), under('order 2'));
    await world.scene.upstream.untilReceived(before + 1);
    const second = await world.line.send(imageTo(CONTACT), under('order 2'));
    answer();
    expect((await first).status).toBe(200);
    refuses(world, second, 409, 'idempotency_in_progress', 100, 1);
  });

  test.each<[number, number]>([
    [401, 0],
    [403, 3],
    [403, 10],
    [401, 190],
    [403, 200],
    [403, 299],
  ])(
    'upstream refuses the line’s own credentials (0, 3, 10, 190, 200–299) | 502, never 401: the caller’s token is fine | upstream_auth_failed | kept: %i %i',
    async (status, code) => {
      failing(status, code);
      refuses(world, await world.line.send(imageTo(CONTACT)), 502, 'upstream_auth_failed', code, 1);
    },
  );

  test.each<[number, number, string]>([
    [400, 131026, 'upstream_error'],
    [400, 199, 'upstream_error'],
    [400, 300, 'upstream_error'],
    [403, 131031, 'upstream_error'],
    [404, 100, 'upstream_error'],
    [400, 131047, 'outside_24h_window'],
    [400, 131048, 'line_quality_low'],
    [400, 132000, 'template_params_mismatch'],
    [404, 132001, 'template_not_found'],
    [400, 132015, 'template_not_approved'],
    [400, 132016, 'template_not_approved'],
  ])(
    'other upstream 4xx | the same | upstream_error, or the word above that fits | kept: %i %i %s',
    async (status, code, word) => {
      failing(status, code);
      refuses(world, await world.line.send(imageTo(CONTACT)), status, word, code, 1);
    },
  );

  test.each<[number, number]>([
    [400, 4],
    [400, 80007],
    [429, 130429],
    [400, 131056],
  ])(
    'upstream throttling (4, 80007, 130429, 131056) | 429 | upstream_rate_limited | kept: %i %i',
    async (status, code) => {
      failing(status, code);
      refuses(world, await world.line.send(imageTo(CONTACT)), 429, 'upstream_rate_limited', code, 1);
    },
  );

  test.each<[string, number, number | null, number]>([
    ['kept', 500, 131000, 131000],
    ['kept', 503, 2, 2],
    ['or 2', 502, null, 2],
  ])('upstream 5xx | 502 | upstream_unavailable | %s: %i', async (_row, status, code, expected) => {
    world.scene.upstream.answers.messages = () =>
      code === null ? { status, body: '<html>Bad gateway</html>' } : upstreamError(status, code);
    const reply = await world.line.send(imageTo(CONTACT));
    refuses(world, reply, 502, 'upstream_unavailable', expected, 1);
    expect(reply.text).not.toContain('<html>');
  });

  test('upstream silent after the request was sent | 504 with outcome: "unknown"; never resent by the gateway | upstream_timeout | 2', async () => {
    world.scene.upstream.answers.messages = (_request, response) => {
      response.destroy();
      return 'handled';
    };
    const reply = await world.line.send(imageTo(CONTACT));
    refuses(world, reply, 504, 'upstream_timeout', 2, 1);
    expect(reply.body.outcome).toBe('unknown');
  });

  test.each(['/templates?limit=x', '/templates?status=x', '/templates?refresh=x', '/status?refresh=x'])(
    'bad query parameter | 400 | invalid_query | 100: %s',
    async (path) => {
      refuses(world, await world.line.get(path), 400, 'invalid_query', 100);
    },
  );

  test('unknown path / method | 404 / 405 | not_found / method_not_allowed | 2500', async () => {
    refuses(world, await world.line.get('/nothing'), 404, 'not_found', 2500);
    const path = `/v22.0/${world.line.phoneNumberId}/status`;
    const reply = await ask(world, path, { method: 'DELETE' });
    refuses(world, reply, 405, 'method_not_allowed', 2500);
    expect(reply.headers.get('allow')).toBe('GET');
  });
});

onEachDatabase(
  '5. Errors, where nothing listens at the address of upstream',
  (world) => {
    test('upstream unreachable | 503 | upstream_unavailable | 2', async () => {
      const path = `/v22.0/${world.line.phoneNumberId}/messages`;
      const reply = await post(world, path, imageTo(CONTACT));
      expectRefusal(reply, 503, 'upstream_unavailable', 2);
      expect(reply.body).not.toHaveProperty('outcome');
    });
  },
  { env: { GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:1' } },
);
