import { DAY, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { until, type Answer } from '../../support/http-peer';
import { rows, write } from '../../support/rows';
import { type Json } from '../../support/scene';
import { startTestGateway } from '../../support/test-gateway';
import { messagesIn, questionsOn } from './support';

describe.each(DATABASES)('a callback URL ($name)', ({ createUrl }) => {
  const { scene, peers, answer, asked, stateOf, text, writes, received, lateAnswers } =
    questionsOn(createUrl);

  /** The delivery of the answer to a question. */
  const deliveryOf = async (id: string): Promise<Json> => {
    const [row] = await rows(
      scene.databaseUrl,
      `select d.* from deliveries d join questions q on q.answer_event_id = d.event_id
       and q.destination_id = d.destination_id where q.id = '${id}'`,
    );
    return row;
  };
  /** Asks, and lets the answer fail once. */
  async function failed(status: number): Promise<string> {
    answer.now = { status };
    const { id } = await asked();
    await writes([text('Ana')]);
    await until(async () => (await deliveryOf(id))?.attempts === 1);
    return id;
  }
  /** Makes the next attempt due, and waits for it. */
  async function next(count: number, after: number): Promise<void> {
    scene.clock.now += after;
    await peers.callback.untilReceived(count);
  }
  /** @param meanwhile done while no gateway runs */
  async function restarted(meanwhile: () => Promise<void> | void): Promise<void> {
    const { env, stop } = scene.gateway;
    await stop();
    await meanwhile();
    Object.assign(scene.gateway, await startTestGateway(env, () => scene.clock.now));
  }
  /** The answer came to the destination, marked as late. */
  async function isReleased(id: string): Promise<void> {
    await received(1);
    expect(messagesIn(peers.receiver)).toContainEqual(expect.objectContaining({ text: { body: 'Ana' } }));
    expect(lateAnswers()).toEqual([id]);
    expect((await deliveryOf(id)).state).toBe('dead');
    expect(await stateOf(id)).toBe('answered');
  }

  test.each<[string, object]>([
    ['that answers 410', { status: 410 }],
    // As n8n does for a run that is over.
    [
      'that answers with a page',
      { status: 200, body: "<html lang='en'><body>No action required</body></html>" },
    ],
  ])('%s has ended at once: the answer goes to the destinations as a late one', async (_, gone) => {
    answer.now = gone;
    const { id } = await asked();
    await writes([text('Ana')]);
    await isReleased(id);
    expect(peers.callback.received).toHaveLength(1);
  });

  test('that answers 404 three times has ended', async () => {
    const id = await failed(404);
    await next(2, 5 * SECOND);
    expect(peers.receiver.received).toEqual([]);
    await until(async () => (await deliveryOf(id)).attempts === 2);
    await next(3, 30 * SECOND);
    await isReleased(id);
    expect(peers.callback.received).toHaveLength(3);
  });

  test('that answers 409 and then accepts has the answer, and nobody else', async () => {
    const id = await failed(409);
    answer.now = { status: 200 };
    await next(2, 5 * SECOND);
    await until(async () => (await deliveryOf(id)).state === 'delivered');
    expect(await received(0)).toEqual([]);
    const numbers = peers.callback.received.map(({ headers }) => headers['x-gateway-attempt']);
    expect(numbers).toEqual(['1', '2']);
  });

  test('that was asked once more by another process keeps the answer, whatever it said to this one', async () => {
    const held = Promise.withResolvers<Answer>();
    answer.now = held.promise;
    const { id } = await asked();
    await writes([text('Ana')]);
    await peers.callback.untilReceived(1);
    await write(
      scene.databaseUrl,
      `update deliveries set attempts = attempts + 1
       where event_id = (select answer_event_id from questions where id = '${id}')`,
    );
    answer.now = { status: 200 };
    held.resolve({ status: 410 });
    await until(async () => (await deliveryOf(id)).state === 'delivered');
    expect(await received(0)).toEqual([]);
  });

  test('that fails at the last attempt has the answer no more', async () => {
    const id = await failed(503);
    await restarted(() =>
      write(
        scene.databaseUrl,
        `update deliveries set attempts = 16, due_at = '${new Date(scene.clock.now).toISOString()}'
         where state = 'pending'`,
      ),
    );
    await peers.callback.untilReceived(2);
    await isReleased(id);
  });

  test('that was down for a week has the answer no more, also after a restart', async () => {
    const id = await failed(503);
    await restarted(() => void (scene.clock.now += 8 * DAY));
    await isReleased(id);
  });
});
