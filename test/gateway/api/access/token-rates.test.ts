import { OPERATIONS } from '../../../../gateway/api/operations';
import { type Operation } from '../../../../gateway/api/operation';
import { MINUTE, SECOND } from '../../../../gateway/time';
import { DATABASES } from '../../../support/databases';
import {
  call,
  CONTACT,
  expectRefusal,
  freshLineOf,
  imageTo,
  sceneOf,
  sqliteUrl,
  startScene,
  type Reply,
} from '../../../support/scene';

const allowanceOf = ({ headers }: Reply) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));

describe.each(DATABASES)('the rate of what tokens do beside sends ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: '1' });
  const line = freshLineOf(scene);

  const ask = ({ method, path }: Pick<Operation, 'method' | 'path'>, of = line): Promise<Reply> => {
    const words: Record<string, string> = {
      tid: of.phoneNumberId,
      message_id: 'wamid.none',
      contact: CONTACT,
      id: '999999',
      media_id: '4490709327384033',
      object_id: '4490709327384033',
      account_id: of.phoneNumberId,
    };
    const at = path.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? word);
    return call(`${scene.gateway.url}/v22.0${at}`, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${of.token}` },
    });
  };
  const remove = { method: 'delete', path: '/{tid}/destinations/{id}' } as const;
  const useUp = async () => {
    for (let count = 0; count < 2; count++) expect((await ask(remove)).status).toBe(404);
    const reads = await Promise.all(Array.from({ length: 20 }, () => line.get('/status')));
    expect(reads.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
  };

  test('holds for every operation of the API that sends nothing', async () => {
    await useUp();
    const others = OPERATIONS.filter(({ rate }) => rate !== 'sends');
    const replies = await Promise.all(
      others.map(async (operation) => [operation.id, (await ask(operation)).status]),
    );
    expect(Object.fromEntries(replies)).toEqual(Object.fromEntries(others.map(({ id }) => [id, 429])));
    expect(scene.upstream.received.map(({ url }) => url)).not.toContain('/v22.0/4490709327384033');
    // Neither sends nor other lines are any slower.
    expect((await line.send(imageTo(CONTACT))).status).toBe(200);
    expect((await ask(remove, await scene.line())).status).toBe(404);
  });

  test('is told in headers, and in a sentence that says what to do', async () => {
    const first = await ask(remove);
    expect(allowanceOf(first)).toEqual([2, 1, 60]);
    expect(allowanceOf(await line.get('/status'))).toEqual([20, 19, 6]);
    await ask(remove);
    const refused = await ask(remove);
    expect(expectRefusal(refused, 429, 'rate_limited', 130429)).toBe(
      'Beside sends, this line takes up to 1 changes a minute, and 2 at once. Nothing was done. Try again in 60 seconds, and more slowly. Whoever runs the gateway can change this limit with GATEWAY_TOKEN_RATE.',
    );
    expect([refused.headers.get('retry-after'), ...allowanceOf(refused)]).toEqual(['60', 2, 0, 120]);
  });

  test('gives back one change a minute, and a read each tenth of it', async () => {
    await useUp();
    scene.clock.now += 6 * SECOND;
    expect([(await line.get('/status')).status, (await line.get('/status')).status]).toEqual([200, 429]);
    expect((await ask(remove)).status).toBe(429);
    scene.clock.now += MINUTE;
    expect([(await ask(remove)).status, (await ask(remove)).status]).toEqual([404, 429]);
  });

  test('is that of a line, however many tokens it has', async () => {
    await useUp();
    const token = await scene.token(line.id, null);
    expect((await ask(remove, { ...line, token })).status).toBe(429);
  });
});

test('honest clients notice no limit: n8n registers a hundred workflows at once and fills its lists', async () => {
  const scene = await startScene(await sqliteUrl());
  try {
    const line = await scene.line();
    const headers = { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' };
    const address = `${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`;
    const replies = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => [
        await line.get('/status'),
        await line.get('/templates?limit=500'),
        await call(address, {
          method: 'POST',
          headers,
          body: JSON.stringify({ url: `http://127.0.0.1:9/webhook/${index}` }),
        }),
      ]),
    );
    expect(new Set(replies.flat().map(({ status }) => status))).toEqual(new Set([200, 201]));
  } finally {
    await scene.stop();
  }
});
