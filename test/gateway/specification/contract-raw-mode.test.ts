import { CONTACT } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';
import { onEachDatabase, post, startReceiver } from './support';

onEachDatabase('10. Beyond the specification: destinations by token: mode?: "split" | "raw"', (world) => {
  test('Mode raw: upstream’s body, cut to that line.', async () => {
    const receiver = await startReceiver();
    const path = `/v22.0/${world.line.phoneNumberId}/destinations`;
    const { status, body } = await post(world, path, { url: receiver.url, mode: 'raw' });
    expect([status, body.mode]).toEqual([201, 'raw']);

    const other = await world.scene.line();
    const inEnvelope = (wamid: string, phoneNumberId: string) =>
      (notification(textFrom(CONTACT, 'Hello', wamid), phoneNumberId) as { entry: object[] }).entry[0];
    const own = [
      inEnvelope('wamid.raw.1', world.line.phoneNumberId),
      inEnvelope('wamid.raw.2', world.line.phoneNumberId),
    ];
    const entry = [own[0], inEnvelope('wamid.raw.3', other.phoneNumberId), own[1]];
    expect(await notify(world.scene.gateway, { object: 'whatsapp_business_account', entry })).toBe(200);

    const [event] = await receiver.events(1);
    expect(JSON.parse(event?.text ?? '')).toEqual({ object: 'whatsapp_business_account', entry: own });
  });
});
