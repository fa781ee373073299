import { type Offline } from '../../../gateway/cli/offline';
import { clearWhatIsOld } from '../../../gateway/housekeeping/clear-old';
import { replay } from '../../../gateway/forwarding/replay';
import { forgetContact, namesOf, removeLine } from '../../../gateway/lines/forget';
import {
  countOf,
  registrationsOf,
  removeRegistrations,
} from '../../../gateway/alerts/use-cases/token-registrations';
import { revokeToken } from '../../../gateway/lines/tokens';
import { expireQuestions } from '../../../gateway/questions/question';
import { DAY, HOUR, MINUTE } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { CONTACT, type Json } from '../../support/scene';
import { buttons, messagesIn, questionsOn } from './support';

const OPERATOR = { who: 'operator', through: 'command', address: null } as const;

describe.each(DATABASES)('a question ends ($name)', ({ createUrl }) => {
  const { scene, line, peers, answer, ...questions } = questionsOn(createUrl);
  const { ask, asked, request, stateOf, text, tap, writes, received, lateAnswers } = questions;

  const select = (sql: string) => rows(scene.databaseUrl, sql) as Promise<Json[]>;
  const storedOf = (table: string, id = line.id) => select(`select * from ${table} where line_id = ${id}`);
  const expire = ({ store, clock }: Offline) => expireQuestions({ store, clock }, () => true);
  /** Clears what has been kept for a day. */
  const clear = (world: Offline) =>
    clearWhatIsOld({
      ...world,
      config: {
        GATEWAY_KEEP_BODIES: null,
        GATEWAY_KEEP_EVENTS: null,
        GATEWAY_KEEP_MESSAGES: DAY,
        GATEWAY_KEEP_CONTACTS: null,
        GATEWAY_KEEP_AUDIT: null,
      },
      goesOn: () => true,
    });

  test('by its time: what comes later is forwarded, and a tap is a late answer', async () => {
    const { id, message_id, expires_at } = await asked({ message: buttons('yes') });
    scene.clock.now += HOUR;
    // From that moment, whenever it is noted.
    const { body } = await request('GET', `/questions/${id}`);
    expect([body.state, body.ended_at]).toEqual(['expired', expires_at]);
    await request('DELETE', `/questions/${id}`);
    expect(await stateOf(id)).toBe('expired');
    await writes([text('too late')]);
    await writes([tap('yes', message_id)]);
    await received(2);
    expect(lateAnswers()).toEqual([undefined, id]);
    const next = await asked();
    await scene.change(expire);
    expect(await storedOf('question_contacts')).toMatchObject([{ question_id: next.id, state: 'open' }]);
    expect([await stateOf(id), await stateOf(next.id)]).toEqual(['expired', 'open']);
    scene.clock.now += HOUR;
    await scene.change(expire);
    expect(await storedOf('question_contacts')).toEqual([]);
    expect((await request('GET', `/questions/${next.id}`)).body).toMatchObject({
      state: 'expired',
      ended_at: next.expires_at,
    });
  });

  test('by its cancellation, after which the answer is forwarded', async () => {
    const { id, message_id } = await asked();
    for (let times = 0; times < 2; times++)
      expect((await request('DELETE', `/questions/${id}`)).body).toEqual({ success: true });
    expect(await stateOf(id)).toBe('canceled');
    const deeds = await select(`select who, through, line_id from audit where action = 'question.canceled'`);
    expect(deeds).toEqual([{ who: expect.stringMatching(/^token \d+ /), through: 'api', line_id: line.id }]);
    await writes([text('Ana')]);
    await writes([text('Ana', message_id)]);
    await received(2);
    expect(lateAnswers()).toEqual([undefined, id]);
    expect(peers.callback.received).toEqual([]);
  });

  test('and is kept as long as messages, an open one and one whose answer waits for longer', async () => {
    const canceled = await asked();
    await request('DELETE', `/questions/${canceled.id}`);
    answer.now = { status: 503 };
    const waiting = await asked({ expires_in: 30 * 24 * 3600 });
    await writes([text('Ana')]);
    await peers.callback.untilReceived(1);
    const open = await asked({ expires_in: 30 * 24 * 3600 });
    scene.clock.now += 2 * DAY;
    await scene.change(clear);
    expect([await stateOf(canceled.id), await stateOf(waiting.id), await stateOf(open.id)]).toEqual([
      'question_not_found',
      'answered',
      'open',
    ]);
    answer.now = { status: 200 };
    await until(async () => {
      // One more attempt may have failed just before.
      scene.clock.now += 10 * MINUTE;
      const [{ state }] = await select(
        `select d.state from deliveries d join questions q on q.answer_event_id = d.event_id
         and q.destination_id = d.destination_id where q.id = '${waiting.id}'`,
      );
      return state === 'delivered';
    });
    await scene.change(({ store }) => store.questions.endDelivered(new Date(scene.clock.now).toISOString()));
    await scene.change(clear);
    expect([await stateOf(waiting.id), await stateOf(open.id)]).toEqual(['question_not_found', 'open']);
  });

  test('with all that names its contact, if that is forgotten', async () => {
    answer.now = { status: 503 };
    const answered = await asked({ key: 'one' });
    await writes([text('Ana')]);
    await peers.callback.untilReceived(1);
    const open = await asked({ key: 'two' });
    await scene.change(async (world) =>
      forgetContact(world, OPERATOR, null, CONTACT, await namesOf(world, CONTACT)),
    );
    answer.now = { status: 200 };
    expect([await stateOf(answered.id), await stateOf(open.id)]).toEqual([
      'question_not_found',
      'question_not_found',
    ]);
    for (const table of ['questions', 'question_contacts', 'idempotency_keys', 'messages', 'sent_bodies'])
      expect([table, JSON.stringify(await select(`select * from ${table}`)).includes(CONTACT)]).toEqual([
        table,
        false,
      ]);
    // Nothing that is sent under the same key asks again.
    expect((await ask({ key: 'two' })).status).toBe(504);
    expect(await select(`select * from deliveries where state = 'pending'`)).toEqual([]);
    await line.wrote(CONTACT, 0);
    await received(1);
    expect(peers.callback.received.length).toBe(1);
  });

  test('with its line', async () => {
    const other = await scene.line();
    await other.wrote(CONTACT, 1);
    answer.now = { status: 503 };
    await asked({}, other);
    await writes([text('Ana')], other);
    await peers.callback.untilReceived(1);
    await asked({}, other);
    await scene.change(async (world) => {
      const row = await world.store.lines.find(other.id);
      if (row) await removeLine(world, OPERATOR, row, false);
    });
    expect((await ask({}, other)).status).toBe(401);
    for (const table of ['questions', 'question_contacts', 'idempotency_keys'])
      expect(await storedOf(table, other.id)).toEqual([]);
    const destinations = await storedOf('destinations', other.id);
    expect(destinations.map(({ removed_at, url }) => [removed_at !== null, url])).toEqual([[true, '']]);
    const states = await select(`select state from deliveries where destination_id = ${destinations[0].id}`);
    expect(states).toEqual([{ state: 'canceled' }]);
  });

  test('not with the token that asked it', async () => {
    const token = await scene.token(line.id, null);
    const { id } = await asked({}, { ...line, token });
    await scene.change(async (world) => {
      const tokens = await world.store.tokens.ofLine(line.id);
      const one = tokens.find(({ last_four }) => token.endsWith(last_four));
      await revokeToken(world, OPERATOR, one?.id ?? 0);
    });
    expect((await ask({}, { ...line, token })).status).toBe(401);
    await writes([text('Ana')]);
    const [got] = await peers.callback.untilReceived(1);
    expect(got?.headers['x-gateway-answer-to']).toBe(id);
  });

  test('if all that its token registered is removed', async () => {
    const token = await scene.token(line.id, null);
    const { id } = await asked({}, { ...line, token });
    const other = await asked({ contact: '16505550777', message: buttons('yes') });
    const left = await scene.change(async (world) => {
      const tokens = await world.store.tokens.ofLine(line.id);
      const one = tokens.find(({ last_four }) => token.endsWith(last_four));
      if (!one) throw new Error('The token is gone');
      const registered = async () => (await registrationsOf(world, [one]))(one);
      const [first] = (await registered()).questions;
      await removeRegistrations(world, OPERATOR, await registered());
      return [first?.id, countOf(await registered())];
    });
    expect(left).toEqual([id, 0]);
    expect([await stateOf(id), await stateOf(other.id)]).toEqual(['canceled', 'open']);
    await writes([text('Ana')]);
    await received(1);
    expect(peers.callback.received).toEqual([]);
  });

  test('and is not answered again by what is resent; a late answer stays one', async () => {
    const first = await asked();
    await writes([text('Ana')]);
    await writes([text('Eva', first.message_id)]);
    await peers.callback.untilReceived(1);
    await received(1);
    const everything = { states: ['delivered', 'dead'] as ('delivered' | 'dead')[] };
    await until(async () =>
      (await select('select state from deliveries')).every(({ state }) => state !== 'pending'),
    );
    peers.receiver.received.length = 0;
    const { count } = await scene.change((world) => replay(world, { ...everything, lineId: line.id }));
    await peers.receiver.untilReceived(count);
    expect(
      peers.receiver.received
        .filter(({ body }) => body.includes('Eva'))
        .map(({ headers }) => headers['x-gateway-late-answer-to']),
    ).toEqual([first.id]);
    expect(messagesIn(peers.receiver).map((one) => one.text.body)).not.toContain('Ana');
    expect(peers.callback.received).toHaveLength(1);
  });
});
