import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { createSecret, signatureHeaders, verifyTokenOf } from '../../../gateway/forwarding/signatures';

const BODY = '{"text":"Olá 😀","escaped":"\\u00e1"}';
const BYTES = Buffer.from(BODY);

describe('the signatures of an event', () => {
  test('are, in upstream’s family, HMAC-SHA256 of the bytes sent, keyed with the text of the secret', () => {
    for (const secret of [createSecret(), 'a secret of its own']) {
      const headers = signatureHeaders([secret], 'evt_1', Date.now(), BYTES);
      const expected = createHmac('sha256', secret).update(Buffer.from(BODY)).digest('hex');
      expect(headers['x-hub-signature-256']).toBe(`sha256=${expected}`);
    }
  });

  test('are, in the family of Standard Webhooks, accepted by its published library', () => {
    const secret = createSecret();
    const headers = signatureHeaders([secret], 'evt_1', Date.now(), BYTES);
    const webhook = new Webhook(secret);
    expect(webhook.verify(Buffer.from(BODY), headers)).toEqual(JSON.parse(BODY));
    expect(() => webhook.verify(`${BODY} `, headers)).toThrow();
    expect(() => webhook.verify(BODY, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
    expect(() => new Webhook(createSecret()).verify(BODY, headers)).toThrow();
  });

  test('key a secret of another form with its own bytes', () => {
    const headers = signatureHeaders(['a secret of its own'], 'evt_1', Date.now(), BYTES);
    const webhook = new Webhook('a secret of its own', { format: 'raw' });
    expect(webhook.verify(BODY, headers)).toEqual(JSON.parse(BODY));
  });

  test('are those of all secrets while one is exchanged for another, upstream’s that of the oldest', () => {
    const [fresh, previous, oldest] = [createSecret(), createSecret(), createSecret()];
    const headers = signatureHeaders([fresh, previous, oldest], 'evt_1', Date.now(), BYTES);
    for (const secret of [fresh, previous, oldest])
      expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(headers['x-hub-signature-256']).toBe(
      signatureHeaders([oldest], 'evt_1', Date.now(), BYTES)['x-hub-signature-256'],
    );
    expect(() => new Webhook(createSecret()).verify(BODY, headers)).toThrow();
  });

  test('match the vector that Standard Webhooks publishes', () => {
    const headers = signatureHeaders(
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1614265330_000,
      Buffer.from('{"test": 2432232314}'),
    );
    expect(headers).toMatchObject({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('carry whole seconds, and nothing else that changes from attempt to attempt', () => {
    const [first, second] = [1_700_000_000_999, 1_700_000_005_000].map((at) =>
      signatureHeaders(['a secret of its own'], 'evt_1', at, BYTES),
    );
    expect(first?.['webhook-timestamp']).toBe('1700000000');
    expect(first?.['webhook-id']).toBe(second?.['webhook-id']);
    expect(first?.['x-hub-signature-256']).toBe(second?.['x-hub-signature-256']);
    expect(first?.['webhook-signature']).not.toBe(second?.['webhook-signature']);
  });
});

describe('a signing secret', () => {
  test('is made of 256 random bits, in the form of Standard Webhooks', () => {
    const secret = createSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(createSecret()).not.toBe(secret);
  });

  test('is not told by the verify token that is derived from it', () => {
    const secret = createSecret();
    const token = verifyTokenOf(secret);
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(token).toBe(verifyTokenOf(secret));
    expect(token).not.toBe(verifyTokenOf(createSecret()));
    expect(secret).not.toContain(token);
  });
});
