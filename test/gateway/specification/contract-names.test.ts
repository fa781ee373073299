import { CONTACT } from '../../support/scene';
import { textFrom } from '../../support/test-gateway';
import {
  forwardTo,
  happened,
  message,
  onEachDatabase,
  passes,
  recordOf,
  refusesField,
  startReceiver,
} from './support';

const image = (more: object) => message('image', { id: '1' }, more);

onEachDatabase('1. Names on the wire', (world) => {
  test.each([
    ['chat (the specification’s word) is accepted', 'chat'],
    ['whatsapp (the upstream’s) is accepted', 'whatsapp'],
    ['Missing is accepted and filled in', undefined],
  ])('messaging_product: %s. Upstream always receives whatsapp.', async (_row, word) => {
    expect(await passes(world, image({ messaging_product: word }))).toMatchObject({
      messaging_product: 'whatsapp',
    });
  });

  test.each([['WhatsApp'], ['Chat'], ['telegram'], [''], [7]])(
    'messaging_product: any other value is a 400. %p',
    async (word) => {
      await refusesField(world, image({ messaging_product: word }), 'messaging_product');
    },
  );

  test('Events that come from upstream are never rewritten.', async () => {
    const receiver = await startReceiver();
    await forwardTo(world, receiver.url);
    const sent = await happened(world, textFrom(CONTACT, 'whatsapp', 'wamid.names'));
    const [event] = await receiver.events(1);
    expect(event?.text).toBe(sent);
    expect(event?.value.messaging_product).toBe('whatsapp');
  });

  test('Response and template fields keep the specification’s names to the letter: chat_message_id, platform_status, requires_platform_approval, platform.*.', async () => {
    expect((await world.line.send(image({}))).body).toHaveProperty('chat_message_id');
    expect(await recordOf(world, {})).toHaveProperty('platform_status', 'APPROVED');
    const { body: templates } = await world.line.get('/templates');
    expect(templates.line).toHaveProperty('requires_platform_approval');
    const { body: status } = await world.line.get('/status');
    expect(status.platform).toHaveProperty('platform_status');
    for (const { text } of [await world.line.get('/templates'), await world.line.get('/status')])
      expect(text).not.toMatch(/"[^"]*whatsapp[^"]*":/);
  });
});
