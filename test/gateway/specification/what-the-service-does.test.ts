import { call, CONTACT, imageTo, upstreamError } from '../../support/scene';
import { textFrom } from '../../support/test-gateway';
import {
  ask,
  bearer,
  forwardTo,
  happened,
  JSON_TYPE,
  messageStatus,
  onEachDatabase,
  passes,
  post,
  refuses,
  startReceiver,
  synced,
  upstreamTemplate,
} from './support';

onEachDatabase('What the service does', (world) => {
  test('1. The service is a messaging gateway. A customer system sends chat messages through a registered phone line (a number) by calling an HTTP JSON API.', async () => {
    const reply = await world.line.send(imageTo(CONTACT));
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const [request] = world.scene.upstream.asked('messages', world.line.phoneNumberId);
    expect(request?.headers.authorization).toBe('Bearer upstream-access-token');
    expect(JSON.stringify(request)).not.toContain(world.line.token);
  });

  test('2. The request format is identical to the upstream cloud messaging platform’s format. A client written for the upstream platform only changes the base address and the token.', async () => {
    const written = `{"messaging_product": "whatsapp", "recipient_type":"individual","to":"${CONTACT}","type":"image","image":{"id":"1"}}`;
    const path = `/v22.0/${world.line.phoneNumberId}/messages`;
    const reply = await ask(world, path, { method: 'POST', headers: JSON_TYPE, body: written });
    const [request] = world.scene.upstream.asked('messages', world.line.phoneNumberId);
    expect([request?.method, request?.url, request?.body]).toEqual(['POST', path, written]);
    expect(reply.body).toMatchObject({
      messaging_product: 'whatsapp',
      contacts: [{ input: CONTACT, wa_id: CONTACT }],
      messages: [{ id: `wamid.${CONTACT}` }],
    });
  });

  test('3. The service offers three operations: send a message, list the templates registered for a line, and read a line’s connection status.', async () => {
    const under = `/v22.0/${world.line.phoneNumberId}`;
    expect((await post(world, `${under}/messages`, imageTo(CONTACT))).body).toHaveProperty('chat_message_id');
    expect((await ask(world, `${under}/templates`)).body).toHaveProperty('data');
    expect((await ask(world, `${under}/status`)).body).toHaveProperty('state');
  });

  test('4. The service forwards inbound messages and delivery statuses, in the upstream format and in real time, to a customer-configured {webhook_url}.', async () => {
    const receiver = await startReceiver();
    await forwardTo(world, `${receiver.url}/crm`);
    const written = await happened(world, textFrom(CONTACT, 'Hello', 'wamid.in.4'));
    const delivered = await happened(world, messageStatus('wamid.out.4', 'delivered', 1750030073));
    const events = await receiver.events(2);
    expect(events.map(({ text }) => text)).toEqual([written, delivered]);
  });

  test('5. Templates are kept by the service so that clients can sync them without holding upstream credentials. Their approval status mirrors what the upstream platform reports.', async () => {
    await synced(world, upstreamTemplate('one'), upstreamTemplate('two', { status: 'REJECTED' }));
    world.scene.upstream.answers.templates = () => upstreamError(500, 2);
    const reply = await world.line.get('/templates');
    expect(reply.text).not.toContain('upstream-access-token');
    expect(reply.body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'one', status: 'approved', platform_status: 'APPROVED' }),
        expect.objectContaining({ name: 'two', status: 'rejected', platform_status: 'REJECTED' }),
      ]),
    );
  });

  test('6. Each line (number) has its own token and is addressed by {tid}.', async () => {
    const other = await world.scene.line();
    expect(other.token).not.toBe(world.line.token);
    await other.send(imageTo(CONTACT));
    expect([other.sent().length, world.line.sent().length]).toEqual([1, 0]);
    const reply = await call(`${world.scene.gateway.url}/v22.0/${world.line.phoneNumberId}/status`, {
      headers: bearer(other.token),
    });
    refuses(world, reply, 401, 'invalid_token', 190);
  });

  test.each(['/api/v22.0', '/v22.0'])(
    '7. Two address forms are published for the send operation: {base_url}/api/v22.0/{tid}/messages and {api_url}/v22.0/{tid}/messages. %s',
    async (prefix) => {
      const reply = await post(world, `${prefix}/${world.line.phoneNumberId}/messages`, imageTo(CONTACT));
      expect(reply.body.success).toBe(true);
      expect(world.line.sent()).toHaveLength(1);
    },
  );

  test('8. Tokens and the forwarding URL are set in a control panel: no operation with a line token makes a token, or changes the forwarding URL.', async () => {
    const receiver = await startReceiver();
    const { id } = await forwardTo(world, `${receiver.url}/crm`);
    const under = `/v22.0/${world.line.phoneNumberId}`;
    expect((await post(world, `${under}/tokens`, {})).status).toBe(404);
    expect((await ask(world, `${under}/destinations/${id}`, { method: 'DELETE' })).status).toBe(404);
    await happened(world, textFrom(CONTACT, 'Hello', 'wamid.in.8'));
    expect(await receiver.events(1)).toHaveLength(1);
    await passes(world, imageTo(CONTACT));
  });
});
