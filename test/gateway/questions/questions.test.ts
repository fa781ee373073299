import { createHmac } from 'node:crypto';
import { HOUR } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { CONTACT } from '../../support/scene';
import { buttons, messagesIn, questionsOn, TEXT } from './support';

describe.each(DATABASES)('questions ($name)', ({ createUrl }) => {
  const { scene, line, peers, answer: callbackAnswer, ...questions } = questionsOn(createUrl);
  const { request, ask, asked, stateOf, text, tap, writes, received } = questions;

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
});
