import { CONTACT, imageTo, type Json } from '../../support/scene';
import { textFrom } from '../../support/test-gateway';
import {
  ask,
  forwardTo,
  happened,
  HOUR,
  JSON_TYPE,
  messageStatus,
  onEachDatabase,
  post,
  refuses,
  SECOND,
  startReceiver,
} from './support';

onEachDatabase('10. Beyond the specification', (world) => {
  describe('idempotent send | Idempotency-Key ≤ 255, per line, 24 h: same body → stored answer and Idempotency-Replayed: true', () => {
    const under = (key: string) => ({ ...JSON_TYPE, 'idempotency-key': key });
    const send = (key: string, line = world.line) => line.send(imageTo(CONTACT), under(key));

    test('same body → stored answer and Idempotency-Replayed: true', async () => {
      const first = await send('order');
      const again = await send('order');
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([
        null,
        'true',
      ]);
      expect(world.line.sent()).toHaveLength(1);
    });

    test('Idempotency-Key ≤ 255', async () => {
      expect((await send('k'.repeat(255))).status).toBe(200);
      refuses(world, await send('k'.repeat(256)), 400, 'invalid_payload', 131009, 1);
    });

    test('per line', async () => {
      const other = await world.scene.line();
      await send('shared');
      expect((await send('shared', other)).headers.get('idempotency-replayed')).toBeNull();
      expect(other.sent()).toHaveLength(1);
    });

    test('24 h', async () => {
      await send('day');
      world.scene.clock.now += 24 * HOUR - 1;
      expect((await send('day')).headers.get('idempotency-replayed')).toBe('true');
      world.scene.clock.now += 1;
      expect((await send('day')).headers.get('idempotency-replayed')).toBeNull();
      expect(world.line.sent()).toHaveLength(2);
    });
  });

  describe('destinations by token', () => {
    const path = () => `/v22.0/${world.line.phoneNumberId}/destinations`;
    const echo = ({ url }: { url: string }) => ({
      headers: { 'content-type': 'text/plain' },
      body: new URL(url, 'http://receiver').searchParams.get('hub.challenge') ?? 'ok',
    });

    test('POST with {url, secret?, events?, mode?, expires_in? (seconds)} → 201 {id, url, …, secret}', async () => {
      const receiver = await startReceiver(echo);
      const given = {
        url: `${receiver.url}/hook`,
        secret: 'a secret of sixteen',
        events: ['messages', 'failed'],
        mode: 'split',
        expires_in: 60,
      };
      const { status, body } = await post(world, path(), given);
      expect(status).toBe(201);
      expect(body).toMatchObject({
        id: expect.any(Number),
        url: given.url,
        secret: given.secret,
        events: given.events,
        mode: 'split',
        expires_at: new Date(world.scene.clock.now + 60 * SECOND).toISOString(),
      });
    });

    test('(the secret only here)', async () => {
      const receiver = await startReceiver(echo);
      const { body } = await post(world, path(), { url: receiver.url });
      expect(body.secret).toEqual(expect.any(String));
      const listed = await ask(world, path());
      expect(listed.body).toMatchObject({ success: true, data: [{ id: body.id, url: body.url }] });
      expect(listed.text).not.toContain(body.secret);
      expect(world.scene.gateway.logged()).not.toContain(body.secret);
    });

    test('GET /v22.0/{tid}/destinations: those of this line', async () => {
      const receiver = await startReceiver(echo);
      const other = await world.scene.line();
      await post(world, path(), { url: receiver.url });
      await forwardTo(world, `${receiver.url}/crm`);
      expect((await ask(world, path())).body.data.map(({ origin }: Json) => origin).sort()).toEqual([
        'forwarding',
        'token',
      ]);
      expect((await other.get('/destinations')).body.data).toEqual([]);
    });

    test('DELETE …/{id}: what a workflow trigger needs to register and remove its own URL', async () => {
      const receiver = await startReceiver(echo);
      const { body } = await post(world, path(), { url: receiver.url });
      await happened(world, textFrom(CONTACT, 'Hello', 'wamid.b.1'));
      await receiver.events(1);
      expect((await ask(world, `${path()}/${body.id}`, { method: 'DELETE' })).status).toBe(200);
      await happened(world, textFrom(CONTACT, 'Hello', 'wamid.b.2'));
      expect((await ask(world, path())).body.data).toEqual([]);
      expect(await receiver.events(1)).toHaveLength(1);
    });

    test('events?: ["messages", "sent", …]: what it did not ask for does not come', async () => {
      const receiver = await startReceiver(echo);
      await post(world, path(), { url: receiver.url, events: ['failed'] });
      await happened(world, textFrom(CONTACT, 'Hello', 'wamid.b.3'));
      await happened(world, messageStatus('wamid.b.4', 'sent', 1750030073));
      await happened(world, messageStatus('wamid.b.4', 'failed', 1750030074));
      const [event] = await receiver.events(1);
      expect(event?.value.statuses[0].status).toBe('failed');
      expect(await receiver.events(1)).toHaveLength(1);
    });

    test.each<[string, object, string, number]>([
      ['url', {}, 'url', 100],
      ['url that is no web address', { url: 'nowhere' }, 'url', 131009],
      ['url that is not public', { url: 'http://10.1.2.3/' }, 'url', 131009],
      ['events', { url: 'https://example.com', events: ['everything'] }, 'events[0]', 131009],
      ['mode', { url: 'https://example.com', mode: 'batch' }, 'mode', 131009],
      ['expires_in', { url: 'https://example.com', expires_in: 0 }, 'expires_in', 131009],
    ])('what is not possible is refused: %s', async (_name, body, field, code) => {
      const reply = await post(world, path(), body);
      refuses(world, reply, 400, 'invalid_payload', code);
      expect(reply.body.error.error_data.fields[0].path).toBe(field);
      expect((await ask(world, path())).body.data).toEqual([]);
    });
  });
});
