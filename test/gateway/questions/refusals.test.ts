import { UNKNOWN_OUTCOME } from '../../../gateway/store/tables/idempotency-keys';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { CONTACT, expectRefusal, upstreamError, type Json } from '../../support/scene';
import { buttons, OTHER, questionsOn, TEXT } from './support';

const YEAR = 366 * 24 * 3600;

describe.each(DATABASES)('a question that is refused ($name)', ({ createUrl }) => {
  const { scene, line, peers, ...questions } = questionsOn(createUrl);
  const { ask, asked, request, stateOf, text, writes, received } = questions;

  const kept = async () =>
    (await rows(scene.databaseUrl, 'select line_id from questions')).map((row) => (row as Json).line_id);

  test.each<[string, object, string]>([
    ['a contact that is no recipient', { contact: 'Ana' }, 'contact'],
    ['a group', { contact: '120363000000000000@g.us' }, 'contact'],
    ['no contact', { contact: undefined }, 'contact'],
    ['neither message nor message_id', { message: undefined }, 'message'],
    ['both of them', { message_id: 'wamid.1' }, 'message'],
    ['a message without its text', { message: { type: 'text' } }, 'message.text'],
    ['a message to a group', { message: { ...TEXT, recipient_type: 'group' } }, 'message'],
    ['a mark as read', { message: { status: 'read', message_id: 'wamid.1' } }, 'message'],
    ['a message that was not sent', { message: undefined, message_id: 'wamid.none' }, 'message_id'],
    ['no kind of answer', { accepts: [] }, 'accepts'],
    ['a kind twice', { accepts: ['text', 'text'] }, 'accepts'],
    ['a kind that there is not', { accepts: ['smoke'] }, 'accepts[0]'],
    ['no choices', { choices: [] }, 'choices'],
    ['an empty choice', { choices: [''] }, 'choices[0]'],
    ['less than a minute', { expires_in: 59 }, 'expires_in'],
    ['more than a year', { expires_in: YEAR + 1 }, 'expires_in'],
    ['no number of seconds', { expires_in: '60' }, 'expires_in'],
    ['a callback URL that is none', { callback_url: 'answers' }, 'callback_url'],
    ['a callback URL of another kind', { callback_url: 'ftp://example.com/' }, 'callback_url'],
    ['a callback URL inside', { callback_url: 'http://10.0.0.1/answers' }, 'callback_url'],
    ['an empty key', { key: '' }, 'key'],
    ['a key that is too long', { key: 'k'.repeat(256) }, 'key'],
    ['a key that is no text', { key: 1 }, 'key'],
    ['an unknown field', { timeout: 60 }, 'timeout'],
  ])('%s', async (_, body, path) => {
    const reply = await ask(body);
    expectRefusal(reply, 400, 'invalid_payload', reply.body.error?.code);
    expect(reply.body.error.error_data.fields.map((field: Json) => field.path)).toContain(path);
    expect(line.sent()).toEqual([]);
    expect(await kept()).not.toContain(line.id);
  });

  test('by what refuses a message, and the contact can be asked at once', async () => {
    expectRefusal(await ask({ contact: OTHER }), 400, 'outside_24h_window', 131047);
    await request('POST', '/opt-outs', line, { contact: CONTACT });
    expectRefusal(await ask(), 403, 'contact_opted_out', 131050);
    await request('DELETE', `/opt-outs/${CONTACT}`, line);
    await line.rated('RED');
    expectRefusal(await ask(), 403, 'line_quality_low', 131048);
    scene.clock.now += 61_000;
    await line.rated('GREEN');
    const accepted = scene.upstream.answers.messages;
    scene.upstream.answers.messages = () => upstreamError(400, 131026);
    expect([(await ask()).body.error.code, (await ask({ key: 'k' })).body.error.code]).toEqual([
      131026, 131026,
    ]);
    scene.upstream.answers.messages = accepted;
    expect(await kept()).not.toContain(line.id);
    const { id } = await asked({ key: 'k' });
    expectRefusal(await ask(), 409, 'question_open', 100);
    await request('DELETE', `/questions/${id}`);
    await asked();
  });

  test('a message that was sent to another contact', async () => {
    await line.wrote(OTHER, 1);
    const { body } = await line.send({ messaging_product: 'whatsapp', to: OTHER, ...TEXT });
    const given = { message: undefined, message_id: body.chat_message_id };
    expect((await ask(given)).body.error.error_data.fields).toMatchObject([{ path: 'message_id' }]);
    const { contacts, gateway } = await asked({ ...given, contact: OTHER });
    expect([contacts, gateway]).toMatchObject([undefined, { line: line.id }]);
  });

  test('by id, if there is none or it is of another line', async () => {
    const { id } = await asked();
    const other = await scene.line();
    for (const [of, path] of [
      [line, '/questions/qst_none'],
      [other, `/questions/${id}`],
    ] as const)
      for (const method of ['GET', 'DELETE'])
        expectRefusal(await request(method, path, of), 404, 'question_not_found', 100);
    expect(await stateOf(id)).toBe('open');
  });

  test('by the scopes of its token', async () => {
    const { id } = await asked();
    const [reads, sends] = await Promise.all(
      (['read', 'send'] as const).map(async (scope) => ({
        ...line,
        token: await scene.token(line.id, null, { scopes: [scope] }),
      })),
    );
    for (const reply of [
      await ask({}, reads),
      await request('DELETE', `/questions/${id}`, reads),
      await request('GET', `/questions/${id}`, sends),
    ])
      expectRefusal(reply, 403, 'scope_missing', 10);
    expect((await request('GET', `/questions/${id}`, reads)).body.state).toBe('open');
    expect((await request('DELETE', `/questions/${id}`, sends)).status).toBe(200);
    expect(await stateOf(id)).toBe('canceled');
  });

  describe('with a key', () => {
    test('is asked once, and answered the same as long as the key is kept', async () => {
      const first = await ask({ key: 'name' });
      const again = await ask({ key: 'name' });
      expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
      expect([again.status, again.body]).toEqual([201, first.body]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      await writes([text('Ana')]);
      await peers.callback.untilReceived(1);
      expect((await ask({ key: 'name' })).body).toEqual(first.body);
      expect(line.sent()).toHaveLength(1);
      expectRefusal(await ask({ key: 'name', expires_in: 60 }), 409, 'idempotency_conflict', 100);
      // A key of a send is another one, though it is the same word.
      const sent = await line.send(
        { messaging_product: 'whatsapp', to: CONTACT, ...TEXT },
        { 'content-type': 'application/json', 'idempotency-key': 'name' },
      );
      expect(sent.status).toBe(200);
      // The secret is only where it is sealed.
      expect(JSON.stringify(await rows(scene.databaseUrl, 'select * from idempotency_keys'))).not.toContain(
        first.body.secret,
      );
    });

    test('is asked once of many at the same time', async () => {
      const accepted = scene.upstream.answers.messages;
      const held = Promise.withResolvers<void>();
      scene.upstream.answers.messages = async (...given) => {
        await held.promise;
        return accepted(...given);
      };
      const first = ask({ key: 'one', message: buttons('yes') });
      await until(() => line.sent().length === 1);
      expectRefusal(await ask({ key: 'one', message: buttons('yes') }), 409, 'idempotency_in_progress', 100);
      expectRefusal(await ask({ key: 'two' }), 409, 'question_open', 100);
      expectRefusal(await ask({ replaces: true }), 409, 'question_open', 100);
      held.resolve();
      expect((await first).status).toBe(201);
      scene.upstream.answers.messages = accepted;
      expect(line.sent()).toHaveLength(1);
      // What was refused has freed its key.
      expect((await ask({ key: 'two', replaces: true })).body.error_code).toBe(undefined);
    });

    test('of which nobody knows whether it was sent keeps its key, and the contact can be asked', async () => {
      const accepted = scene.upstream.answers.messages;
      scene.upstream.answers.messages = (_, response) => {
        response.destroy();
        return 'handled';
      };
      const unknown = await ask({ key: 'lost' });
      scene.upstream.answers.messages = accepted;
      expect([unknown.status, (await ask({ key: 'lost' })).status]).toEqual([504, 504]);
      expect(line.sent()).toHaveLength(1);
      await asked();
      const keys = (await rows(scene.databaseUrl, 'select * from idempotency_keys')) as Json[];
      expect(keys.filter(({ line_id: of }) => of === line.id)).toMatchObject([{ answer: UNKNOWN_OUTCOME }]);
    });

    test('of which nobody knows whether it was sent releases an answer only if the callback URL has not got it', async () => {
      const accepted = scene.upstream.answers.messages;
      const held = Promise.withResolvers<void>();
      scene.upstream.answers.messages = async (_, response) => {
        await held.promise;
        response.destroy();
        return 'handled' as const;
      };
      const unknown = ask();
      await until(() => line.sent().length === 1);
      scene.upstream.answers.messages = accepted;
      await writes([text('Ana')]);
      await peers.callback.untilReceived(1);
      await until(async () => {
        const states = await rows(
          scene.databaseUrl,
          `select d.state from deliveries d join questions q on q.answer_event_id = d.event_id
           and q.destination_id = d.destination_id where q.line_id = ${line.id}`,
        );
        return (states as Json[]).every(({ state }) => state === 'delivered');
      });
      held.resolve();
      expect((await unknown).status).toBe(504);
      expect(await received(0)).toEqual([]);
    });
  });
});
