import { CONTACT, imageTo, upstreamError } from '../../support/scene';
import { onEachDatabase } from './support';

onEachDatabase('4. Send: Answer', (world) => {
  const answering = (body: object) => {
    world.scene.upstream.answers.messages = () => ({ body });
  };

  test('One superset, which satisfies shape A, shape B and every upstream client', async () => {
    await world.line.rated('GREEN');
    answering({
      messaging_product: 'whatsapp',
      contacts: [{ input: '5511987654321', wa_id: '551187654321' }],
      messages: [{ id: 'wamid.HBgL', message_status: 'accepted' }],
    });
    const { status, body } = await world.line.send(imageTo('+55 11 98765-4321'));
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      messaging_product: 'whatsapp',
      contacts: [{ input: '+55 11 98765-4321', wa_id: '551187654321' }],
      messages: [{ id: 'wamid.HBgL', message_status: 'accepted' }],
      chat_message_id: 'wamid.HBgL',
      gateway: { line: world.line.id, quality: 'HIGH', request_id: expect.any(String) },
    });
  });

  test('message_status only where upstream sent it.', async () => {
    answering({ messages: [{ id: 'wamid.1' }] });
    const { body } = await world.line.send(imageTo(CONTACT));
    expect(body.messages).toEqual([{ id: 'wamid.1' }]);
  });

  test('contacts and messages are upstream’s own.', async () => {
    const contacts = [{ input: CONTACT, wa_id: CONTACT, user_id: 'US.1', later: 1 }];
    const messages = [{ id: 'wamid.1', message_status: 'held_for_quality_assessment', later: [2] }];
    answering({ contacts, messages });
    expect((await world.line.send(imageTo(CONTACT))).body).toMatchObject({ contacts, messages });
    answering({ messages });
    expect((await world.line.send(imageTo(CONTACT))).body).not.toHaveProperty('contacts');
  });

  test('A success never has an error key, not even null', async () => {
    answering({ messages: [{ id: 'wamid.1' }], error: null, errors: [] });
    const { body } = await world.line.send(imageTo(CONTACT));
    expect(body).not.toHaveProperty('error');
    expect(body).not.toHaveProperty('error_code');
  });

  test('an error never has messages', async () => {
    world.scene.upstream.answers.messages = () =>
      upstreamError(400, 131026, { messages: [{ id: 'wamid.1' }] });
    const refused = [
      await world.line.send(imageTo(CONTACT)),
      await world.line.send('{"messages":[{"id":"wamid.1"}]}'),
      await world.line.send('{'),
    ];
    for (const { body } of refused) {
      expect(body.success).toBe(false);
      expect(body).not.toHaveProperty('messages');
    }
  });

  test('both are application/json.', async () => {
    for (const body of [imageTo(CONTACT), {}]) {
      const { headers } = await world.line.send(body);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });
});
