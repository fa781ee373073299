import { createHmac } from 'node:crypto';
import {
  callbackTo,
  inside,
  lineWith,
  startObserved,
  startReceiver,
  startTestSandbox,
  template,
  VERIFY_TOKEN,
} from '../support';

describe('a callback', () => {
  it('is signed over the bytes sent, which are ASCII and not what a JSON library would write', async () => {
    const { receiver, sandbox } = await startObserved();
    const words = 'Olá ä 😀 a/b <ok> 100% me@shop.example';
    await sandbox.contact({ text: words, name: 'Zoë' });
    const [{ body, headers, json }] = await receiver.accepted(1);

    const signature = createHmac('sha256', 'app-secret-of-the-test').update(body).digest('hex');
    expect(headers['x-hub-signature-256']).toBe(`sha256=${signature}`);
    expect(headers['content-type']).toBe('application/json');
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(body).toContain(
      String.raw`Ol\u00e1 \u00e4 \ud83d\ude00 a\/b \u003Cok> 100\u0025 me\u0040shop.example`,
    );
    expect(body).not.toBe(JSON.stringify(json));
    expect(inside({ body, headers, json }).text.body).toBe(words);
    expect(json.entry[0].changes[0].value.contacts[0].profile.name).toBe('Zoë');
  });

  it('is repeated until it is answered 200, and what follows on the line waits for it', async () => {
    const receiver = await startReceiver();
    receiver.answers.push(500, 404, 302, 204);
    const sandbox = await startTestSandbox({ callback: callbackTo(receiver) });
    for (const words of ['1', '2', '3']) await sandbox.contact({ text: words });
    const received = await receiver.accepted(3);
    expect(received.map((each) => inside(each).text.body)).toEqual(['1', '2', '3']);
    expect(receiver.answers).toEqual([]);
  });

  it('that cannot be reached is delivered once the receiver is there', async () => {
    const sandbox = await startTestSandbox({
      callback: { url: 'http://127.0.0.1:1/webhooks', appSecret: 'a', verifyToken: 'b' },
      callbackWaits: [60_000],
    });
    await sandbox.contact({ text: 'Hello' });
    const receiver = await startReceiver();
    expect(await sandbox.subscribe(callbackTo(receiver))).toEqual({ verified: true });
    expect(inside((await receiver.accepted(1))[0]).text.body).toBe('Hello');
  });

  it('of one line does not wait for that of another', async () => {
    const receiver = await startReceiver();
    receiver.answers.push(500);
    const sandbox = await startTestSandbox({
      lines: () => [lineWith({ phoneNumberId: '1001' }), lineWith({ phoneNumberId: '1002' })],
      callback: callbackTo(receiver),
      callbackWaits: [60_000],
    });
    await sandbox.contact({ text: 'held back', line: '1001' });
    while (receiver.answers.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await sandbox.contact({ text: 'goes on', line: '1002' });
    expect(inside((await receiver.accepted(1))[0]).text.body).toBe('goes on');
  });

  it('is made for nobody where none is subscribed', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.contact({ text: 'Hello' });
    expect((await sandbox.send(template('hello_world'))).code).toBe(200);
  });
});

describe('subscribing', () => {
  it('succeeds with a receiver that knows the verify token and echoes the challenge', async () => {
    const { sandbox } = await startObserved();
    expect(await sandbox.subscribe()).toEqual({ verified: true });
  });

  it('says why it does not succeed, and keeps the former callback', async () => {
    const { receiver, sandbox } = await startObserved();
    expect(await sandbox.subscribe({ ...callbackTo(receiver), verifyToken: 'wrong' })).toEqual({
      verified: false,
      reason: 'The callback answered 403 to the handshake.',
    });
    expect(
      await sandbox.subscribe({ url: 'http://127.0.0.1:1/', appSecret: 'a', verifyToken: VERIFY_TOKEN }),
    ).toMatchObject({ verified: false, reason: expect.stringMatching(/could not be reached/) });
    expect(
      await sandbox.subscribe({ url: 'no address', appSecret: 'a', verifyToken: VERIFY_TOKEN }),
    ).toMatchObject({ verified: false });
    await sandbox.contact({ text: 'Hello' });
    expect(await receiver.accepted(1)).toHaveLength(1);
  });

  it('says that there is no callback to subscribe', async () => {
    const sandbox = await startTestSandbox();
    expect(await sandbox.subscribe()).toEqual({ verified: false, reason: 'No callback is configured.' });
  });
});

it('leaves nothing behind when it closes amid statuses and repeats', async () => {
  const sandbox = await startTestSandbox({
    callback: { url: 'http://127.0.0.1:1/', appSecret: 'a', verifyToken: 'b' },
    callbackWaits: [60_000],
    statusDelays: { sent: 0, delivered: 60_000, read: 120_000 },
  });
  await sandbox.send(template('hello_world'));
  await sandbox.contact({ text: 'Hello' });
  await sandbox.close();
  await expect(fetch(sandbox.url)).rejects.toThrow();
});
