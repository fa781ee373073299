import { DATABASES } from '../../support/databases';
import { startPeer, type HttpPeer } from '../../support/http-peer';
import { call, CONTACT, freshLineOf, sceneOf, type Reply } from '../../support/scene';
import { notification, notify } from '../../support/test-gateway';

describe.each(DATABASES)('a callback URL that answers with a web page ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_ALLOW_FOR_TOKENS: 'on' });
  const line = freshLineOf(scene);
  let receiver: HttpPeer;
  let callback: HttpPeer;

  beforeAll(async () => {
    receiver = await startPeer();
    // As n8n does for a run that is over.
    callback = await startPeer(() => ({
      status: 200,
      body: "<html lang='en'><body>No action required</body></html>",
    }));
  });
  afterAll(() => Promise.all([receiver.close(), callback.close()]));

  const post = (path: string, body: object): Promise<Reply> =>
    call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('has not accepted the answer, which goes to the destinations as a late one', async () => {
    await line.wrote(CONTACT, 1);
    await post('/destinations', { url: `${receiver.url}/hook`, events: ['messages'] });
    receiver.received.length = 0; // the handshake
    const { body } = await post('/questions', {
      contact: CONTACT,
      message: { type: 'text', text: { body: 'What is your name?' } },
      accepts: ['text'],
      expires_in: 3600,
      callback_url: `${callback.url}/answers/1`,
    });
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550783881', phone_number_id: line.phoneNumberId },
      contacts: [{ profile: { name: 'Ana' }, wa_id: CONTACT }],
      messages: [
        {
          from: CONTACT,
          id: 'wamid.answer',
          timestamp: String(Math.floor(scene.clock.now / 1000)),
          type: 'text',
          text: { body: 'Ana' },
        },
      ],
    };
    expect(await notify(scene.gateway, notification(value, line.phoneNumberId))).toBe(200);
    const [late] = await receiver.untilReceived(1);
    expect(late?.headers).toMatchObject({ 'x-gateway-late-answer-to': body.id });
    expect(late?.body).toContain('wamid.answer');
    expect(callback.received).toHaveLength(1);
  });
});
