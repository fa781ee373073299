import { createHmac } from 'node:crypto';
import { HOUR } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { rows, write } from '../../support/rows';
import { CONTACT, type Json } from '../../support/scene';
import { buttons, messagesIn, person, questionsOn, TEXT } from './support';

describe.each(DATABASES)('questions ($name)', ({ createUrl }) => {
  const { scene, line, peers, answer: callbackAnswer, ...questions } = questionsOn(createUrl);
  const { request, ask, asked, stateOf, addDestination, message, text, tap, writes, received } = questions;

  test('the first fitting message goes to the callback URL alone, signed with the secret of the question', async () => {
    const { id, message_id, expires_at, secret, ...more } = await asked();
    expect(more).toEqual({
      success: true,
      contacts: [{ input: CONTACT, wa_id: CONTACT }],
      gateway: { line: line.id, quality: 'UNKNOWN', request_id: expect.any(String) },
    });
    expect(id).toMatch(/^qst_[\w-]{22}$/);
    expect(secret).toMatch(/^whsec_/);
    expect(message_id).toMatch(/^wamid\.q/);
    expect(expires_at).toBe(new Date(scene.clock.now + HOUR).toISOString());
    expect(JSON.parse(line.sent()[0] ?? '')).toEqual({ ...TEXT, messaging_product: 'whatsapp', to: CONTACT });

    await writes([text('Ana')]);
    await writes([text('da Silva')]);
    const [answer] = await peers.callback.untilReceived(1);
    expect(answer?.url).toBe('/answers/1');
    expect(answer?.headers).toMatchObject({
      'x-gateway-answer-to': id,
      'x-gateway-line': line.phoneNumberId,
      'x-gateway-attempt': '1',
    });
    const signature = createHmac('sha256', secret)
      .update(answer?.body ?? '')
      .digest('hex');
    expect(answer?.headers['x-hub-signature-256']).toBe(`sha256=${signature}`);
    expect(messagesIn(peers.callback)).toMatchObject([{ text: { body: 'Ana' } }]);
    expect(await received(1)).toMatchObject([{ text: { body: 'da Silva' } }]);
    expect(peers.callback.received).toHaveLength(1);

    const { body } = await request('GET', `/questions/${id}`);
    expect(body).toEqual({
      success: true,
      id,
      state: 'answered',
      contact: CONTACT,
      message_id,
      accepts: ['text', 'button'],
      choices: null,
      also_forward: false,
      created_at: new Date(scene.clock.now).toISOString(),
      expires_at,
      ended_at: new Date(scene.clock.now).toISOString(),
      answer: { event_id: answer?.headers['webhook-id'], message_id: expect.stringMatching(/^wamid\.a/) },
    });
  });

  test('a tap on a button of an earlier question never answers a later one: it is a late answer', async () => {
    const first = await asked({ message: buttons('yes', 'no'), accepts: ['button'] });
    await writes([tap('yes', first.message_id)]);
    const second = await asked({ message: buttons('yes', 'no'), accepts: ['button'] });
    await writes([tap('no', first.message_id)]);
    await writes([tap('no', second.message_id)]);
    await peers.callback.untilReceived(2);
    expect(peers.callback.received.map(({ headers }) => headers['x-gateway-answer-to'])).toEqual([
      first.id,
      second.id,
    ]);
    expect(messagesIn(peers.callback).map(({ context }) => context.id)).toEqual([
      first.message_id,
      second.message_id,
    ]);
    expect(await received(1)).toMatchObject([{ context: { id: first.message_id } }]);
    expect(peers.receiver.received[0]?.headers['x-gateway-late-answer-to']).toBe(first.id);
    expect(peers.receiver.received[1]?.headers).not.toHaveProperty('x-gateway-late-answer-to');
  });

  describe('whose message is being sent is answered', () => {
    /** As of a message that was sent by other means. */
    const recorded = (wamid: string) =>
      write(
        scene.databaseUrl,
        `insert into messages (line_id, wamid, contact, accepted_at)
         values (${line.id}, '${wamid}', '${CONTACT}', '${new Date(scene.clock.now).toISOString()}')`,
      );
    /** Asks by `wamid.asks`, which the platform accepts when it is released. */
    async function asking(body: object) {
      const { answers } = scene.upstream;
      const accepted = answers.messages;
      const held = Promise.withResolvers<void>();
      answers.messages = async () => {
        await held.promise;
        return { body: { messages: [{ id: 'wamid.asks' }] } };
      };
      const asks = ask(body);
      await until(() => line.sent().length === 1);
      answers.messages = accepted;
      const [row] = await rows(scene.databaseUrl, `select id from questions where line_id = ${line.id}`);
      const release = () => {
        held.resolve();
        return asks;
      };
      return { id: row?.id, release };
    }

    test('by a tap on one of its choices, also before the message is recorded', async () => {
      await recorded('wamid.before');
      const { id, release } = await asking({ message: buttons('yes'), accepts: ['button'] });
      await writes([tap('yes', 'wamid.before')]);
      // Of messages that others sent nothing is recorded.
      await writes([tap('menu', 'wamid.other')]);
      await writes([tap('yes', 'wamid.asks')]);
      const [answer] = await peers.callback.untilReceived(1);
      expect(answer?.headers['x-gateway-answer-to']).toBe(id);
      expect((await release()).body.id).toBe(id);
      expect(messagesIn(peers.callback)).toMatchObject([{ context: { id: 'wamid.asks' } }]);
      expect(await received(2)).toMatchObject([
        { context: { id: 'wamid.before' } },
        { context: { id: 'wamid.other' } },
      ]);
    });

    test('without choices, by a tap on its own message as soon as that is recorded', async () => {
      const { id, release } = await asking({ accepts: ['text', 'button'] });
      await writes([tap('menu', 'wamid.other')]);
      // Sent while the question was being sent.
      await recorded('wamid.later');
      await writes([tap('menu', 'wamid.later')]);
      expect(await received(2)).toMatchObject([
        { context: { id: 'wamid.other' } },
        { context: { id: 'wamid.later' } },
      ]);
      // The message is recorded, and the question does not become open.
      await write(
        scene.databaseUrl,
        NEVER_OPEN[scene.databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'postgres'],
      );
      expect((await release()).status).toBe(500);
      await writes([tap('menu', 'wamid.later')]);
      await writes([tap('yes', 'wamid.asks')]);
      const [answer] = await peers.callback.untilReceived(1);
      expect(answer?.headers['x-gateway-answer-to']).toBe(id);
      expect(messagesIn(peers.callback)).toMatchObject([{ context: { id: 'wamid.asks' } }]);
    });

    afterEach(() =>
      write(
        scene.databaseUrl,
        `drop trigger if exists never_open${scene.databaseUrl.startsWith('sqlite:') ? '' : ' on questions'}`,
      ),
    );
    const NEVER_OPEN = {
      sqlite: `create trigger never_open before update on questions when new.state = 'open'
        begin select raise(abort, 'never'); end`,
      postgres: `create function never() returns trigger language plpgsql as
        'begin raise exception ''never''; end';
        create trigger never_open before update on questions for each row when (new.state = 'open')
        execute function never()`,
    };
  });

  test('a second question of a contact is refused, or replaces the first', async () => {
    const first = await asked();
    expect((await ask({})).body.error_code).toBe('question_open');
    const second = await asked({ replaces: true });
    expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(['replaced', 'open']);
    await writes([text('Ana')]);
    const [answer] = await peers.callback.untilReceived(1);
    expect(answer?.headers['x-gateway-answer-to']).toBe(second.id);
  });

  test('an answer whose callback URL is gone goes to the destinations, marked as late', async () => {
    const { id } = await asked();
    callbackAnswer.now = { status: 410 };
    await writes([text('Ana')]);
    const [released] = await peers.receiver.untilReceived(1);
    expect(released?.headers['x-gateway-late-answer-to']).toBe(id);
    expect(peers.callback.received).toHaveLength(1);
  });

  test('of two answers in one notification the first answers, and the other is forwarded', async () => {
    await asked();
    await writes([text('one'), text('two')]);
    await peers.callback.untilReceived(1);
    expect(messagesIn(peers.callback)).toMatchObject([{ text: { body: 'one' } }]);
    expect(await received(1)).toMatchObject([{ text: { body: 'two' } }]);
  });

  describe('knows its contact', () => {
    const USER_ID = 'US.13491208655302741918';
    /** What the platform answers to a send tells these names. */
    const toldNames = (names: object) => {
      const { answers } = scene.upstream;
      const before = answers.messages;
      answers.messages = () => ({
        body: { contacts: [{ input: CONTACT, ...names }], messages: [{ id: `wamid.n${Math.random()}` }] },
      });
      return () => void (answers.messages = before);
    };
    const from = (names: object, body: string) => ({
      ...(message({ type: 'text', text: { body } }) as object),
      from: undefined,
      ...names,
    });

    test('by user id, if the answer names the number as well', async () => {
      await writes([{ ...text('Hello'), from_user_id: USER_ID }], line, [person(CONTACT, USER_ID)]);
      await received(1);
      const { id, contacts } = await asked({ contact: USER_ID });
      expect(JSON.parse(line.sent()[0] ?? '')).not.toHaveProperty('recipient_type', 'group');
      expect(contacts).toHaveLength(1);
      expect((await ask({ contact: CONTACT })).body.error_code).toBe('question_open');
      await writes([from({ from: CONTACT }, 'Ana')]);
      const [answer] = await peers.callback.untilReceived(1);
      expect(answer?.headers['x-gateway-answer-to']).toBe(id);
    });

    test.each([
      ['the gateway knew before', true],
      ['the answer to the send told', false],
    ])('by number, if the answer has only the user id that %s', async (_, isKnown) => {
      if (isKnown) {
        await writes([{ ...text('Hello'), from_user_id: USER_ID }], line, [person(CONTACT, USER_ID)]);
        await received(1);
      }
      const restore = isKnown ? () => undefined : toldNames({ wa_id: CONTACT, user_id: USER_ID });
      const { id } = await asked();
      restore();
      await writes([from({ from_user_id: USER_ID }, 'Ana')], line, [person(undefined, USER_ID)]);
      const [answer] = await peers.callback.untilReceived(1);
      expect(answer?.headers['x-gateway-answer-to']).toBe(id);
    });

    test('by user id, if the gateway learned it after it had asked', async () => {
      const { id } = await asked();
      const sticker = { type: 'sticker', sticker: { id: '1', mime_type: 'image/webp' } };
      await writes([from({ ...sticker, from: CONTACT, from_user_id: USER_ID }, '')], line, [
        person(CONTACT, USER_ID),
      ]);
      await writes([from({ from_user_id: USER_ID }, 'Ana')], line, [person(undefined, USER_ID)]);
      const [answer] = await peers.callback.untilReceived(1);
      expect(answer?.headers['x-gateway-answer-to']).toBe(id);
    });

    test('by a Brazilian number with and without its ninth digit', async () => {
      const [long, short] = ['5511987654321', '551187654321'];
      await line.wrote(short, 1);
      const { id } = await asked({ contact: long });
      await writes([from({ from: short }, 'Ana')], line, [person(short)]);
      const [answer] = await peers.callback.untilReceived(1);
      expect(answer?.headers['x-gateway-answer-to']).toBe(id);
    });

    test('on each line, which has its own question', async () => {
      const other = await scene.line();
      await other.wrote(CONTACT, 1);
      const [one, two] = [await asked(), await asked({}, other)];
      await writes([text('second')], other);
      await writes([text('first')]);
      await peers.callback.untilReceived(2);
      expect(peers.callback.received.map(({ headers }) => headers['x-gateway-answer-to'])).toEqual([
        two.id,
        one.id,
      ]);
      const third = await asked({}, other);
      await writes([text('to the line without a question')]);
      expect(await received(1)).toMatchObject([{ text: { body: 'to the line without a question' } }]);
      expect(await stateOf(third.id, other)).toBe('open');
    });
  });

  test('the answer goes to the destinations as well, if the question says so', async () => {
    await asked({ also_forward: true });
    await writes([text('Ana')]);
    await peers.callback.untilReceived(1);
    expect(await received(1)).toMatchObject([{ text: { body: 'Ana' } }]);
    expect(peers.receiver.received[0]?.headers).not.toHaveProperty('x-gateway-late-answer-to');
    // An answer that is not accepted there either does not come again.
    callbackAnswer.now = { status: 410 };
    await asked({ also_forward: true });
    await writes([text('Eva')]);
    await peers.callback.untilReceived(2);
    expect(await received(2)).toMatchObject([{ text: { body: 'Ana' } }, { text: { body: 'Eva' } }]);
  });

  test('a tap with another reply id, a reaction and a sticker answer nothing', async () => {
    const { id, message_id } = await asked({ message: buttons('yes', 'no'), choices: ['yes'] });
    await writes([
      tap('no', message_id),
      message({ type: 'reaction', reaction: { message_id, emoji: '👍' } }),
      message({ type: 'sticker', sticker: { id: '1', mime_type: 'image/webp' } }),
    ]);
    expect((await received(3)).map(({ type }) => type)).toEqual(['interactive', 'reaction', 'sticker']);
    expect([await stateOf(id), peers.callback.received.length]).toEqual(['open', 0]);
  });

  describe('with a destination that takes notifications whole', () => {
    const whole = () => peers.receiver.received.filter(({ url }) => url === '/whole');
    const textsIn = () =>
      whole().map(({ body }) =>
        JSON.parse(body).entry[0].changes.flatMap(({ value }: Json) =>
          value.messages.map((one: Json) => one.text.body),
        ),
      );
    beforeEach(async () => {
      await addDestination(line, { url: `${peers.receiver.url}/whole`, mode: 'raw' });
      peers.receiver.received.length = 0;
    });

    test('the answer is no part of what goes there', async () => {
      await asked();
      await writes([text('Ana'), text('two'), text('three')]);
      await peers.callback.untilReceived(1);
      await until(() => whole().length === 2);
      expect(textsIn()).toEqual([['two'], ['three']]);
      await asked();
      await writes([text('alone')]);
      await writes([text('four'), text('five')]);
      // Without an answer a notification goes out whole.
      await until(() => whole().length >= 3);
      expect(textsIn()).toEqual([['two'], ['three'], ['four', 'five']]);
    });

    test('the answer is, if it also goes to the destinations', async () => {
      await asked({ also_forward: true });
      await writes([text('Ana'), text('two')]);
      await until(() => whole().length === 2);
      expect(textsIn()).toEqual([['Ana'], ['two']]);
    });

    test('the answer is no part of what goes there, however large the notification is', async () => {
      const large = await scene.line();
      await addDestination(large, { url: `${peers.receiver.url}/whole`, mode: 'raw' });
      await large.wrote(CONTACT, 1);
      await asked({}, large);
      await peers.receiver.untilReceived(1);
      peers.receiver.received.length = 0;
      const others = Array.from({ length: 600 }, (_, index) => `1650555${String(index).padStart(4, '0')}`);
      const one = (body: string, from: string) => message({ type: 'text', text: { body } }, from);
      await writes(
        [...others.map((contact) => one(contact, contact)), one('Ana', CONTACT)],
        large,
        [...others, CONTACT].map((contact) => person(contact)),
      );
      await peers.callback.untilReceived(1);
      await until(() => textsIn().flat().length >= others.length);
      expect(textsIn().flat().toSorted()).toEqual(others);
      expect(messagesIn(peers.callback)).toMatchObject([{ text: { body: 'Ana' } }]);
    });

    test('a late answer is marked', async () => {
      const { id, message_id } = await asked();
      await writes([text('Ana')]);
      await writes([text('again', message_id), text('two')]);
      await until(() => whole().length === 2);
      expect(whole().map(({ headers }) => headers['x-gateway-late-answer-to'])).toEqual([id, undefined]);
    });
  });

  test('a destination that waits for a pause gets the answer only if the question says so', async () => {
    const quiet = await scene.line();
    await addDestination(quiet, { quiet_seconds: 1 });
    await quiet.wrote(CONTACT, 1);
    scene.clock.now += 60_000;
    await peers.receiver.untilReceived(2);
    peers.receiver.received.length = 0;
    const first = await asked({}, quiet);
    await writes([text('Ana')], quiet);
    await asked({ also_forward: true }, quiet);
    await writes([text('Eva')], quiet);
    await writes([text('more')], quiet);
    await peers.callback.untilReceived(2);
    scene.clock.now += 60_000;
    await peers.receiver.untilReceived(1);
    expect(messagesIn(peers.receiver).map((one) => one.text.body)).toEqual(['Eva', 'more']);
    expect(await stateOf(first.id, quiet)).toBe('answered');
  });
});
