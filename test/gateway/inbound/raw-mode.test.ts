import { createHmac } from 'node:crypto';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { call, CONTACT, sceneOf, type TestLine } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

type Envelope = { object: string; entry: object[] };

describe.each(DATABASES)('a destination that takes notifications whole ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  let line: TestLine;
  let other: TestLine;
  let receiver: HttpPeer;
  let secret: string;

  beforeEach(async () => {
    receiver = await startPeer();
    [line, other] = [await scene.line(), await scene.line()];
    secret = await add(line, {});
    receiver.received.length = 0;
  });
  afterEach(() => receiver.close());

  async function add(of: TestLine, more: object, mode = 'raw'): Promise<string> {
    const { status, body } = await call(`${scene.gateway.url}/v22.0/${of.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${of.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url, mode: 'raw', ...more }),
    });
    expect([status, body.mode]).toEqual([201, mode]);
    return body.secret;
  }

  const entryOf = (text: string, of: TestLine, contact = CONTACT): object =>
    (notification(textFrom(contact, text, `wamid.${of.id}.${text}`), of.phoneNumberId) as Envelope)
      .entry[0] ?? {};
  const together = (...entry: object[]): string =>
    JSON.stringify({ object: 'whatsapp_business_account', entry }, null, 1);
  const came = async (count: number) => {
    await receiver.untilReceived(count);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.received).toHaveLength(count);
    return receiver.received;
  };

  test('gets one that holds only its line byte for byte, in one POST, signed', async () => {
    const body = together(entryOf('Olá 1.50', line), entryOf('2', line));
    expect(await notify(scene.gateway, body)).toBe(200);
    const [request] = await came(1);
    expect(request?.body).toBe(body);
    const expected = createHmac('sha256', secret).update(body).digest('hex');
    expect(request?.headers['x-hub-signature-256']).toBe(`sha256=${expected}`);
  });

  test('mode: raw: the notification as it came; of several lines cut to its own, in ASCII', async () => {
    const own = [entryOf('Olá', line), entryOf('2', line)];
    expect(await notify(scene.gateway, together(own[0] ?? {}, entryOf('3', other), own[1] ?? {}))).toBe(200);
    const [request] = await came(1);
    expect(JSON.parse(request?.body ?? '')).toEqual({ object: 'whatsapp_business_account', entry: own });
    expect(request?.body).toContain('Ol\\u00e1');
  });

  test('gets a repeat no second time, and a notification with one event as it came', async () => {
    const two = together(entryOf('1', line), entryOf('2', line));
    expect(await notify(scene.gateway, two)).toBe(200);
    expect(await notify(scene.gateway, two)).toBe(200);
    const one = together(entryOf('3', line));
    expect(await notify(scene.gateway, one)).toBe(200);
    expect((await came(2)).map(({ body }) => body)).toEqual([two, one]);
  });

  test('gets repeats in another batch no second time, but what is new with them', async () => {
    const [one, two, three] = [entryOf('1', line), entryOf('2', line), entryOf('3', line)];
    const batches = [
      [one, two],
      [two, one],
      [one, two, one],
      [two, three],
    ].map((entries, number) => together(...entries, entryOf(`${number}`, other)));
    for (const batch of batches) expect(await notify(scene.gateway, batch)).toBe(200);
    const seen = (await came(2)).map(({ body }) => (JSON.parse(body) as Envelope).entry);
    expect(seen).toEqual([
      [one, two],
      [two, three],
    ]);
  });

  test('gets what it asked for, with what came beside it; and nothing where it asked for none of it', async () => {
    const failed = await startPeer();
    await add(line, { url: failed.url, events: ['failed'] });
    const before = failed.received.length;
    expect(await notify(scene.gateway, together(entryOf('1', line), entryOf('2', line)))).toBe(200);
    await came(1);
    expect(failed.received).toHaveLength(before);
    await failed.close();
  });

  test('opens windows and records states all the same, beside one that takes each event alone', async () => {
    const split = await startPeer();
    await add(other, { url: split.url, mode: 'split' }, 'split');
    split.received.length = 0;
    const body = together(entryOf('1', other), entryOf('2', other), entryOf('3', line));
    expect(await notify(scene.gateway, body)).toBe(200);
    await until(() => split.received.length === 2);
    await came(1);
    const window = await other.get(`/window/${CONTACT}`);
    expect(window.body.open).toBe(true);
    await split.close();
  });
});
