import { DATABASES } from '../../support/databases';
import { call, linkedImageTo, type Json } from '../../support/scene';
import {
  addTestLine,
  PHONE_NUMBER_ID,
  settings,
  startTestGateway,
  type TestGateway,
} from '../../support/test-gateway';
import { bearer, buttons, JSON_TYPE, startReceiver, type Receiver } from './support';

describe.each(DATABASES)(
  '10. Beyond the specification: sandbox | a complete simulated upstream behind the same HTTP interface as the real one, so that the same code path runs ($name)',
  ({ createUrl }) => {
    const ANA = '12025550147';
    let gateway: TestGateway;
    let token: string;
    let receiver: Receiver;
    let destination: number;

    beforeAll(async () => {
      gateway = await startTestGateway(settings(await createUrl(), { GATEWAY_UPSTREAM_URL: 'sandbox' }));
      ({ token } = await addTestLine(gateway.env));
      await gateway.refresh();
    });
    beforeEach(async () => {
      receiver = await startReceiver();
      const added = await post('/destinations', { url: receiver.url });
      expect(added.status).toBe(201);
      destination = added.body.id;
    });
    afterEach(async () => {
      const path = `/v22.0/${PHONE_NUMBER_ID}/destinations/${destination}`;
      await call(gateway.url + path, { method: 'DELETE', headers: bearer(token) });
    });
    afterAll(() => gateway.stop());

    const post = (path: string, body: object) =>
      call(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}${path}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...bearer(token) },
        body: JSON.stringify(body),
      });
    const does = (contact: string, what: object) =>
      call(`${gateway.sandboxUrl}/sandbox/contacts/${contact}/messages`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify(what),
      });
    const wordsOf = (events: { value: Json }[]) => events.map(({ value }) => value.statuses[0].status);

    test('a person can answer', async () => {
      expect((await does(ANA, { text: 'Is it still there?' })).status).toBe(200);
      const [event] = await receiver.events(1);
      expect(event?.value.messages[0]).toMatchObject({ from: ANA, text: { body: 'Is it still there?' } });
    });

    test('sends get statuses', async () => {
      await does(ANA, { text: 'Hello' });
      await receiver.events(1);
      const { body } = await post('/messages', linkedImageTo(ANA));
      const [, ...statuses] = await receiver.events(4);
      expect(wordsOf(statuses)).toEqual(['sent', 'delivered', 'read']);
      for (const { value } of statuses) expect(value.statuses[0].id).toBe(body.chat_message_id);
    });

    test('tap buttons', async () => {
      await does(ANA, { text: 'Hello' });
      await receiver.events(1);
      await post('/messages', { ...buttons(), to: ANA });
      await receiver.events(4);
      expect((await does(ANA, { button: 'yes' })).status).toBe(200);
      const event = (await receiver.events(5)).at(-1);
      expect(event?.value.messages[0].interactive).toEqual({
        type: 'button_reply',
        button_reply: { id: 'yes', title: 'Yes' },
      });
    });

    test('and provoke each failure: a contact that never wrote is not reached', async () => {
      expect((await post('/messages', linkedImageTo('12025550199'))).status).toBe(200);
      const status = (await receiver.events(1)).at(-1)?.value.statuses[0];
      expect(status).toMatchObject({ status: 'failed', errors: [{ code: 131047 }] });
    });
  },
);
