import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { type Json } from '../../support/scene';
import { startTestGateway, type TestGateway } from '../../support/test-gateway';
import { messagesIn, person, questionsOn } from './support';

/** As often each race is run. */
const ROUNDS = 10;

describe.each(DATABASES.filter(({ name }) => name === 'PostgreSQL'))(
  'questions through two gateways on one $name',
  ({ createUrl }) => {
    const { scene, line, peers, ask, asked, request, stateOf, message, text, writes } =
      questionsOn(createUrl);
    let second: TestGateway;
    beforeAll(async () => {
      second = await startTestGateway(scene.gateway.env, () => scene.clock.now);
    });
    afterAll(() => second.stop());
    beforeEach(() => second.refresh());

    const answeredTo = () => peers.callback.received.map(({ headers }) => headers['x-gateway-answer-to']);
    const textFrom = (contact: string, body: string) => message({ type: 'text', text: { body } }, contact);
    /** What each contact wrote came to one place, once. */
    const allArrived = async (count: number) => {
      await until(() => peers.callback.received.length + peers.receiver.received.length >= count);
      const texts = [...messagesIn(peers.callback), ...messagesIn(peers.receiver)].map(
        (one) => one.text.body,
      );
      expect(texts.toSorted()).toEqual([...new Set(texts)].toSorted());
      expect(texts).toHaveLength(count);
    };
    const contacts = Array.from({ length: ROUNDS }, (_, round) => `1650555000${round}`);

    test('an answer that comes to the other process goes to the callback URL', async () => {
      const { id } = await asked();
      await writes([text('Ana')], line, undefined, second);
      await peers.callback.untilReceived(1);
      expect(answeredTo()).toEqual([id]);
      const next = await asked({}, line, second);
      await writes([text('Eva')]);
      await peers.callback.untilReceived(2);
      expect(answeredTo()).toEqual([id, next.id]);
      expect(peers.receiver.received).toEqual([]);
    });

    test('of two who ask a contact at the same time one is refused', async () => {
      for (const contact of contacts) {
        await line.wrote(contact, 1);
        const replies = await Promise.all([ask({ contact }), ask({ contact }, line, second)]);
        expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409]);
      }
      expect(line.sent()).toHaveLength(ROUNDS);
    });

    test('the same key asks once', async () => {
      for (const contact of contacts) {
        await line.wrote(contact, 1);
        const body = { contact, key: contact };
        const replies = await Promise.all([ask(body), ask(body, line, second)]);
        const ids = replies.flatMap(({ status, body: { id } }) => (status === 201 ? [id] : []));
        expect(new Set(ids).size).toBe(1);
      }
      expect(line.sent()).toHaveLength(ROUNDS);
    });

    test('of two questions that replace at the same time one is left', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await asked({ replaces: true });
        const replies = await Promise.all([ask({ replaces: true }), ask({ replaces: true }, line, second)]);
        const ids = replies.flatMap(({ status, body: { id } }) => (status === 201 ? [id] : []));
        const states = await Promise.all(ids.map((id) => stateOf(id)));
        expect(states.filter((state) => state === 'open')).toHaveLength(1);
      }
      await writes([text('Ana')]);
      await writes([text('Eva')]);
      await allArrived(2);
      expect(peers.callback.received).toHaveLength(1);
    });

    test('of two messages that come at the same time one is the answer', async () => {
      for (const contact of contacts) {
        await line.wrote(contact, 1);
        await asked({ contact });
      }
      await until(() => peers.receiver.received.length >= ROUNDS);
      peers.receiver.received.length = 0;
      await Promise.all(
        contacts.flatMap((contact) => [
          writes([textFrom(contact, `${contact} one`)], line, [person(contact)]),
          writes([textFrom(contact, `${contact} two`)], line, [person(contact)], second),
        ]),
      );
      await allArrived(2 * ROUNDS);
      expect(new Set(answeredTo()).size).toBe(ROUNDS);
      expect(peers.callback.received).toHaveLength(ROUNDS);
    });

    test('a question that is answered while it is canceled is one of the two', async () => {
      const ids: Json[] = [];
      for (const contact of contacts) {
        await line.wrote(contact, 1);
        ids.push((await asked({ contact })).id);
      }
      await until(() => peers.receiver.received.length >= ROUNDS);
      peers.receiver.received.length = 0;
      await Promise.all(
        contacts.flatMap((contact, round) => [
          writes([textFrom(contact, contact)], line, [person(contact)]),
          request('DELETE', `/questions/${ids[round]}`, line, undefined, second),
        ]),
      );
      await allArrived(ROUNDS);
      const states = await Promise.all(ids.map((id) => stateOf(id)));
      expect(new Set(answeredTo())).toEqual(new Set(ids.filter((_, round) => states[round] === 'answered')));
      expect(states.filter((state) => state !== 'answered')).toEqual(
        peers.receiver.received.map(() => 'canceled'),
      );
    });
  },
);
