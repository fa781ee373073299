import { type DATABASES } from '../../support/databases';
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
import { notification, notify, type TestGateway } from '../../support/test-gateway';

export const OTHER = '16505559876';

export const buttons = (...ids: string[]): object => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Does Tuesday suit you?' },
    action: { buttons: ids.map((id) => ({ type: 'reply', reply: { id, title: id } })) },
  },
});
export const TEXT = { type: 'text', text: { body: 'What is your name?' } };

/** As the platform tells the names of a contact. */
export const person = (waId: string | undefined, userId?: string): object => ({
  profile: { name: 'Ana' },
  ...(waId && { wa_id: waId }),
  ...(userId && { user_id: userId }),
});

/**
 * A gateway with a line of its own for each test. Messages of the line go to `receiver`, answers to `callback`.
 * @param env settings of the gateway
 */
export function questionsOn(createUrl: (typeof DATABASES)[number]['createUrl'], env = {}) {
  // Callback URLs obey the rules for what a token names.
  const scene = sceneOf(createUrl, { GATEWAY_ALLOW_FOR_TOKENS: 'on', GATEWAY_PAIR_LIMIT: '1000', ...env });
  const line = freshLineOf(scene);
  const peers = {} as { receiver: HttpPeer; callback: HttpPeer };
  /** What the callback URL answers. */
  const answer: { now: Answer | Promise<Answer> } = { now: {} };
  let wamids = 0;

  beforeAll(async () => {
    peers.receiver = await startPeer();
    peers.callback = await startPeer(() => answer.now);
    scene.upstream.answers.messages = ({ body }) => {
      const { to } = JSON.parse(body) as { to: string };
      return { body: { contacts: [{ input: to, wa_id: to }], messages: [{ id: `wamid.q${++wamids}` }] } };
    };
  });
  beforeEach(async () => {
    answer.now = { status: 200 };
    await line.wrote(CONTACT, 1);
    await addDestination(line);
    peers.receiver.received.length = 0;
    peers.callback.received.length = 0;
  });
  afterAll(() => Promise.all([peers.receiver.close(), peers.callback.close()]));

  const request = (
    method: string,
    path: string,
    of: TestLine = line,
    body?: object,
    gateway: TestGateway = scene.gateway,
  ): Promise<Reply> =>
    call(`${gateway.url}/v22.0/${of.phoneNumberId}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${of.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  /** Members that are undefined are left out. */
  const ask = (body: object = {}, of?: TestLine, gateway?: TestGateway): Promise<Reply> =>
    request(
      'POST',
      '/questions',
      of,
      {
        contact: CONTACT,
        message: TEXT,
        accepts: ['text', 'button'],
        expires_in: 3600,
        callback_url: `${peers.callback.url}/answers/1`,
        ...body,
      },
      gateway,
    );
  async function asked(...given: Parameters<typeof ask>): Promise<Json> {
    const reply = await ask(...given);
    expect([reply.status, reply.text]).toEqual([201, reply.text]);
    return reply.body;
  }
  const stateOf = async (id: string, of?: TestLine): Promise<string> => {
    const { body } = await request('GET', `/questions/${id}`, of);
    return body.state ?? body.error_code;
  };
  async function addDestination(of: TestLine, more: object = {}): Promise<void> {
    const added = await request('POST', '/destinations', of, {
      url: `${peers.receiver.url}/hook`,
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
  /** The contact writes, all in one notification. */
  async function writes(
    messages: object[],
    of: TestLine = line,
    contacts: object[] = [person(CONTACT)],
    gateway: TestGateway = scene.gateway,
  ): Promise<void> {
    const told = notification({ contacts, messages }, of.phoneNumberId);
    expect(await notify(gateway, told)).toBe(200);
  }
  /** A last message that answers nothing shows that all before it was delivered. @returns those before it */
  async function received(count: number): Promise<Json[]> {
    await writes([message({ type: 'text', text: { body: 'the end' } }, OTHER)], line, [person(OTHER)]);
    await peers.receiver.untilReceived(count + 1);
    await until(() => messagesIn(peers.receiver).some((one) => one.text?.body === 'the end'));
    const messages = messagesIn(peers.receiver).filter((one) => one.text?.body !== 'the end');
    expect(messages).toHaveLength(count);
    return messages;
  }

  /** The late answers among what `received` has returned; undefined for all else. */
  const lateAnswers = () =>
    peers.receiver.received
      .filter(({ body }) => !body.includes('"the end"'))
      .map(({ headers }) => headers['x-gateway-late-answer-to']);

  return {
    ...{ scene, line, peers, answer },
    ...{ request, ask, asked, stateOf, addDestination },
    ...{ message, text, tap, writes, received, lateAnswers },
  };
}

export type Questions = ReturnType<typeof questionsOn>;

export const messagesIn = (peer: HttpPeer): Json[] =>
  peer.received.flatMap(({ body }) => JSON.parse(body).entry[0].changes[0].value.messages);
