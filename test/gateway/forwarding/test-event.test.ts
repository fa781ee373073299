import { Webhook } from 'standardwebhooks';
import { readNotification } from '../../../gateway/cloud-api/notification';
import { signatureOf } from '../../../gateway/cloud-api/signature';
import { createSecret } from '../../../gateway/forwarding/signatures';
import { sendTestEvent } from '../../../gateway/forwarding/destinations/test-event';
import { destinationRules } from '../../../gateway/http/destination-address';
import { createHttpClient } from '../../../gateway/http/http-client';
import { startPeer } from '../../support/http-peer';
import { destinationTo } from './support';

const SECRET = createSecret();
const LINE = { phoneNumberId: '106540352242922', phoneNumber: '+1 555-078-3881', wabaId: '102290129340398' };

const http = createHttpClient({
  rules: destinationRules(['127.0.0.1']),
  maxAnswerBytes: 16 * 1024,
  brokenBody: 'ignored',
});
afterAll(() => http.close());

const to = (url: string) =>
  destinationTo(url, { secret: SECRET, headers: { 'x-api-key': 'of-the-receiver' } });

describe('a test event', () => {
  test('is a text message as upstream tells one, signed, and marked as a test', async () => {
    const receiver = await startPeer();
    try {
      const sent = await sendTestEvent({ http, clock: Date.now }, to(`${receiver.url}/hook`), LINE);
      expect(sent).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
      const [{ headers, body } = { headers: {}, body: '' }] = await receiver.untilReceived(1);
      expect(body).toBe(sent.body);
      expect(headers).toMatchObject({
        'x-gateway-test': '1',
        'x-gateway-line': LINE.phoneNumberId,
        'x-api-key': 'of-the-receiver',
        'webhook-id': expect.stringMatching(/^evt_test_/),
        'x-hub-signature-256': signatureOf(Buffer.from(body), SECRET),
      });
      expect(() => new Webhook(SECRET).verify(body, headers as Record<string, string>)).not.toThrow();
      const events = readNotification(Buffer.from(body));
      expect(events).toEqual([
        expect.objectContaining({
          subject: 'message',
          kind: 'text',
          phoneNumberId: LINE.phoneNumberId,
          wabaId: LINE.wabaId,
          wamid: expect.stringMatching(/^wamid\.test\./),
        }),
      ]);
    } finally {
      await receiver.close();
    }
  });

  test('tells why it could not be sent', async () => {
    const refused = await sendTestEvent({ http, clock: Date.now }, to('http://10.0.0.1/hook'), LINE);
    expect(refused).toMatchObject({
      outcome: 'address_refused',
      answer: expect.stringContaining('GATEWAY_ALLOW_DESTINATIONS'),
    });
    const nobody = await sendTestEvent({ http, clock: Date.now }, to('http://127.0.0.1:9/hook'), LINE);
    expect(nobody).toMatchObject({ outcome: 'connection', httpStatus: null });
  });
});
