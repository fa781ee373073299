import type { INodeParameters } from 'n8n-workflow';

import { runAction, TOOL } from '../support/n8n';
import { accepted, gatewayForEach, MESSAGES, refusal, type Answer, type Received } from './support/gateway';

interface Sent {
  to: string;
  text: { body: string };
  context?: object;
  biz_opaque_callback_data?: string;
}

const gateway = gatewayForEach();
/** Says what becomes of a message, by its place, in place of accepting it. */
let instead: (place: number) => Answer | undefined;
const bodies = () => gateway.requests('POST', MESSAGES).map(({ body }) => body as Sent);
const keys = () => gateway.requests('POST', MESSAGES).map(({ headers }) => headers['idempotency-key']);
beforeEach(() => {
  instead = () => undefined;
  gateway.on('POST', MESSAGES, (request: Received) => {
    const place = bodies().length;
    return instead(place) ?? accepted(request, `wamid.${place}`);
  });
});

const LONG = Array.from({ length: 3 }, (_, index) => `${'word '.repeat(799)}${index}.`).join('\n\n');
const PARTS = LONG.split('\n\n');
const SEND = { resource: 'message', operation: 'send', to: '5511987654321', messageType: 'text' };
const send = (parameters: INodeParameters, settings: object = {}) =>
  runAction(gateway.credentials, { ...SEND, ...parameters }, [{}], settings);

test('a long text goes out as several messages, in order, and the output names them all', async () => {
  const { items, error } = await send({
    text: LONG,
    options: { splitText: true, replyTo: 'wamid.in', clientRef: 'order 1' },
  });
  expect(error).toBeUndefined();
  expect(bodies().map(({ text }) => text.body)).toEqual(PARTS);
  expect(bodies().map(({ context }) => context)).toEqual([{ message_id: 'wamid.in' }, undefined, undefined]);
  expect(bodies().map((body) => body.biz_opaque_callback_data)).toEqual(['order 1', 'order 1', 'order 1']);
  expect(new Set(keys()).size).toBe(3);
  expect(items).toHaveLength(1);
  expect(items[0].json).toMatchObject({
    messageId: 'wamid.1',
    messageIds: ['wamid.1', 'wamid.2', 'wamid.3'],
    text: LONG,
  });
});

test('a text that fits is one message, also where it would be split', async () => {
  const { items } = await send({ text: 'Hi', options: { splitText: true } });
  expect(bodies().map(({ text }) => text.body)).toEqual(['Hi']);
  expect(items[0].json.messageIds).toEqual(['wamid.1']);
});

test('without the options a text is sent as it is, and a long one is refused', async () => {
  await send({ text: '**Hi**' });
  expect(bodies().map(({ text }) => text.body)).toEqual(['**Hi**']);
  const { error } = await send({ text: LONG });
  expect(error?.message).toMatch(/^Text is \d+ characters long, \d+ more than the 4096 allowed$/);
  expect(bodies()).toHaveLength(1);
});

test('a tool converts and splits by itself, unless it is told not to', async () => {
  const answer = await send({ text: `# Hours\n${LONG}` }, { type: TOOL });
  expect(answer.error).toBeUndefined();
  expect(bodies()[0].text.body.startsWith('*Hours*\nword')).toBe(true);
  expect(bodies().length).toBeGreaterThan(1);

  const before = bodies().length;
  await send({ text: '**Hi**', options: { convertMarkdown: false } }, { type: TOOL });
  expect(bodies()[before].text.body).toBe('**Hi**');
  const { error } = await send({ text: LONG, options: { splitText: false } }, { type: TOOL });
  expect(error?.message).toContain('more than the 4096 allowed');
});

test('it is converted before it is measured', async () => {
  const { error } = await send({ text: `**${'a'.repeat(4094)}**`, options: { convertMarkdown: true } });
  expect(error).toBeUndefined();
  expect(bodies()[0].text.body).toBe(`*${'a'.repeat(4094)}*`);
});

test('if one of several is refused, the error says how many were sent, and a retry sends the rest', async () => {
  instead = (place) =>
    place === 2 ? refusal(403, 'contact_opted_out', 131050, 'Opted out', 'No more messages.') : undefined;
  const { items, error } = await send(
    { text: LONG, options: { splitText: true } },
    { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
  );
  expect(error).toBeUndefined();
  expect(items[0].json.messageIds).toHaveLength(3);
  const [first, second, again] = keys();
  expect([again, keys()[3]]).toEqual([first, second]);

  instead = (place) =>
    place === 7 ? refusal(403, 'contact_opted_out', 131050, 'Opted out', 'No more messages.') : undefined;
  const failed = await send({ text: LONG, options: { splitText: true } });
  expect(failed.error?.description).toMatch(/^1 of the 3 messages of this text were sent before\./);
});

test('a text of more than 20 messages is refused', async () => {
  const { error } = await send({ text: 'word '.repeat(17_000), options: { splitText: true } });
  expect(error?.message).toContain('more than the 81920 allowed');
  expect(bodies()).toHaveLength(0);
});
