import { rows } from '../../support/rows';
import { call, CONTACT, imageTo, textTo, type Reply } from '../../support/scene';
import { bearer, JSON_TYPE, onEachDatabase, refuses, synced, template, upstreamTemplate } from './support';

/** Wrong in every way at once, but for its being JSON. */
const BAD = { type: 'text', to: 'nobody', text: { body: '' } };
const MEGABYTE = 1024 * 1024;

onEachDatabase('4. Send: the order of the checks', (world) => {
  const since = () => new Date(world.scene.clock.now).toISOString();
  const low = () => world.line.rated('RED');
  const noCredentials = () => world.line.edit({ access_token_sealed: null });
  const sendAs = (token: string | null, tid = world.line.phoneNumberId, body = '{'): Promise<Reply> =>
    call(`${world.scene.gateway.url}/v22.0/${tid}/messages`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...(token !== null && bearer(token)) },
      body,
    });

  describe('1. token and tid → 401; then line inactive / API disabled → 403', () => {
    beforeEach(async () => {
      await low();
      await world.line.edit({ deactivated_at: since(), api_disabled_at: since() });
    });

    test('401: one body for missing line, wrong token, other line’s token: nothing is revealed', async () => {
      const other = await world.scene.line();
      const revoked = await world.scene.token(world.line.id, since());
      const replies = [
        await sendAs(world.line.token, '4040404'),
        await sendAs('EAAwrong'),
        await sendAs(other.token),
        await sendAs(revoked),
      ];
      const told = replies.map((reply) => {
        refuses(world, reply, 401, 'invalid_token', 190);
        return reply.text.replaceAll(reply.body.request_id, '');
      });
      expect(new Set(told).size).toBe(1);
      refuses(world, await sendAs(null), 401, 'missing_token', 190);
    });

    test('then line inactive → 403, before the quality and the body', async () => {
      refuses(world, await sendAs(world.line.token), 403, 'line_inactive', 200);
    });

    test('then API disabled → 403, before the quality and the body', async () => {
      await world.line.edit({ deactivated_at: null });
      refuses(world, await sendAs(world.line.token), 403, 'api_disabled', 200);
    });
  });

  describe('2. quality', () => {
    test.each<[string, string | object, ...Record<string, string>[]]>([
      ['no JSON', '{'],
      ['a bad payload', BAD],
      ['another Content-Type', 'x', { 'content-type': 'text/plain' }],
      ['more than 1 MB', ' '.repeat(MEGABYTE + 1)],
      ['nothing wrong', imageTo(CONTACT)],
    ])(
      'LOW → 403 line_quality_low. A bad payload on a LOW line therefore answers the quality error. %s',
      async (_name, body, ...headers) => {
        await low();
        await noCredentials();
        refuses(world, await world.line.send(body, ...headers), 403, 'line_quality_low', 131048);
      },
    );

    test.each([
      ['GREEN', 'HIGH'],
      ['YELLOW', 'MEDIUM'],
    ])('HIGH and MEDIUM pass. %s', async (rating, quality) => {
      await world.line.rated(rating);
      await world.line.edit({ quality_mode: 'strict' });
      expect((await world.line.send(imageTo(CONTACT))).body.gateway.quality).toBe(quality);
    });

    test.each(['UNKNOWN', 'NA', 'never asked'])(
      'A line that upstream has not rated yet (UNKNOWN, NA, never asked) passes. Per line: strict, which blocks it. %s',
      async (rating) => {
        if (rating !== 'never asked') await world.line.rated(rating);
        await world.line.edit({ quality_mode: 'strict' });
        refuses(world, await world.line.send(imageTo(CONTACT)), 403, 'line_quality_low', 131048);
        await world.line.edit({ quality_mode: 'normal' });
        expect((await world.line.send(imageTo(CONTACT))).status).toBe(200);
      },
    );
  });

  test.each<[string, string | object, Record<string, string> | undefined, number, string, number]>([
    ['400', BAD, undefined, 400, 'invalid_payload', 131009],
    ['400', '[]', undefined, 400, 'invalid_json', 100],
    ['413', ' '.repeat(MEGABYTE + 1), undefined, 413, 'payload_too_large', 100],
    ['415', BAD, { 'content-type': 'text/plain' }, 415, 'unsupported_media_type', 100],
  ])('3. body → 400/413/415, before the window. %s %j', async (_row, body, headers, ...expected) => {
    refuses(world, await world.line.send(body, headers), ...expected);
  });

  describe('4. 24-hour window and, for templates that the gateway knows, the parameter pre-flight', () => {
    test('the window, before anything is forwarded', async () => {
      refuses(world, await world.line.send(textTo(CONTACT)), 400, 'outside_24h_window', 131047);
    });

    test('the parameter pre-flight, before anything is forwarded', async () => {
      await synced(world, upstreamTemplate('greeting'));
      refuses(world, await world.line.send(template('greeting')), 400, 'template_params_mismatch', 132000);
    });
  });

  test('5. forward, record, answer', async () => {
    const { body } = await world.line.send({ ...imageTo(CONTACT), biz_opaque_callback_data: 'order 7' });
    expect(world.line.sent()).toHaveLength(1);
    const [recorded] = await rows(
      world.scene.databaseUrl,
      `select * from messages where line_id = ${world.line.id}`,
    );
    expect(recorded).toMatchObject({
      wamid: body.chat_message_id,
      contact: CONTACT,
      type: 'image',
      client_ref: 'order 7',
      accepted_at: since(),
    });
  });
});
