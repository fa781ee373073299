import { DATABASES } from '../../support/databases';
import { startPeer } from '../../support/http-peer';
import {
  addTestLine,
  notification,
  notify,
  PHONE_NUMBER_ID,
  settings,
  startTestGateway,
  textFrom,
} from '../../support/test-gateway';

describe.each(DATABASES)('an event on its way through the gateway ($name)', ({ createUrl }) => {
  test('is recorded, answered 200, and forwarded byte for byte with both signatures', async () => {
    const receiver = await startPeer();
    const gateway = await startTestGateway(settings(await createUrl()));
    const { token } = await addTestLine(gateway.env);
    await gateway.refresh();
    const added = await fetch(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${receiver.url}/hook` }),
    });
    expect(added.status).toBe(201);
    const body = JSON.stringify(notification(textFrom('16505551234', 'Olá 😀', 'wamid.1')));
    expect(await notify(gateway, body)).toBe(200);
    const [handshake, event] = await receiver.untilReceived(2);
    expect(handshake?.url).toContain('hub.challenge=');
    expect(event?.body).toBe(body);
    await gateway.stop();
    await receiver.close();
  });
});
