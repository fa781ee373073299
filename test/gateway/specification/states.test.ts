import { CONTACT, imageTo, phoneNumberNode } from '../../support/scene';
import {
  forwardTo,
  happened,
  messageStatus,
  onEachDatabase,
  recordOf,
  SECOND,
  startReceiver,
  synced,
  upstreamTemplate,
} from './support';

onEachDatabase('States and transitions', (world) => {
  describe('Message delivery status', () => {
    test('(send request) | send operation | Credentials, line quality and payload checks pass and the upstream platform accepts the message | accepted | A message id is returned.', async () => {
      world.scene.upstream.answers.messages = () => ({
        body: { messages: [{ id: 'wamid.HBgL', message_status: 'accepted' }] },
      });
      const { body } = await world.line.send(imageTo(CONTACT));
      expect(body).toMatchObject({
        success: true,
        chat_message_id: 'wamid.HBgL',
        messages: [{ id: 'wamid.HBgL', message_status: 'accepted' }],
      });
    });

    test.each([
      [
        'sent | status event | Upstream reports delivery to the device | delivered | Status event delivered to the webhook.',
        ['sent', 'delivered'],
      ],
      [
        'delivered | status event | Upstream reports the recipient read it | read | Status event delivered to the webhook.',
        ['delivered', 'read'],
      ],
      [
        '(not stated) | status event | Message cannot be delivered | failed | Status event delivered to the webhook.',
        ['failed'],
      ],
      [
        'The status sequence is sent, then delivered, then read, or failed.',
        ['sent', 'delivered', 'read', 'failed'],
      ],
    ])('%s', async (_row, words) => {
      const receiver = await startReceiver();
      await forwardTo(world, receiver.url);
      const { chat_message_id: wamid } = (await world.line.send(imageTo(CONTACT))).body;
      for (const [index, word] of words.entries())
        await happened(world, messageStatus(wamid, word, 1750030073 + index));
      const events = await receiver.events(words.length);
      expect(events.map(({ value }) => [value.statuses[0].id, value.statuses[0].status])).toEqual(
        words.map((word) => [wamid, word]),
      );
    });
  });

  describe('Line connection state', () => {
    test('State unknown means the line has never been queried upstream; then connected is null.', async () => {
      expect((await world.line.get('/status')).body).toMatchObject({ state: 'unknown', connected: null });
    });

    test('States: connected, disconnected, pending, unknown. Transitions: each by what upstream tells next.', async () => {
      const told = [
        ['PENDING', 'pending'],
        ['CONNECTED', 'connected'],
        ['DISCONNECTED', 'disconnected'],
        ['UNKNOWN', 'unknown'],
        ['CONNECTED', 'connected'],
      ];
      for (const [word, state] of told) {
        world.scene.upstream.answers.phoneNumber = () => phoneNumberNode({ status: word });
        expect((await world.line.get('/status?refresh=1')).body.state).toBe(state);
        world.scene.clock.now += 60 * SECOND;
      }
    });
  });

  describe('Template status', () => {
    test.each([
      ['approved', 'APPROVED'],
      ['pending', 'PENDING'],
      ['rejected', 'REJECTED'],
      ['disabled', 'DISABLED'],
    ])('States: approved, pending, rejected, disabled. %s', async (state, word) => {
      expect((await recordOf(world, { status: word })).status).toBe(state);
    });

    test('Transitions: not shown; each by what upstream tells next.', async () => {
      for (const [word, state] of [
        ['PENDING', 'pending'],
        ['APPROVED', 'approved'],
        ['DISABLED', 'disabled'],
      ]) {
        const { data } = await synced(world, upstreamTemplate('only_one', { status: word }));
        expect(data.find(({ name }: { name: string }) => name === 'only_one').status).toBe(state);
        world.scene.clock.now += 60 * SECOND;
      }
    });
  });
});
