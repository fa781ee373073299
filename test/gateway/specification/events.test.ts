import { CONTACT, imageTo } from '../../support/scene';
import { textFrom } from '../../support/test-gateway';
import {
  forwardTo,
  happened,
  messageStatus,
  onEachDatabase,
  startReceiver,
  type Receiver,
  type World,
} from './support';

async function receiving(world: World): Promise<Receiver> {
  const receiver = await startReceiver();
  await forwardTo(world, `${receiver.url}/raw-forwarding`);
  return receiver;
}

const reply = (wamid: string, interactive: object) => ({
  contacts: [{ profile: { name: 'Ana' }, wa_id: CONTACT }],
  messages: [
    {
      context: { from: '15550783881', id: 'wamid.out' },
      from: CONTACT,
      id: wamid,
      timestamp: '1750025136',
      type: 'interactive',
      interactive,
    },
  ],
});

onEachDatabase('Events', (world) => {
  test('1. Forwarding: the service sends an HTTP POST of each event, in the upstream format, to {webhook_url} in real time. The URL is set per line.', async () => {
    const receiver = await receiving(world);
    const other = { ...world, line: await world.scene.line() };
    const others = await receiving(other);
    const own = await happened(world, textFrom(CONTACT, 'Olá 😀', 'wamid.e1'));
    const theirs = await happened(other, textFrom(CONTACT, 'Hello', 'wamid.e1.other'));
    expect((await receiver.events(1)).map(({ text }) => text)).toEqual([own]);
    expect((await others.events(1)).map(({ text }) => text)).toEqual([theirs]);
    expect(receiver.received[0]).toMatchObject({ method: 'POST', url: '/raw-forwarding' });
  });

  test.each(['sent', 'delivered', 'read', 'failed'])(
    '2. Event kinds: inbound messages from recipients, and delivery status events for sent messages (sent, delivered, read, failed). The send operation triggers the status events. The status sequence is sent, then delivered, then read, or failed. %s',
    async (word) => {
      const receiver = await receiving(world);
      const { chat_message_id: wamid } = (await world.line.send(imageTo(CONTACT))).body;
      await happened(world, messageStatus(wamid, word, 1750030073));
      const [event] = await receiver.events(1);
      expect(event?.value.statuses).toEqual([
        { id: wamid, status: word, timestamp: '1750030073', recipient_id: CONTACT },
      ]);
    },
  );

  test('2. Event kinds: inbound messages from recipients', async () => {
    const receiver = await receiving(world);
    await happened(world, textFrom(CONTACT, 'Hello', 'wamid.e2'));
    const [event] = await receiver.events(1);
    expect(event?.value.messages).toEqual([
      expect.objectContaining({ from: CONTACT, type: 'text', text: { body: 'Hello' } }),
    ]);
  });

  test('3. Inbound interactive reply (button): body has messages array; each item has from (string, sender number), type = interactive, and interactive with type = button_reply and button_reply holding id (the id set in the outgoing button) and title.', async () => {
    const receiver = await receiving(world);
    const tapped = { type: 'button_reply', button_reply: { id: 'cancel-button', title: 'Cancel' } };
    const sent = await happened(world, reply('wamid.e3', tapped));
    const [event] = await receiver.events(1);
    expect(event?.text).toBe(sent);
    expect(event?.value.messages).toEqual([
      expect.objectContaining({ from: CONTACT, type: 'interactive', interactive: tapped }),
    ]);
  });

  test('4. Inbound interactive reply (list): same, with interactive.type = list_reply and list_reply holding id (the row id), title and description.', async () => {
    const receiver = await receiving(world);
    const chosen = {
      type: 'list_reply',
      list_reply: { id: 'express', title: 'Express', description: 'Next day' },
    };
    const sent = await happened(world, reply('wamid.e4', chosen));
    const [event] = await receiver.events(1);
    expect(event?.text).toBe(sent);
    expect(event?.value.messages).toEqual([
      expect.objectContaining({ from: CONTACT, type: 'interactive', interactive: chosen }),
    ]);
  });

  test('5. Payload of delivery status events: as upstream has it, with all that it holds.', async () => {
    const receiver = await receiving(world);
    const more = {
      conversation: { id: '72b1', origin: { type: 'marketing' } },
      pricing: { billable: true, pricing_model: 'PMP', category: 'marketing' },
    };
    const sent = await happened(world, messageStatus('wamid.e5', 'sent', 1750030073, more));
    const [event] = await receiver.events(1);
    expect(event?.text).toBe(sent);
    expect(event?.value.statuses[0]).toMatchObject(more);
  });

  test.each([
    ['image', { mime_type: 'image/jpeg', sha256: 'x', id: '1' }],
    ['location', { latitude: 37.44, longitude: -122.16 }],
    ['unsupported', undefined],
    ['something_new', { any: 'thing' }],
  ])(
    '6. Payload of inbound events of other kinds (plain text, media): as upstream has it. %s',
    async (type, part) => {
      const receiver = await receiving(world);
      const item = { from: CONTACT, id: `wamid.e6.${type}`, timestamp: '1750025136', type, [type]: part };
      const sent = await happened(world, { messages: [item] });
      expect((await receiver.events(1))[0]?.text).toBe(sent);
    },
  );

  test('The service emits events to {webhook_url} and defines no other event channel: a line without one emits none.', async () => {
    const receiver = await receiving({ ...world, line: await world.scene.line() });
    await happened(world, textFrom(CONTACT, 'Hello', 'wamid.e0'));
    await happened(world, messageStatus('wamid.e0.out', 'sent', 1750030073));
    expect(receiver.received).toEqual([]);
  });
});
