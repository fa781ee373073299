import { OPERATIONS } from '../../../../gateway/api/operations';
import { type Operation } from '../../../../gateway/api/operation';
import { MINUTE, SECOND } from '../../../../gateway/time';
import { DATABASES } from '../../../support/databases';
import { until } from '../../../support/http-peer';
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
      question_id: 'qst_none',
      account_id: of.phoneNumberId,
      template_id: '4490709327384033',
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
      'Beside sends, this line takes up to 1 changes a minute, and 2 at once. Nothing was done. Try again in 60 seconds, and more slowly. The operator of the gateway can change this limit with GATEWAY_TOKEN_RATE.',
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

describe('lists', () => {
  const scene = sceneOf();
  const line = freshLineOf(scene);
  const KILOBYTE = 1024;
  const template = (index: number) => ({
    id: `${index}`,
    name: `template_${index}`,
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'x'.repeat(2 * KILOBYTE) }],
  });

  test('are those operations whose answers grow with what is stored', () => {
    const lists = OPERATIONS.filter(({ id }) => id.startsWith('list'));
    expect(lists.length).toBeGreaterThan(4);
    expect(OPERATIONS.filter(({ isList }) => isList)).toEqual(lists);
  });

  test('count as one read for each 64 KB of their answer', async () => {
    const upstream = scene.upstream.answers.templates;
    scene.upstream.answers.templates = () => ({
      body: { data: Array.from({ length: 100 }, (_, i) => template(i)) },
    });
    try {
      await line.get('/templates?refresh=1');
      const [all, graph] = ['/templates', '/message_templates?limit=500'];
      for (const path of [all, '/templates?limit=10', graph, '/message_templates?limit=10']) {
        scene.clock.now += 10 * MINUTE;
        const [limit = 0, remaining = 0] = allowanceOf(await line.get('/status'));
        expect(remaining).toBe(limit - 1);
        const reply = await line.get(path);
        const reads = Math.ceil(Buffer.byteLength(reply.text) / (64 * KILOBYTE));
        expect(reads > 1).toBe([all, graph].includes(path));
        expect(allowanceOf(reply)[1]).toBe(remaining - reads);
      }
      expect((await line.get(graph)).headers.get('content-length')).toMatch(/^2\d{5}$/);
      const replies: Reply[] = [];
      while (replies.at(-1)?.status !== 429) replies.push(await line.get('/templates'));
      expect(replies.length).toBeLessThan(400);
      expect(expectRefusal(replies.at(-1) as Reply, 429, 'rate_limited', 130429)).toContain('reads a minute');
    } finally {
      scene.upstream.answers.templates = upstream;
    }
  });

  test('of a line are made four at a time; the others wait, and what is beyond that is refused', async () => {
    const upstream = scene.upstream.answers.templates;
    const held = Promise.withResolvers<null>();
    let here = 0;
    let most = 0;
    scene.upstream.answers.templates = async () => {
      most = Math.max(most, ++here);
      await held.promise;
      here--;
      return { body: { data: [] } };
    };
    try {
      // What only the platform can answer.
      const asked = Array.from({ length: 410 }, async () => {
        const { status, text } = await call(
          `${scene.gateway.url}/v22.0/${line.phoneNumberId}/message_templates?summary=total_count`,
          { headers: { authorization: `Bearer ${line.token}` } },
        );
        return `${status} ${text.includes('as many requests for lists')}`;
      });
      await until(() => here === 4);
      await until(async () => (await Promise.race([...asked, null])) !== null);
      // Other reads of the line, and the lists of others, go on.
      expect((await line.get('/status')).status).toBe(200);
      expect((await (await scene.line()).get('/opt-outs')).status).toBe(200);
      held.resolve(null);
      const answers = await Promise.all(asked);
      expect(answers.filter((one) => one === '429 true')).toHaveLength(6);
      expect(answers.filter((one) => one === '200 false').length).toBeGreaterThanOrEqual(60);
    } finally {
      held.resolve(null);
      scene.upstream.answers.templates = upstream;
    }
    expect(most).toBe(4);
    expect((await line.get('/opt-outs')).status).toBe(200);
  });
});
