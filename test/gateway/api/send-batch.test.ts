import { createHook } from 'node:async_hooks';
import { DATABASES } from '../../support/databases';
import { meeting, turns, until } from '../../support/http-peer';
import {
  call,
  CONTACT,
  expectRefusal,
  freshLineOf,
  imageTo,
  sceneOf,
  sqliteUrl,
  startScene,
  textTo,
  type Json,
  type Reply,
} from '../../support/scene';

const KILOBYTE = 1024;

interface Result {
  status: number;
  body: Json;
  retry_after?: number;
  replayed?: true;
}

describe.each(DATABASES)('a batch of messages ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_LINE_RATE: '60', GATEWAY_PAIR_LIMIT: '12' });
  const line = freshLineOf(scene);

  const address = () => `${scene.gateway.url}/v22.0/${line.phoneNumberId}/messages/batch`;
  const post = (body: unknown, signal?: AbortSignal): Promise<Reply> =>
    call(address(), {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: signal ?? null,
    });
  async function results(messages: unknown[]): Promise<Result[]> {
    const { status, body } = await post({ messages });
    expect([status, body.success]).toEqual([200, true]);
    return body.results as Result[];
  }
  const told = (all: Result[]) => all.map(({ status, body }) => body.error_code ?? status);
  const sentTo = () => line.sent().map((body) => (JSON.parse(body) as { to: string }).to);
  const contact = (index: number) => `120255501${String(index).padStart(2, '0')}`;
  const upstream = (answer: typeof scene.upstream.answers.messages) => {
    const before = scene.upstream.answers.messages;
    scene.upstream.answers.messages = answer;
    return () => (scene.upstream.answers.messages = before);
  };

  test('is sent and answered message by message, in the order of the list', async () => {
    const all = await results(
      Array.from({ length: 50 }, (_, index) => ({ key: `order ${index}`, message: imageTo(contact(index)) })),
    );
    const alone = await line.send(imageTo(contact(7)));
    expect(all.map(({ body }) => body.chat_message_id)).toEqual(
      Array.from({ length: 50 }, (_, index) => `wamid.${contact(index)}`),
    );
    expect(all[7]).toEqual({
      status: 200,
      body: {
        ...alone.body,
        gateway: { ...alone.body.gateway, request_id: all[7]?.body.gateway.request_id },
      },
    });
    expect(new Set(line.sent())).toEqual(
      new Set(line.sent().map((body) => JSON.stringify(JSON.parse(body)))),
    );
  });

  test('is sent but for those that are refused, each in its own words', async () => {
    const all = await results([
      { key: 'a', message: imageTo(contact(1)) },
      { key: 'b', message: textTo(contact(2)) },
      { key: 'c', message: { ...imageTo(contact(3)), image: {} } },
      { key: '', message: imageTo(contact(4)) },
      { key: 'f', message: { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.x' } },
      { key: null, message: imageTo('+1 (202) 555-0105') },
    ]);
    expect(told(all)).toEqual([200, 'outside_24h_window', 'invalid_payload', 'invalid_payload', 200, 200]);
    expect(all[1]?.body).toMatchObject({
      success: false,
      error: { code: 131047 },
      request_id: expect.any(String),
    });
    expect(all[3]?.body.error.error_data.fields).toEqual([
      expect.objectContaining({ path: 'Idempotency-Key' }),
    ]);
    expect(all[5]?.body.contacts).toEqual([{ input: '+1 (202) 555-0105', wa_id: contact(5) }]);
    expect(sentTo().filter(Boolean).sort()).toEqual([contact(1), contact(5)]);
  });

  test('is sent once however often it is asked for, by the keys that messages have alone', async () => {
    const messages = [1, 2, 3].map((index) => ({ key: `k${index}`, message: imageTo(contact(index)) }));
    const alone = await line.send(imageTo(contact(2)), {
      'content-type': 'application/json',
      'idempotency-key': 'k2',
    });
    const first = await results(messages);
    const again = await results(messages);
    expect(first.map(({ replayed }) => replayed)).toEqual([undefined, true, undefined]);
    expect(first[1]?.body).toEqual(alone.body);
    expect(again).toEqual(first.map(({ status, body }) => ({ status, body, replayed: true })));
    expect(line.sent()).toHaveLength(3);
    const other = await results([{ key: 'k1', message: imageTo(contact(9)) }]);
    expect(told(other)).toEqual(['idempotency_conflict']);
  });

  test('keeps the order of each contact, and lets no contact wait for another', async () => {
    const doneFor = (to: string) => done.filter((one) => one.startsWith(to)).length;
    let othersAreDone: Promise<void> | undefined;
    const restore = upstream(async ({ body }) => {
      const { to, image } = JSON.parse(body) as { to: string; image: { caption: string } };
      // The contact that is first in the list waits for all of the other.
      if (to !== contact(1))
        await (othersAreDone ??= until(() => doneFor(contact(1)) === 10, 5000).catch(() => undefined));
      else await turns(Number(image.caption) % 3);
      done.push(`${to} ${image.caption}`);
      return { body: { messages: [{ id: `wamid.${to}.${image.caption}` }] } };
    });
    const done: string[] = [];
    try {
      const list = Array.from({ length: 20 }, (_, index) => ({
        message: {
          ...imageTo(index % 2 ? contact(1) : '5511987654321'),
          image: { id: '1', caption: String(index) },
        },
      }));
      // Another spelling of the same contact is in the same order.
      (list[4]?.message as Json).to = '551187654321';
      await results(list);
    } finally {
      restore();
    }
    const captions = (of: RegExp) => done.filter((one) => of.test(one)).map((one) => one.split(' ')[1]);
    expect(captions(/^55/)).toEqual(['0', '2', '4', '6', '8', '10', '12', '14', '16', '18']);
    expect(captions(/^1202/)).toEqual(['1', '3', '5', '7', '9', '11', '13', '15', '17', '19']);
    expect(done.findLastIndex((one) => one.startsWith(contact(1)))).toBe(9);
  });

  test('counts and orders the messages of a group by its id', async () => {
    const toGroup = (index: number) => ({
      key: `group ${index}`,
      message: {
        ...imageTo('120363025246125486@g.us'),
        recipient_type: 'group',
        biz_opaque_callback_data: `${index}`,
      },
    });
    const all = await results(Array.from({ length: 14 }, (_, index) => toGroup(index)));
    expect(told(all)).toEqual([...Array<number>(12).fill(200), 'pair_rate_limited', 'pair_rate_limited']);
    expect(line.sent().map((body) => JSON.parse(body).biz_opaque_callback_data)).toEqual(
      Array.from({ length: 12 }, (_, index) => `${index}`),
    );
    expect(told(await results([toGroup(0)]))).toEqual([200]);
    expect(line.sent()).toHaveLength(12);
  });

  test('is counted message by message against the rate of the line', async () => {
    const listed = (from: number) =>
      Array.from({ length: 50 }, (_, index) => ({ message: imageTo(contact((from + index) % 100)) }));
    const [first, second, third] = [
      await results(listed(0)),
      await results(listed(50)),
      await post({ messages: listed(0) }),
    ];
    // 120 at once.
    expect(new Set(told([...first, ...second]))).toEqual(new Set([200]));
    const all = third.body.results as Result[];
    expect(told(all).filter((one) => one === 200)).toHaveLength(20);
    expect(all.filter(({ retry_after: after }) => after === 1).map(({ status }) => status)).toEqual(
      Array.from({ length: 30 }, () => 429),
    );
    expect(third.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(line.sent()).toHaveLength(120);
    expectRefusal(await post({ messages: listed(0) }), 429, 'rate_limited', 130429);
    scene.clock.now += 10_000;
  });

  test('holds back what comes behind a message that is refused for now, of that contact alone', async () => {
    const list = Array.from({ length: 16 }, (_, index) => ({
      message: { ...imageTo(index === 15 ? contact(2) : contact(1)), image: { id: String(index) } },
    }));
    const all = await results(list);
    expect(told(all)).toEqual([
      ...Array.from({ length: 12 }, () => 200),
      ...Array.from({ length: 3 }, () => 'pair_rate_limited'),
      200,
    ]);
    expect(all.slice(12, 15).map(({ retry_after: after }) => after)).toEqual([6, 6, 6]);
    expect(sentTo().filter((to) => to === contact(1))).toHaveLength(12);
  });

  test("hands the platform's own errors on byte for byte, and does not know what was not answered", async () => {
    const error = '{ "message": "(#131026) Undeliverable",  "code": 131026, "x": 12345678901234567890 }';
    const restore = upstream(({ body }, response) => {
      const { to } = JSON.parse(body) as { to: string };
      if (to === contact(1)) {
        response.writeHead(400, { 'content-type': 'application/json' }).end(`{"error":${error}}`);
        return 'handled';
      }
      if (to === contact(2)) {
        response.socket?.destroy();
        return 'handled';
      }
      return { body: { messages: [{ id: `wamid.${to}` }] } };
    });
    const messages = [1, 2, 3].map((index) => ({ key: `e${index}`, message: imageTo(contact(index)) }));
    try {
      const { text, body } = await post({ messages });
      expect(text).toContain('"code": 131026, "x": 12345678901234567890');
      expect(told(body.results)).toEqual(['upstream_error', 'upstream_timeout', 200]);
      expect(body.results[1]).toMatchObject({ status: 504, body: { outcome: 'unknown' } });
    } finally {
      restore();
    }
    expect(told(await results(messages))).toEqual([200, 'upstream_timeout', 200]);
    expect(sentTo().filter((to) => to === contact(2))).toHaveLength(1);
  });

  test('begins nothing more after 20 seconds, and nobody waits longer than a minute', async () => {
    const restore = upstream(({ body }) => {
      const { to } = JSON.parse(body) as { to: string };
      if (to === contact(1)) scene.clock.now += 11_000;
      return { body: { messages: [{ id: `wamid.${to}.${scene.clock.now}` }] } };
    });
    const messages = Array.from({ length: 4 }, (_, index) => ({
      key: `t${index}`,
      message: imageTo(contact(1)),
    }));
    try {
      const all = await results(messages);
      expect(told(all)).toEqual([200, 200, 'batch_out_of_time', 'batch_out_of_time']);
      expect(all[2]).toMatchObject({ status: 503, retry_after: 1 });
      expect(told(await results(messages.slice(2)))).toEqual([200, 200]);
    } finally {
      restore();
    }
    expect(line.sent()).toHaveLength(4);
  });

  test('begins nothing more once nobody waits for the answer', async () => {
    const leaving = new AbortController();
    let begun = 0;
    const reached = Promise.withResolvers<null>();
    const restore = upstream(async () => {
      begun++;
      leaving.abort();
      await reached.promise;
      return { body: { messages: [{ id: 'wamid.gone' }] } };
    });
    const messages = Array.from({ length: 5 }, (_, index) => ({
      key: `g${index}`,
      message: imageTo(contact(1)),
    }));
    try {
      await expect(post({ messages }, leaving.signal)).rejects.toThrow();
      // By then the gateway, in this process, has heard of it.
      await turns(10);
      reached.resolve(null);
      await until(async () => {
        const [first] = await results([messages[0]]);
        return first?.replayed === true;
      });
    } finally {
      restore();
    }
    expect(begun).toBe(1);
    expect(told(await results(messages))).toEqual([200, 200, 200, 200, 200]);
  });

  test('of a line that is rated low is refused message by message', async () => {
    await line.rated('RED');
    expect(told(await results([{ message: imageTo(CONTACT) }, { message: imageTo(CONTACT) }]))).toEqual([
      'line_quality_low',
      'line_quality_low',
    ]);
    expect(line.sent()).toEqual([]);
  });

  test.each([
    ['nothing', {}],
    ['no message', { messages: [] }],
    ['51 messages', { messages: Array.from({ length: 51 }, () => ({ message: imageTo(CONTACT) })) }],
    ['no list', { messages: { message: imageTo(CONTACT) } }],
    ['a text in the list', { messages: ['hello'] }],
    ['a key without a message', { messages: [{ key: 'd' }] }],
    ['more than the list', { messages: [{ message: imageTo(CONTACT) }], to: CONTACT }],
  ])('of %s is refused as a whole', async (_case, body) => {
    const reply = await post(body);
    expect([reply.status, reply.body.error_code]).toEqual([400, 'invalid_payload']);
    expect(line.sent()).toEqual([]);
  });

  const large = (size: number, index = 1) => ({
    message: { ...imageTo(contact(index)), note: 'x'.repeat(size) },
  });

  test('may have 1 MB in all, of which one message has 64 KB', async () => {
    const all = await results([large(63 * KILOBYTE), large(64 * KILOBYTE), large(63 * KILOBYTE)]);
    expect(told(all)).toEqual([200, 'payload_too_large', 200]);
    expect(all[1]?.body.error.error_data.details).toContain('64 KB');
    const tooLarge = await post({ messages: Array.from({ length: 17 }, () => large(63 * KILOBYTE)) });
    expect(expectRefusal(tooLarge, 413, 'payload_too_large', 100)).toContain('1 MB');
  });

  test('hands each message on as it is written', async () => {
    const written = `{ "to" : "${contact(1)}","type":"image","image":{"id":"1"}, "n": 1.50, "big": 12345678901234567890 }`;
    const { body } = await post(
      `{"messages":[ {"key":"w","message": {"to":"x"}, "message" : ${written} } ]}`,
    );
    expect(told(body.results)).toEqual([200]);
    expect(line.sent().at(-1)).toContain('"n": 1.50, "big": 12345678901234567890 ');
  });

  test('counts as one send for each 16 KB, where that is more than its messages', async () => {
    const left = ({ headers }: Reply) => Number(headers.get('x-ratelimit-remaining'));
    scene.clock.now += 60_000;
    expect(left(await post({ messages: [large(10 * KILOBYTE)] }))).toBe(119);
    scene.clock.now += 60_000;
    // 20 messages of 5 KB are 100 KB.
    const messages = Array.from({ length: 20 }, (_, index) => large(5 * KILOBYTE, index));
    expect(left(await post({ messages }))).toBe(100);
    scene.clock.now += 60_000;
    expect(left(await post({ messages: [large(60 * KILOBYTE), large(60 * KILOBYTE)] }))).toBe(112);
    scene.clock.now += 60_000;
    // Alone as well.
    expect(left(await line.send(large(40 * KILOBYTE).message))).toBe(117);
    const beyond = { messages: Array.from({ length: 16 }, () => large(62 * KILOBYTE)) };
    expect((await post(beyond)).status).toBe(200);
    expectRefusal(await post(beyond), 429, 'rate_limited', 130429);
    scene.clock.now += 60_000;
  });

  test('of more than 64 KB is one of two that a line has at the same time; small ones go on', async () => {
    const place = meeting(2);
    let here = 0;
    let most = 0;
    const restore = upstream(async ({ body }) => {
      const { to } = JSON.parse(body) as { to: string };
      if (to === contact(9)) return { body: { messages: [{ id: 'wamid.small' }] } };
      most = Math.max(most, ++here);
      await place.pass();
      here--;
      return { body: { messages: [{ id: `wamid.${to}` }] } };
    });
    try {
      const sent = Array.from({ length: 6 }, (_, index) =>
        post({ messages: [large(40 * KILOBYTE, index), large(40 * KILOBYTE, index)] }),
      );
      await until(() => here > 0);
      expect(told(await results([{ message: imageTo(contact(9)) }]))).toEqual([200]);
      for (const { body } of await Promise.all(sent)) expect(told(body.results)).toEqual([200, 200]);
    } finally {
      restore();
    }
    expect(most).toBe(2);
    scene.clock.now += 60_000;
  });

  test('of more than 64 KB lets other requests come in between its messages', async () => {
    /** How often the rest of the gateway had its turn by `setImmediate` until the batch was answered. */
    async function turnsIn(size: number): Promise<number> {
      let count = 0;
      const hook = createHook({ init: (_id, type) => void (type === 'Immediate' && count++) }).enable();
      const messages = Array.from({ length: 40 }, (_, index) => ({
        message: { ...large(size, index).message, image: {} },
      }));
      const all = await results(messages).finally(() => hook.disable());
      expect(told(all)).toEqual(Array(40).fill('invalid_payload'));
      scene.clock.now += 60_000;
      return count;
    }
    const small = await turnsIn(KILOBYTE);
    expect(await turnsIn(2 * KILOBYTE)).toBeGreaterThanOrEqual(small + 30);
  });

  test('needs a token that may send', async () => {
    const reader = await scene.token(line.id, null, { scopes: ['read'] });
    const asked = (token: string) =>
      call(address(), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ message: imageTo(CONTACT) }] }),
      });
    expectRefusal(await asked(reader), 403, 'scope_missing', 10);
    expectRefusal(await asked('gwl_x'), 401, 'invalid_token', 190);
  });
});

test('a body that counts as more sends than a slow line has at once is sent once there are as many', async () => {
  const scene = await startScene(await sqliteUrl(), { GATEWAY_LINE_RATE: '1' });
  try {
    const line = await scene.line();
    const message = { ...imageTo(CONTACT), note: 'x'.repeat(60 * KILOBYTE) };
    const waits: (string | null)[] = [];
    for (let count = 0; count < 4; count++) {
      const { headers } = await line.send(message);
      waits.push(headers.get('retry-after'));
      scene.clock.now += Number(waits.at(-1)) * 1000;
    }
    // At first there is none for the request, then none for its size as well.
    expect(waits).toEqual([null, '1', '2', null]);
    expect(line.sent()).toHaveLength(2);
  } finally {
    await scene.stop();
  }
});
