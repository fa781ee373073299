import { call, CONTACT, expectRefusal, imageTo } from '../../support/scene';
import { ask, bearer, happened, HOUR, messageStatus, onEachDatabase } from './support';

onEachDatabase(
  '10. Beyond the specification: window | GET /v22.0/{tid}/window/{contact} → open, expires_at',
  (world) => {
    const windowOf = (contact: string, prefix = '/v22.0') =>
      ask(world, `${prefix}/${world.line.phoneNumberId}/window/${encodeURIComponent(contact)}`);

    test('of a contact that never wrote', async () => {
      const { status, body } = await windowOf(CONTACT);
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ success: true, open: false, expires_at: null }),
      ]);
    });

    test('of a contact that wrote, to the last moment', async () => {
      await world.line.wrote(CONTACT, 0);
      const end = world.scene.clock.now + 24 * HOUR;
      const expires_at = new Date(end).toISOString();
      for (const prefix of ['/v22.0', '/api/v22.0'])
        expect((await windowOf(CONTACT, prefix)).body).toMatchObject({ open: true, expires_at });
      world.scene.clock.now = end - 1;
      expect((await windowOf('+1 (650) 555-1234')).body).toMatchObject({ open: true, expires_at });
      world.scene.clock.now = end;
      expect((await windowOf(CONTACT)).body).toMatchObject({ open: false });
    });

    test('to the line’s own token alone', async () => {
      const other = await world.scene.line();
      const path = `/v22.0/${world.line.phoneNumberId}/window/${CONTACT}`;
      const reply = await call(world.scene.gateway.url + path, { headers: bearer(other.token) });
      expectRefusal(reply, 401, 'invalid_token', 190);
    });
  },
);

onEachDatabase(
  '10. Beyond the specification: message | GET /v22.0/{tid}/messages/{id} → state, timestamps, decoded failure',
  (world) => {
    const messageOf = (wamid: string, prefix = '/v22.0') =>
      ask(world, `${prefix}/${world.line.phoneNumberId}/messages/${encodeURIComponent(wamid)}`);
    const at = (seconds: number) => new Date(seconds * 1000).toISOString();
    const sent = async (): Promise<string> => {
      const wamid = `wamid.${world.line.id}/+=`;
      world.scene.upstream.answers.messages = () => ({ body: { messages: [{ id: wamid }] } });
      await world.line.send(imageTo(CONTACT));
      return wamid;
    };

    test('accepted', async () => {
      const wamid = await sent();
      for (const prefix of ['/v22.0', '/api/v22.0']) {
        const { status, body, text } = await messageOf(wamid, prefix);
        expect([status, body.state]).toEqual([200, 'accepted']);
        expect(text).toContain(new Date(world.scene.clock.now).toISOString());
      }
    });

    test.each([
      [['sent'], 'sent'],
      [['sent', 'delivered'], 'delivered'],
      [['sent', 'delivered', 'read'], 'read'],
      [['read', 'sent', 'delivered'], 'read'],
      [['sent', 'read'], 'read'],
      [['delivered', 'read', 'played'], 'played'],
    ])(
      'accepted < sent < delivered < read (< played); the record keeps the highest and every timestamp, whatever the order of arrival: %j → %s',
      async (words, state) => {
        const wamid = await sent();
        for (const [index, word] of words.entries())
          await happened(world, messageStatus(wamid, word, 1750030073 + index));
        const { body, text } = await messageOf(wamid);
        expect(body.state).toBe(state);
        for (const index of words.keys()) expect(text).toContain(at(1750030073 + index));
      },
    );

    test('failed is kept beside it with its decoded reason: an upstream 131047 in a failed status is translated to the same code', async () => {
      const wamid = await sent();
      const errors = [
        {
          code: 131047,
          title: 'Re-engagement message',
          message: 'Re-engagement message',
          error_data: { details: 'More than 24 hours have passed.' },
        },
      ];
      await happened(world, messageStatus(wamid, 'failed', 1750030074, { errors }));
      const { body, text } = await messageOf(wamid);
      expect(text).toContain('outside_24h_window');
      expect(JSON.stringify(body)).toContain('131047');
      expect(text).toContain(at(1750030074));
    });

    test('A status may come before the send answer is stored, or for an unknown wamid.', async () => {
      await happened(world, messageStatus('wamid.early', 'delivered', 1750030073));
      expect((await messageOf('wamid.early')).body.state).toBe('delivered');
    });

    test('of a message that this line does not have', async () => {
      const wamid = await sent();
      const other = await world.scene.line();
      expect((await messageOf('wamid.nowhere')).status).toBe(404);
      const path = `/messages/${encodeURIComponent(wamid)}`;
      const reply = await other.get(path);
      expect([reply.status, reply.body.success]).toEqual([404, false]);
      const url = `${world.scene.gateway.url}/v22.0/${world.line.phoneNumberId}${path}`;
      expectRefusal(await call(url, { headers: bearer(other.token) }), 401, 'invalid_token', 190);
    });
  },
);
