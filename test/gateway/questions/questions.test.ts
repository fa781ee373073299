import { createHmac } from 'node:crypto';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type Answer, type HttpPeer } from '../../support/http-peer';
import {
  call,
  CONTACT,
  freshLineOf,
  sceneOf,
  type Json,
  type Reply,
  type TestLine,
} from '../../support/scene';
import { notification, notify } from '../../support/test-gateway';

const OTHER = '16505559876';
const HOUR = 3_600_000;

const buttons = (...ids: string[]): object => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Does Tuesday suit you?' },
    action: { buttons: ids.map((id) => ({ type: 'reply', reply: { id, title: id } })) },
  },
});
const TEXT = { type: 'text', text: { body: 'What is your name?' } };

describe.each(DATABASES)('questions ($name)', ({ createUrl }) => {
  // Callback URLs obey the rules for what a token names.
  const scene = sceneOf(createUrl, { GATEWAY_ALLOW_FOR_TOKENS: 'on', GATEWAY_PAIR_LIMIT: '1000' });
  const line = freshLineOf(scene);
  let receiver: HttpPeer;
  let callback: HttpPeer;
  /** What the callback URL answers. */
  let callbackAnswer: Answer;
  let wamids = 0;

  beforeAll(async () => {
    receiver = await startPeer();
    callback = await startPeer(() => callbackAnswer);
    scene.upstream.answers.messages = ({ body }) => {
      const { to } = JSON.parse(body) as { to: string };
      return { body: { contacts: [{ input: to, wa_id: to }], messages: [{ id: `wamid.q${++wamids}` }] } };
    };
  });
  beforeEach(async () => {
    callbackAnswer = { status: 200 };
    await line.wrote(CONTACT, 1);
    await addDestination(line);
    receiver.received.length = 0;
    callback.received.length = 0;
  });
  afterAll(() => Promise.all([receiver.close(), callback.close()]));

  const ask = (body: object, of: TestLine = line): Promise<Reply> =>
    request('POST', '/questions', of, {
      contact: CONTACT,
      message: TEXT,
      accepts: ['text', 'button'],
      expires_in: 3600,
      callback_url: `${callback.url}/answers/1`,
      ...body,
    });
  const request = (method: string, path: string, of: TestLine = line, body?: object): Promise<Reply> =>
    call(`${scene.gateway.url}/v22.0/${of.phoneNumberId}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${of.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const asked = async (body: object = {}, of: TestLine = line): Promise<Json> => {
    const reply = await ask(body, of);
    expect([reply.status, reply.text]).toEqual([201, reply.text]);
    return reply.body;
  };
  const stateOf = async (id: string): Promise<string> =>
    (await request('GET', `/questions/${id}`)).body.state;
  async function addDestination(of: TestLine, more: object = {}): Promise<void> {
    const added = await request('POST', '/destinations', of, {
      url: `${receiver.url}/hook`,
      events: ['messages'],
      ...more,
    });
    expect(added.status).toBe(201);
  }

  const message = (more: object, from = CONTACT, id = `wamid.a${++wamids}`): object => ({
    from,
    id,
    timestamp: String(Math.floor(scene.clock.now / 1000)),
    ...more,
  });
  const text = (body: string, context?: string): object =>
    message({ type: 'text', text: { body }, ...(context && { context: { from: '1555', id: context } }) });
  const tap = (id: string, context: string): object =>
    message({
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id, title: id } },
      context: { from: '1555', id: context },
    });
  const envelope = (messages: object[], of: TestLine, contacts?: object[]) =>
    notification(
      {
        messaging_product: 'whatsapp',
        metadata: { display_phone_number: '15550783881', phone_number_id: of.phoneNumberId },
        contacts: contacts ?? [{ profile: { name: 'Ana' }, wa_id: CONTACT }],
        messages,
      },
      of.phoneNumberId,
    );
  const writes = async (messages: object[], of: TestLine = line, contacts?: object[]): Promise<void> =>
    expect(await notify(scene.gateway, envelope(messages, of, contacts))).toBe(200);
  const messagesIn = (peer: HttpPeer): Json[] =>
    peer.received.map(({ body }) => JSON.parse(body).entry[0].changes[0].value.messages[0]);
  /** A last message that answers nothing shows that all before it was delivered. */
  async function received(count: number): Promise<Json[]> {
    await writes([message({ type: 'text', text: { body: 'the end' } }, OTHER)], line, [
      { profile: { name: 'Ben' }, wa_id: OTHER },
    ]);
    await receiver.untilReceived(count + 1);
    await until(() => messagesIn(receiver).some((one) => one.text?.body === 'the end'));
    expect(receiver.received).toHaveLength(count + 1);
    return messagesIn(receiver).filter((one) => one.text?.body !== 'the end');
  }

  test('the first fitting message goes to the callback URL alone, signed with the secret of the question', async () => {
    const { id, message_id, expires_at, secret } = await asked();
    expect(id).toMatch(/^qst_[\w-]{22}$/);
    expect(secret).toMatch(/^whsec_/);
    expect(message_id).toMatch(/^wamid\.q/);
    expect(expires_at).toBe(new Date(scene.clock.now + HOUR).toISOString());
    expect(JSON.parse(line.sent()[0] ?? '')).toEqual({ ...TEXT, messaging_product: 'whatsapp', to: CONTACT });

    await writes([text('Ana')]);
    await writes([text('da Silva')]);
    const [answer] = await callback.untilReceived(1);
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
    expect(messagesIn(callback)).toMatchObject([{ text: { body: 'Ana' } }]);
    expect(await received(1)).toMatchObject([{ text: { body: 'da Silva' } }]);
    expect(callback.received).toHaveLength(1);

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
    await callback.untilReceived(2);
    expect(callback.received.map(({ headers }) => headers['x-gateway-answer-to'])).toEqual([
      first.id,
      second.id,
    ]);
    expect(messagesIn(callback).map(({ context }) => context.id)).toEqual([
      first.message_id,
      second.message_id,
    ]);
    expect(await received(1)).toMatchObject([{ context: { id: first.message_id } }]);
    expect(receiver.received[0]?.headers['x-gateway-late-answer-to']).toBe(first.id);
    expect(receiver.received[1]?.headers).not.toHaveProperty('x-gateway-late-answer-to');
  });

  test('a second question of a contact is refused, or replaces the first', async () => {
    const first = await asked();
    expect((await ask({})).body.error_code).toBe('question_open');
    const second = await asked({ replaces: true });
    expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(['replaced', 'open']);
    await writes([text('Ana')]);
    const [answer] = await callback.untilReceived(1);
    expect(answer?.headers['x-gateway-answer-to']).toBe(second.id);
  });

  test('an answer whose callback URL is gone goes to the destinations, marked as late', async () => {
    const { id } = await asked();
    callbackAnswer = { status: 410 };
    await writes([text('Ana')]);
    const [released] = await receiver.untilReceived(1);
    expect(released?.headers['x-gateway-late-answer-to']).toBe(id);
    expect(callback.received).toHaveLength(1);
  });

  test('of two answers in one notification the first answers, and the other is forwarded', async () => {
    await asked();
    await writes([text('one'), text('two')]);
    await callback.untilReceived(1);
    expect(messagesIn(callback)).toMatchObject([{ text: { body: 'one' } }]);
    expect(await received(1)).toMatchObject([{ text: { body: 'two' } }]);
  });
});
