import { CONTACT, expectRefusal, imageTo, phoneNumberNode, textTo } from '../../support/scene';
import {
  ask,
  askedForStatus,
  askedForTemplates,
  bearer,
  forwardTo,
  happened,
  JSON_TYPE,
  messageStatus,
  onEachDatabase,
  post,
  refuses,
  SECOND,
  startReceiver,
  synced,
  template,
  upstreamTemplate,
} from './support';

/** The first so many of upstream’s templates, in order of name. */
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => upstreamTemplate(`t_${String(index).padStart(4, '0')}`));

onEachDatabase('Endpoints', (world) => {
  const at = (prefix: string, path: string) => `${prefix}/${world.line.phoneNumberId}${path}`;
  const since = () => new Date(world.scene.clock.now).toISOString();

  test.each(['/messages', '/templates', '/status'])(
    'All endpoints use JSON. All require the bearer token. %s',
    async (path) => {
      const init = path === '/messages' ? { method: 'POST', body: '{}', headers: JSON_TYPE } : {};
      const bare = await ask(world, at('/v22.0', path), {
        ...init,
        headers: { ...JSON_TYPE, authorization: '' },
      });
      refuses(world, bare, 401, 'missing_token', 190);
      const reply = await ask(world, at('/v22.0', path), init);
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(reply.status).not.toBe(401);
    },
  );

  describe('1. Send a message', () => {
    test.each(['/api/v22.0', '/v22.0'])(
      'Method and path: POST {base_url}/api/v22.0/{tid}/messages, also POST {api_url}/v22.0/{tid}/messages. %s',
      async (prefix) => {
        expect((await post(world, at(prefix, '/messages'), imageTo(CONTACT))).status).toBe(200);
        expect(world.line.sent()).toHaveLength(1);
        const got = await ask(world, at(prefix, '/messages'));
        refuses(world, got, 405, 'method_not_allowed', 2500, 1);
      },
    );

    test('Path parameter: tid (string, required).', async () => {
      const path = '/v22.0//messages';
      expect((await post(world, path, imageTo(CONTACT))).status).toBeGreaterThanOrEqual(400);
      refuses(world, await post(world, '/v22.0/messages', imageTo(CONTACT)), 404, 'not_found', 2500);
    });

    test('Headers: Authorization: Bearer <ACCESS_TOKEN>, Content-Type: application/json.', async () => {
      const typed = (type: string) =>
        world.line.send(JSON.stringify(imageTo(CONTACT)), { 'content-type': type });
      refuses(world, await typed('text/plain'), 415, 'unsupported_media_type', 100);
      expect((await typed('application/json; charset=utf-8')).status).toBe(200);
    });

    test('Response 200: send response (shape A or B). Response 401: invalid token.', async () => {
      const wrong = await world.scene.line();
      const reply = await ask(world, at('/v22.0', '/messages'), {
        method: 'POST',
        headers: { ...JSON_TYPE, ...bearer(wrong.token) },
        body: JSON.stringify(imageTo(CONTACT)),
      });
      refuses(world, reply, 401, 'invalid_token', 190);
      expect((await world.line.send(imageTo(CONTACT))).body).toMatchObject({
        success: true,
        chat_message_id: expect.any(String),
        messages: [{ id: expect.any(String) }],
      });
    });

    describe('Checks, in this order, before the message is forwarded upstream:', () => {
      const invalid = '{"to": ';

      test('1. The tid and the token must match: told before the quality and the payload.', async () => {
        await world.line.rated('RED');
        const wrong = await world.scene.line();
        const reply = await ask(world, at('/v22.0', '/messages'), {
          method: 'POST',
          headers: { ...JSON_TYPE, ...bearer(wrong.token) },
          body: invalid,
        });
        refuses(world, reply, 401, 'invalid_token', 190);
      });

      test('2. The line’s quality must be HIGH or MEDIUM; low quality blocks the send: told before the payload.', async () => {
        await world.line.rated('RED');
        refuses(world, await world.line.send(invalid), 403, 'line_quality_low', 131048);
        refuses(world, await world.line.send(imageTo(CONTACT)), 403, 'line_quality_low', 131048);
      });

      test.each([
        ['GREEN', 'HIGH'],
        ['YELLOW', 'MEDIUM'],
      ])('2. The line’s quality must be HIGH or MEDIUM: %s, %s', async (rating, word) => {
        await world.line.rated(rating);
        expect((await world.line.send(imageTo(CONTACT))).body.gateway.quality).toBe(word);
      });

      test('3. The payload must be valid JSON with required fields and valid types: told before the window.', async () => {
        refuses(world, await world.line.send(invalid), 400, 'invalid_json', 100);
        refuses(world, await world.line.send({ type: 'text' }), 400, 'invalid_payload', 100);
        const wrong = { ...textTo(CONTACT), text: { body: 7 } };
        refuses(world, await world.line.send(wrong), 400, 'invalid_payload', 131009);
      });

      test('4. Only then is the message forwarded upstream.', async () => {
        expect((await world.line.send(imageTo(CONTACT))).status).toBe(200);
        expect(world.line.sent()).toHaveLength(1);
      });

      test('5. The result and later statuses are delivered to the webhook.', async () => {
        const receiver = await startReceiver();
        await forwardTo(world, receiver.url);
        const { chat_message_id: wamid } = (await world.line.send(imageTo(CONTACT))).body;
        for (const word of ['sent', 'delivered', 'read'])
          await happened(world, messageStatus(wamid, word, 1750030073));
        const told = (await receiver.events(3)).map(({ value }) => value.statuses[0].status);
        expect(told).toEqual(['sent', 'delivered', 'read']);
      });
    });

    test('Free-form text is allowed only within 24 hours of the recipient’s last message to the line. Outside that window the send fails and an approved template must be used.', async () => {
      await synced(world, upstreamTemplate('hello', { components: [{ type: 'BODY', text: 'Hello' }] }));
      const details = refuses(
        world,
        await world.line.send(textTo(CONTACT)),
        400,
        'outside_24h_window',
        131047,
      );
      expect(details).toContain('Send an approved template instead.');
      expect((await world.line.send(template('hello'))).status).toBe(200);
      await world.line.wrote(CONTACT, 23);
      expect((await world.line.send(textTo(CONTACT))).status).toBe(200);
    });
  });

  describe('2. List templates of a line', () => {
    test('Method and path: GET {base_url}/api/v22.0/{tid}/templates.', async () => {
      expect((await ask(world, at('/api/v22.0', '/templates'))).status).toBe(200);
      refuses(world, await post(world, at('/api/v22.0', '/templates'), {}), 405, 'method_not_allowed', 2500);
    });

    test.each(['approved', 'pending', 'rejected', 'disabled'])(
      'status | string | optional | One of approved, pending, rejected, disabled. Filters the list. %s',
      async (status) => {
        const words = ['APPROVED', 'PENDING', 'REJECTED', 'DISABLED'];
        await synced(world, ...words.map((word) => upstreamTemplate(word.toLowerCase(), { status: word })));
        const { body } = await world.line.get(`/templates?status=${status}`);
        expect(body.count).toBeGreaterThan(0);
        for (const one of body.data) expect(one.status).toBe(status);
      },
    );

    test('status | One of approved, pending, rejected, disabled: another word is refused', async () => {
      const reply = await world.line.get('/templates?status=paused');
      expect(refuses(world, reply, 400, 'invalid_query', 100)).toContain(
        'approved, pending, rejected, disabled',
      );
    });

    test('limit | integer | optional | 1 to 500, default 200.', async () => {
      await synced(world, ...many(501));
      const count = async (query: string) => (await world.line.get(`/templates${query}`)).body.data.length;
      expect(await count('')).toBe(200);
      expect(await count('?limit=1')).toBe(1);
      expect(await count('?limit=500')).toBe(500);
      for (const beyond of ['0', '501', '-1', '1.5', 'all'])
        refuses(world, await world.line.get(`/templates?limit=${beyond}`), 400, 'invalid_query', 100);
    });

    test('refresh | boolean | optional | The value 1 is used. Resyncs with the upstream platform before responding. Cloud API lines only. 60-second cooldown between refreshes.', async () => {
      await synced(world, upstreamTemplate('old'));
      world.scene.upstream.answers.templates = () => ({ body: { data: [upstreamTemplate('new')] } });
      const names = async () =>
        (await world.line.get('/templates?refresh=1&status=approved')).body.data.map(
          ({ name }: { name: string }) => name,
        );
      world.scene.clock.now += 60 * SECOND - 1;
      expect(await names()).toEqual(['old']);
      world.scene.clock.now += 1;
      expect(await names()).toEqual(['new']);
      expect(askedForTemplates(world)).toHaveLength(2);
    });

    test('Response 200: templates response envelope. Response 401: invalid token. Response 403: line deactivated or API disabled.', async () => {
      expect((await world.line.get('/templates')).body).toMatchObject({ success: true, count: 2 });
      const wrong = { headers: bearer((await world.scene.line()).token) };
      refuses(world, await ask(world, at('/v22.0', '/templates'), wrong), 401, 'invalid_token', 190);
      await world.line.edit({ api_disabled_at: since() });
      refuses(world, await world.line.get('/templates'), 403, 'api_disabled', 200);
      await world.line.edit({ deactivated_at: since() });
      refuses(world, await world.line.get('/templates'), 403, 'line_inactive', 200);
    });

    test('The operation is read-only.', async () => {
      const before = await synced(world, upstreamTemplate('one'));
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        expectRefusal(
          await ask(world, at('/v22.0', '/templates'), { method }),
          405,
          'method_not_allowed',
          2500,
        );
      expect((await world.line.get('/templates')).body.data).toEqual(before.data);
      for (const { method } of askedForTemplates(world)) expect(method).toBe('GET');
    });
  });

  describe('3. Line connection status', () => {
    test('Method and path: GET {base_url}/api/v22.0/{tid}/status.', async () => {
      expect((await ask(world, at('/api/v22.0', '/status'))).status).toBe(200);
      refuses(world, await post(world, at('/api/v22.0', '/status'), {}), 405, 'method_not_allowed', 2500);
    });

    test('Query parameter: refresh (boolean, optional; the value 1 is used). It queries the upstream platform at that moment. Cloud API lines only. 60-second cooldown between refreshes.', async () => {
      await world.line.get('/status');
      expect(askedForStatus(world)).toHaveLength(0);
      expect((await world.line.get('/status?refresh=1')).body.state).toBe('connected');
      world.scene.upstream.answers.phoneNumber = () => phoneNumberNode({ status: 'BANNED' });
      world.scene.clock.now += 60 * SECOND - 1;
      expect((await world.line.get('/status?refresh=1')).body.state).toBe('connected');
      world.scene.clock.now += 1;
      expect((await world.line.get('/status?refresh=1')).body.state).toBe('disconnected');
      expect(askedForStatus(world)).toHaveLength(2);
    });

    test('Response 200: line status response. Response 401: invalid token. Response 403: line deactivated or API disabled.', async () => {
      expect((await world.line.get('/status')).body).toMatchObject({ success: true, state: 'unknown' });
      const wrong = { headers: bearer((await world.scene.line()).token) };
      refuses(world, await ask(world, at('/v22.0', '/status'), wrong), 401, 'invalid_token', 190);
      await world.line.edit({ api_disabled_at: since() });
      refuses(world, await world.line.get('/status'), 403, 'api_disabled', 200);
      await world.line.edit({ deactivated_at: since() });
      refuses(world, await world.line.get('/status'), 403, 'line_inactive', 200);
    });

    test('The operation is read-only and reports the status that the upstream platform gives for the line.', async () => {
      world.scene.upstream.answers.phoneNumber = () => phoneNumberNode({ status: 'RATE_LIMITED' });
      const { body } = await world.line.get('/status?refresh=1');
      expect(body.platform.platform_status).toBe('RATE_LIMITED');
      for (const { method } of askedForStatus(world)) expect(method).toBe('GET');
    });
  });
});
