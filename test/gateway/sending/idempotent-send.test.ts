import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { earlierAnswer, forgetOldKeys, sendUnderKey } from '../../../gateway/sending/idempotent-send';
import { type KeyClaim } from '../../../gateway/store/commit/writes';
import { type Store } from '../../../gateway/store/store';
import { DATABASES } from '../../support/databases';
import { rows } from '../../support/rows';
import {
  CONTACT,
  expectRefusal,
  freshLineOf,
  imageTo,
  sceneOf,
  textTo,
  upstreamError,
  type Json,
} from '../../support/scene';

const DAY = 24 * 3_600_000;

describe.each(DATABASES)('a send with an Idempotency-Key ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);

  const take = (store: Store, key: string, claim: Partial<KeyClaim> = {}) =>
    store.write({
      kind: 'key',
      claim: { line_id: line.id, key, body_hash: 'hash', started_at: '2026', since: '2000', ...claim },
    });

  const under = (key: string) => ({ 'content-type': 'application/json', 'idempotency-key': key });

  test('same body → stored answer and Idempotency-Replayed: true', async () => {
    const first = await line.send(imageTo(CONTACT), under('order 1'));
    const again = await line.send(imageTo(CONTACT), under('order 1'));
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(line.sent()).toHaveLength(1);
  });

  test('is made once of 100 at the same time; the others are told to wait', async () => {
    const answer = scene.upstream.answers.messages;
    scene.upstream.answers.messages = async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return answer(...given);
    };
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => line.send(imageTo(CONTACT), under('one'))),
    );
    scene.upstream.answers.messages = answer;
    expect(line.sent()).toHaveLength(1);
    const accepted = replies.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    for (const waiting of replies.filter(({ status }) => status !== 200)) {
      expectRefusal(waiting, 409, 'idempotency_in_progress', 100);
      expect(waiting.headers.get('retry-after')).toBe('1');
    }
  });

  test('takes its key once of many that are committed together, and the others are told who has it', async () => {
    await scene.change(async ({ store }) => {
      const bodies = ['one', 'two', 'three', 'four'];
      const taken = await Promise.all(
        bodies.map((body_hash) => take(store, 'together', { body_hash, started_at: `2026 ${body_hash}` })),
      );
      const told = { body_hash: 'one', started_at: '2026 one', answer: null };
      expect(taken).toEqual([null, ...Array(3).fill(expect.objectContaining(told))]);
      expect(await take(store, 'together', { since: '2026 one' })).toBeNull();
    });
  });

  test('is refused with another body, and nothing is sent', async () => {
    await line.send(imageTo(CONTACT), under('order 2'));
    expectRefusal(
      await line.send(imageTo('16505559999'), under('order 2')),
      409,
      'idempotency_conflict',
      100,
    );
    expect(line.sent()).toHaveLength(1);
  });

  test('per line: another line sends under the same key', async () => {
    const other = await scene.line();
    await line.send(imageTo(CONTACT), under('shared'));
    expect(
      (await other.send(imageTo(CONTACT), under('shared'))).headers.get('idempotency-replayed'),
    ).toBeNull();
    expect(other.sent()).toHaveLength(1);
  });

  test('24 h, then its key is free and it is sent again', async () => {
    await line.send(imageTo(CONTACT), under('yesterday'));
    scene.clock.now += DAY;
    const again = await line.send(imageTo(CONTACT), under('yesterday'));
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expect(line.sent()).toHaveLength(2);
  });

  test('is forgotten with its answer after 24 hours, and not before', async () => {
    const forget = () => scene.change(({ store }) => forgetOldKeys(store, () => scene.clock.now));
    const known = () => scene.change(({ store }) => store.idempotencyKeys.find(line.id, 'old', '2000'));
    await line.send(imageTo(CONTACT), under('old'));
    scene.clock.now += DAY - 1;
    await forget();
    expect(await known()).not.toBeNull();
    scene.clock.now += 1;
    await forget();
    expect(await known()).toBeNull();
  });

  test('is forgotten a few at a time, but for one that was taken anew meanwhile', async () => {
    const known = async () => (await rows(scene.databaseUrl, 'select key from idempotency_keys')).length;
    await scene.change(async ({ store }) => {
      for (let count = 0; count < 30; count++)
        await take(store, `many ${count}`, { started_at: '2020', since: '2019' });
      const before = await known();
      expect(await store.idempotencyKeys.removeBefore('2020', 20)).toBe(20);
      expect(await known()).toBe(before - 20);
      await forgetOldKeys(
        store,
        () => scene.clock.now,
        () => false,
      );
      expect(await known()).toBe(before - 20);
      await forgetOldKeys(store, () => scene.clock.now);
      expect(await known()).toBe(before - 30);
    });
  });

  test('keeps its answer when the window has closed in between', async () => {
    await line.wrote(CONTACT, 23);
    const first = await line.send(textTo(CONTACT), under('late'));
    expect(first.status).toBe(200);
    scene.clock.now += 2 * 3_600_000;
    expect((await line.send(textTo(CONTACT), under('late'))).body).toEqual(first.body);
    expect(line.sent()).toHaveLength(1);
  });

  test('is refused with another body also where it would be refused without a key', async () => {
    await line.send(imageTo(CONTACT), under('closed'));
    expectRefusal(await line.send(textTo('16505550000'), under('closed')), 409, 'idempotency_conflict', 100);
  });

  test('leaves the key free when nothing was sent: refused by the gateway, or by upstream', async () => {
    expectRefusal(await line.send(textTo('16505550000'), under('again')), 400, 'outside_24h_window', 131047);
    const answer = scene.upstream.answers.messages;
    scene.upstream.answers.messages = () => upstreamError(400, 130429);
    expectRefusal(await line.send(imageTo(CONTACT), under('again')), 429, 'upstream_rate_limited', 130429);
    scene.upstream.answers.messages = answer;
    expect((await line.send(imageTo(CONTACT), under('again'))).status).toBe(200);
  });

  test('is never repeated when its outcome is unknown', async () => {
    const answer = scene.upstream.answers.messages;
    scene.upstream.answers.messages = (_request, response) => {
      response.destroy();
      return 'handled';
    };
    const first = await line.send(imageTo(CONTACT), under('silent'));
    scene.upstream.answers.messages = answer;
    const again = await line.send(imageTo(CONTACT), under('silent'));
    for (const reply of [first, again]) {
      expectRefusal(reply, 504, 'upstream_timeout', 2);
      expect(reply.body.outcome).toBe('unknown');
    }
    expect(line.sent()).toHaveLength(1);
  });

  test('that a fault of the gateway broke off counts as unknown, and is not repeated', async () => {
    const body = imageTo(CONTACT);
    const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const key = { lineId: line.id, key: 'fault', bodyHash };
    const fault = new TypeError('A fault of ours');
    await scene.change(async ({ store, clock }) => {
      const unrecorded: unknown[] = [];
      const sending = sendUnderKey(
        { store, clock },
        key,
        () => Promise.reject(fault),
        (error) => unrecorded.push(error),
      );
      await expect(sending).rejects.toBe(fault);
      expect(unrecorded).toEqual([]);
      await expect(earlierAnswer({ store, clock }, key)).rejects.toThrow('outcome');
    });
    expectRefusal(await line.send(body, under('fault')), 504, 'upstream_timeout', 2);
    expect(line.sent()).toHaveLength(0);
  });

  test('that the gateway’s own end broke off counts as unknown, and is not repeated', async () => {
    const body = imageTo(CONTACT);
    const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const long = new Date(scene.clock.now - 5 * 60_000).toISOString();
    await scene.change(({ store }) => take(store, 'broken', { body_hash: hash, started_at: long }));
    expectRefusal(await line.send(body, under('broken')), 504, 'upstream_timeout', 2);
    expect(line.sent()).toHaveLength(0);
  });

  test('Idempotency-Key ≤ 255, and at least 1', async () => {
    expect((await line.send(imageTo(CONTACT), under('k'.repeat(255)))).status).toBe(200);
    expectRefusal(await line.send(imageTo(CONTACT), under('k'.repeat(256))), 400, 'invalid_payload', 131009);
    expectRefusal(await line.send(imageTo(CONTACT), under('')), 400, 'invalid_payload', 131009);
    expect(line.sent()).toHaveLength(1);
  });

  test.each([
    ['another', ['one', 'two']],
    ['the same', ['one', 'one']],
    ['an empty one', ['one', '']],
  ])('is refused with two keys: beside the one there is %s', async (_which, keys) => {
    const { status, body } = await sendWithKeys(keys);
    expect([status, body.error_code, body.error.error_data.details]).toEqual([
      400,
      'invalid_payload',
      'The header Idempotency-Key takes 1 to 255 characters, once.',
    ]);
    expect(line.sent()).toEqual([]);
  });

  /** Each key in a header of its own, which fetch would put into one. */
  const sendWithKeys = (keys: string[]) =>
    new Promise<{ status: number | undefined; body: Json }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${line.token}`,
        'content-type': 'application/json',
        'idempotency-key': keys,
      };
      request(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/messages`, { method: 'POST', headers })
        .on('error', reject)
        .on('response', (answer) => {
          json(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
        })
        .end(JSON.stringify(imageTo(CONTACT)));
    });
});
