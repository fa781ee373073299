import { CONTACT, imageTo, upstreamError } from '../../support/scene';
import { onEachDatabase } from './support';

onEachDatabase('Send response', (world) => {
  test('A | success (boolean), chat_message_id (string, upstream message id), gateway (object: line integer, quality string, a quality rating word)', async () => {
    await world.line.rated('GREEN');
    const { status, body } = await world.line.send(imageTo(CONTACT));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      chat_message_id: `wamid.${CONTACT}`,
      gateway: { line: world.line.id, quality: 'HIGH' },
    });
  });

  test('B | success (boolean), messages (array of objects, each with id string, the upstream message id used to track status)', async () => {
    const { body } = await world.line.send(imageTo(CONTACT));
    expect(body).toMatchObject({ success: true, messages: [{ id: `wamid.${CONTACT}` }] });
    expect(body.messages[0].id).toBe(body.chat_message_id);
  });

  test('Two shapes are published; a client must accept both: neither is there when the message was not accepted', async () => {
    world.scene.upstream.answers.messages = () => upstreamError(400, 131026);
    const { status, body } = await world.line.send(imageTo(CONTACT));
    expect([status, body.success]).toEqual([400, false]);
    for (const field of ['chat_message_id', 'messages', 'gateway']) expect(body).not.toHaveProperty(field);
  });
});
