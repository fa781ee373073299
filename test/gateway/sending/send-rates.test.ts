import { DATABASES } from '../../support/databases';
import {
  CONTACT,
  expectRefusal,
  freshLineOf,
  imageTo,
  sceneOf,
  sqliteUrl,
  startScene,
  textTo,
  upstreamError,
  type Reply,
  type TestLine,
} from '../../support/scene';

const MARK_AS_READ = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.1' };

/** What the line may still send, as an answer tells it: at once, left, seconds until all is there again. */
const allowanceOf = ({ headers }: Reply) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));

/** One after the other. @returns the HTTP statuses */
async function statuses(count: number, send: (index: number) => Promise<Reply>): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < count; index++) all.push((await send(index)).status);
  return all;
}

describe.each(DATABASES)('the rate of a line ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_LINE_RATE: '2' });
  const line = freshLineOf(scene);

  test('gateway rate limit (+ Retry-After) | 429 | rate_limited | 130429: twice as many at once, then nothing is sent', async () => {
    expect(await statuses(4, () => line.send(imageTo(CONTACT)))).toEqual([200, 200, 200, 200]);
    const refused = await line.send(imageTo(CONTACT));
    expect(expectRefusal(refused, 429, 'rate_limited', 130429)).toBe(
      'This line sends up to 2 messages a second, and 4 at once. Nothing was sent. Send it again in 1 second, and more slowly. The operator of the gateway can change this limit with GATEWAY_LINE_RATE.',
    );
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(line.sent()).toHaveLength(4);
  });

  test('comes back with time, as many a second as it is set to, and no more than it was', async () => {
    await statuses(4, () => line.send(imageTo(CONTACT)));
    scene.clock.now += 499;
    expect((await line.send(imageTo(CONTACT))).status).toBe(429);
    scene.clock.now += 1;
    expect(await statuses(2, () => line.send(imageTo(CONTACT)))).toEqual([200, 429]);
    scene.clock.now += 3_600_000;
    expect(await statuses(5, () => line.send(imageTo(CONTACT)))).toEqual([200, 200, 200, 200, 429]);
  });

  test('X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset on every answer', async () => {
    expect(allowanceOf(await line.send(imageTo(CONTACT)))).toEqual(['4', '3', '1']);
    expect(allowanceOf(await line.send('{'))).toEqual(['4', '2', '1']);
    expect(allowanceOf(await line.send(textTo('16505550000')))).toEqual(['4', '1', '2']);
    expect(allowanceOf(await line.send('x', { 'content-type': 'text/plain' }))).toEqual(['4', '0', '2']);
    const refused = await line.send(imageTo(CONTACT));
    expect([refused.status, ...allowanceOf(refused)]).toEqual([429, '4', '0', '2']);
  });

  test('counts each request to send: marks as read, those under one key, those that are refused', async () => {
    const keyed = { 'content-type': 'application/json', 'idempotency-key': 'one' };
    await line.send(imageTo(CONTACT), keyed);
    const replayed = await line.send(imageTo(CONTACT), keyed);
    expect([replayed.headers.get('idempotency-replayed'), ...allowanceOf(replayed)]).toEqual([
      'true',
      '4',
      '2',
      '1',
    ]);
    expect((await line.send(MARK_AS_READ)).body).toEqual({ success: true });
    expect((await line.send('[]')).status).toBe(400);
    expect((await line.send(MARK_AS_READ)).status).toBe(429);
  });

  test('then rate limit → 429, before quality and body', async () => {
    await line.rated('RED');
    const replies = await statuses(5, () => line.send('{'));
    expect(replies).toEqual([403, 403, 403, 403, 429]);
  });

  test('is that of one line alone, by whichever token and tid', async () => {
    const other = await scene.line();
    await statuses(4, () => line.send(imageTo(CONTACT)));
    const second = await scene.token(line.id, null);
    const byId = await fetch(`${scene.gateway.url}/api/v13.0/${line.id}/messages?access_token=${second}`, {
      method: 'POST',
    });
    expect(byId.status).toBe(429);
    await byId.arrayBuffer();
    expect((await other.send(imageTo(CONTACT))).status).toBe(200);
  });

  test('does not hold for what is only read', async () => {
    await statuses(5, () => line.send(imageTo(CONTACT)));
    for (const path of ['/status', '/templates', '/destinations']) {
      const reply = await line.get(path);
      // They have a rate of their own (`api/token-rates.test.ts`).
      expect([reply.status, allowanceOf(reply)[0]]).toEqual([200, '1200']);
    }
  });

  test('is not used by, nor told to, those without the right token', async () => {
    const stranger = await scene.line();
    for (let count = 0; count < 5; count++) {
      const reply = await line.send(imageTo(CONTACT), {
        authorization: `Bearer ${stranger.token}`,
        'content-type': 'application/json',
      });
      expect([reply.status, ...allowanceOf(reply)]).toEqual([401, null, null, null]);
    }
    expect(allowanceOf(await line.send(imageTo(CONTACT)))).toEqual(['4', '3', '1']);
  });
});

describe.each(DATABASES)('the limit of messages to one contact ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_PAIR_LIMIT: '2' });
  const line = freshLineOf(scene);

  const under = (key: string) => ({ 'content-type': 'application/json', 'idempotency-key': key });
  /** None is left for the contact after it. */
  const sendBoth = async () =>
    expect(await statuses(2, () => line.send(imageTo(CONTACT)))).toEqual([200, 200]);

  test('pair limit (+ Retry-After) | 429 | pair_rate_limited | 131056: one more at once is not sent', async () => {
    await sendBoth();
    const refused = await line.send(imageTo(CONTACT));
    expect(expectRefusal(refused, 429, 'pair_rate_limited', 131056)).toBe(
      `One contact gets up to 2 messages at once from this line, then one every 6 seconds. Nothing was sent. Send to ${CONTACT} again in 6 seconds; other contacts need not wait. The operator of the gateway can change this limit with GATEWAY_PAIR_LIMIT.`,
    );
    expect(refused.headers.get('retry-after')).toBe('6');
    expect(line.sent()).toHaveLength(2);
  });

  test('gives one every 6 seconds after that', async () => {
    await sendBoth();
    scene.clock.now += 5000;
    expect((await line.send(imageTo(CONTACT))).headers.get('retry-after')).toBe('1');
    scene.clock.now += 1000;
    expect(await statuses(2, () => line.send(imageTo(CONTACT)))).toEqual([200, 429]);
    expect(line.sent()).toHaveLength(3);
  });

  test('is that of one line and one contact, however the number is written', async () => {
    const other = await scene.line();
    await sendBoth();
    expect((await line.send(imageTo('+1 (650) 555-1234'))).status).toBe(429);
    expect((await line.send({ ...imageTo(''), to: undefined, recipient: 'US.1' })).status).toBe(200);
    expect((await line.send(imageTo('16505551235'))).status).toBe(200);
    expect((await other.send(imageTo(CONTACT))).status).toBe(200);
  });

  test('is not used up by a send that is refused before it is forwarded', async () => {
    expect((await line.send(textTo(CONTACT))).status).toBe(400);
    expect((await line.send({ ...imageTo(CONTACT), image: {} })).status).toBe(400);
    expect((await line.send({ ...imageTo(CONTACT), type: 'template', template: {} })).status).toBe(400);
    await line.rated('RED');
    expect((await line.send(imageTo(CONTACT))).status).toBe(403);
    await line.edit({ upstream_node: null });
    await sendBoth();
  });

  test('is used up by what upstream refuses: it counted there', async () => {
    const { messages } = scene.upstream.answers;
    scene.upstream.answers.messages = () => upstreamError(400, 131026);
    expect(await statuses(3, () => line.send(imageTo(CONTACT)))).toEqual([400, 400, 429]);
    scene.upstream.answers.messages = messages;
  });

  test('is the last check: what is wrong with the message is told first', async () => {
    await sendBoth();
    expectRefusal(await line.send(textTo(CONTACT)), 400, 'outside_24h_window', 131047);
    expectRefusal(await line.send({ ...imageTo(CONTACT), image: {} }), 400, 'invalid_payload', 131008);
  });

  test('does not hold for marking as read', async () => {
    await sendBoth();
    expect(await statuses(5, () => line.send(MARK_AS_READ))).toEqual([200, 200, 200, 200, 200]);
  });

  test('does not hold for an answer that is only given again', async () => {
    const first = await line.send(imageTo(CONTACT), under('first'));
    await line.send(imageTo(CONTACT));
    for (let count = 0; count < 3; count++) {
      const again = await line.send(imageTo(CONTACT), under('first'));
      expect([again.status, again.body]).toEqual([200, first.body]);
    }
    expect(line.sent()).toHaveLength(2);
  });

  test('counts one of many requests at once under one key', async () => {
    await Promise.all(Array.from({ length: 20 }, () => line.send(imageTo(CONTACT), under('one'))));
    expect(line.sent()).toHaveLength(1);
    expect(await statuses(2, () => line.send(imageTo(CONTACT)))).toEqual([200, 429]);
  });

  test('leaves the key free, so that the same request is sent once there is room again', async () => {
    await sendBoth();
    for (let count = 0; count < 2; count++) {
      expectRefusal(await line.send(imageTo(CONTACT), under('later')), 429, 'pair_rate_limited', 131056);
    }
    // Another body under the same key: nothing was sent under it.
    expect((await line.send(imageTo('16505559999'), under('later'))).status).toBe(200);
    scene.clock.now += 6000;
    expect((await line.send(imageTo(CONTACT), under('after'))).status).toBe(200);
    expect(line.sent()).toHaveLength(4);
  });
});

describe('the two limits', () => {
  /** Sent at once: to one contact, and then what is refused before it is sent to anybody. */
  const sendAtOnce = async (line: TestLine, toOne: number, broken: number) => {
    const sent = await Promise.all(Array.from({ length: toOne }, () => line.send(imageTo(CONTACT))));
    return [...sent, ...(await Promise.all(Array.from({ length: broken }, () => line.send('{'))))];
  };
  const counted = (replies: Reply[]) =>
    Object.fromEntries(
      Array.from(
        Map.groupBy(replies, ({ body }) => (body.error_code ?? 'sent') as string),
        ([word, all]) => [word, all.length],
      ),
    );

  test('80 sends/s per line (burst 160), 45 then 1 per 6 s to one contact', async () => {
    const scene = await startScene(await sqliteUrl());
    const line = await scene.line();
    expect(counted(await sendAtOnce(line, 50, 115))).toEqual({
      sent: 45,
      pair_rate_limited: 5,
      invalid_json: 110,
      rate_limited: 5,
    });
    expect(line.sent()).toHaveLength(45);
    await scene.stop();
  });

  test('GATEWAY_LINE_RATE, GATEWAY_PAIR_LIMIT | off switches one off: nothing is refused, nothing told', async () => {
    const scene = await startScene(await sqliteUrl(), {
      GATEWAY_LINE_RATE: 'off',
      GATEWAY_PAIR_LIMIT: 'off',
    });
    const replies = await sendAtOnce(await scene.line(), 50, 115);
    expect(counted(replies)).toEqual({ sent: 50, invalid_json: 115 });
    expect(replies.flatMap(allowanceOf).filter((header) => header !== null)).toEqual([]);
    await scene.stop();
  });
});
