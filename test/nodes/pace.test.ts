import { runAction } from '../support/n8n';
import { accepted, gatewayForEach, MESSAGES, refusal, TEMPLATES, type Answer } from './support/gateway';

const gateway = gatewayForEach();

const SEND = {
  resource: 'message',
  operation: 'send',
  to: '={{ $json.to }}',
  messageType: 'text',
  text: 'Hi',
};
const contacts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ to: String(551100000000 + i) }));
const slowDown = (code: string, seconds: number): Answer => ({
  ...refusal(429, code, 130429, 'Too many', 'Slow down.'),
  headers: { 'retry-after': String(seconds) },
});

test.each([
  'rate_limited',
  'upstream_rate_limited',
  'pair_rate_limited',
  'overloaded',
  'database_unavailable',
  'idempotency_in_progress',
])('waits as long as %s asks for, and tries again with the same key', async (code) => {
  const times: number[] = [];
  gateway.on('POST', MESSAGES, (request) => {
    times.push(Date.now());
    return times.length === 1 ? slowDown(code, 0.2) : accepted(request);
  });
  const { items, error } = await runAction(gateway.credentials, SEND, contacts(1));
  expect(error).toBeUndefined();
  expect(items).toHaveLength(1);
  expect(times[1] - times[0]).toBeGreaterThanOrEqual(190);
  expect(new Set(gateway.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('says how long it waited, and why: it has not hung', async () => {
  let told = 0;
  gateway.on('POST', MESSAGES, (request) =>
    ++told <= 2 ? slowDown('pair_rate_limited', 1) : accepted(request),
  );
  const { items, hints } = await runAction(gateway.credentials, SEND, contacts(1));
  expect(items).toHaveLength(1);
  expect(hints).toEqual([
    {
      message:
        'This run waited 2 seconds in all. Why: Too many messages in a short time to this contact. Nothing was lost by that.',
      location: 'outputPane',
      type: 'info',
    },
  ]);
  gateway.on('POST', MESSAGES, (request) => accepted(request));
  expect((await runAction(gateway.credentials, SEND, contacts(1))).hints).toEqual([]);
});

test('while the line has to wait, nobody sends', async () => {
  let heldAt = 0;
  const early: number[] = [];
  gateway.on('POST', MESSAGES, (request) => {
    if (gateway.received.length === 1) {
      heldAt = Date.now();
      return slowDown('rate_limited', 0.4);
    }
    if (Date.now() - heldAt < 390) early.push(Date.now() - heldAt);
    return accepted(request);
  });
  const { items } = await runAction(gateway.credentials, SEND, contacts(30));
  expect(items).toHaveLength(30);
  expect(early).toEqual([]);
});

test('ends the run when the gateway stays overloaded: not every item waits as long anew', async () => {
  gateway.on('POST', MESSAGES, () => slowDown('overloaded', 0.01));
  const { items } = await runAction(gateway.credentials, SEND, contacts(30), {
    onError: 'continueRegularOutput',
  });
  expect(items).toHaveLength(30);
  expect(items[29].json.error).toMatchObject({ code: 'overloaded' });
  expect(gateway.received).toHaveLength(21);
});

test('fails the item when the wait is longer than two minutes, or not told', async () => {
  gateway.on('POST', MESSAGES, () => slowDown('rate_limited', 121));
  const { error } = await runAction(gateway.credentials, SEND, contacts(1));
  expect(error?.message).toBe('Too many requests to the gateway in a short time');
  gateway.on('POST', MESSAGES, () => refusal(429, 'rate_limited', 130429, 'Too many', 'Slow down.'));
  await runAction(gateway.credentials, SEND, contacts(1));
  expect(gateway.received).toHaveLength(2);
});

test('does not wait with a wrong token that was tried too often: it is told, and nobody else tries it', async () => {
  const tooOften = refusal(
    429,
    'rate_limited',
    130429,
    '(#130429) Too many requests without the right token',
    'Correct it.',
  );
  gateway.on('POST', MESSAGES, () => ({ ...tooOften, headers: { 'retry-after': '3' } }));
  const { error } = await runAction(gateway.credentials, SEND, contacts(2));
  expect(error?.message).toBe('The gateway does not accept this token for this line');
  expect(error?.description).toContain('Correct it.');
  expect(gateway.received).toHaveLength(1);
});

test('starts no more sends per second than was asked for', async () => {
  gateway.on('POST', MESSAGES, (request) => accepted(request));
  const before = Date.now();
  await runAction(gateway.credentials, { ...SEND, options: { rate: 50 } }, contacts(26));
  expect(Date.now() - before).toBeGreaterThanOrEqual(490);
});

test('nor after the line had to wait: those that waited do not start all at once', async () => {
  const heldFor = 400;
  let heldAt = 0;
  let sends = 0;
  const after: number[] = [];
  gateway.on('POST', MESSAGES, (request) => {
    sends += 1;
    if (sends === 2) {
      heldAt = Date.now();
      return slowDown('rate_limited', heldFor / 1000);
    }
    if (sends > 2) after.push(Date.now() - heldAt);
    return accepted(request);
  });
  const { items } = await runAction(gateway.credentials, { ...SEND, options: { rate: 20 } }, contacts(12));
  expect(items).toHaveLength(12);
  // Eleven at 20 a second take half a second from the end of the wait on.
  expect(Math.max(...after)).toBeGreaterThanOrEqual(heldFor + 400);
});

test('after a wait the template is looked up again, and the item goes out', async () => {
  let lookUps = 0;
  gateway.on('GET', TEMPLATES, () => {
    lookUps += 1;
    return lookUps === 1 ? slowDown('rate_limited', 0.1) : { body: { success: true, count: 0, data: [] } };
  });
  gateway.on('POST', MESSAGES, (request) => accepted(request));
  const template = { __rl: true, mode: 'list', value: 'hello|en_US' };
  const { items, error } = await runAction(
    gateway.credentials,
    { ...SEND, messageType: 'template', template },
    contacts(2),
  );
  expect(error).toBeUndefined();
  expect(items).toHaveLength(2);
  expect(lookUps).toBe(2);
});
