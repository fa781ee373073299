import { accepted, gatewayForEach, MESSAGES, refusal, type Received } from './support/gateway';
import { meeting } from '../support/http-peer';
import { runAction, TOOL } from '../support/n8n';

const SEND = {
  resource: 'message',
  operation: 'send',
  to: '={{ $json.to }}',
  messageType: 'text',
  text: '={{ $json.text }}',
};

const gateway = gatewayForEach();
beforeEach(() => {
  gateway.on('POST', MESSAGES, (request) => accepted(request, `wamid.${text(request)}`));
});

/** What was sent alone: this gateway knows no batches. */
const sends = () => gateway.requests('POST', MESSAGES);

const text = ({ body }: Received) => (body as { text: { body: string } }).text.body;
const contacts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    to: `55119876543${String(i).padStart(2, '0')}`,
    text: `m${i}`,
  }));
const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/** The gateway refuses what has one of these texts. */
const refusing = (...texts: string[]) =>
  gateway.on('POST', MESSAGES, (request) =>
    texts.includes(text(request))
      ? refusal(400, 'outside_24h_window', 131047, 'Re-engagement message', 'Last wrote 31 hours ago.')
      : accepted(request, `wamid.${text(request)}`),
  );

test('sends to several contacts at the same time, but not to all', async () => {
  const { pass, most } = meeting(40);
  gateway.on('POST', MESSAGES, async (request) => {
    // The first goes ahead alone.
    if (sends().length > 1) await pass();
    return accepted(request);
  });
  await runAction(gateway.credentials, SEND, contacts(120));
  expect(sends()).toHaveLength(120);
  expect(most()).toBe(40);
});

test('gives out results in the order of the items, whichever answer comes first', async () => {
  gateway.on('POST', MESSAGES, async (request) => {
    if (text(request) === 'm0') await pause(60);
    return accepted(request, `wamid.${text(request)}`);
  });
  const { items } = await runAction(gateway.credentials, SEND, contacts(8));
  expect(items.map(({ json }) => json.messageId)).toEqual(contacts(8).map((item) => `wamid.${item.text}`));
  expect(items.map(({ pairedItem }) => pairedItem)).toEqual(contacts(8).map((_, item) => ({ item })));
});

test('sends the messages of one contact one after the other, however the number is written', async () => {
  let now = 0;
  let most = 0;
  gateway.on('POST', MESSAGES, async (request) => {
    most = Math.max(most, ++now);
    await pause(5);
    now--;
    return accepted(request);
  });
  const forms = ['5511987654321', '+55 11 98765-4321', '+55 (11) 98765 4321'];
  await runAction(
    gateway.credentials,
    SEND,
    Array.from({ length: 9 }, (_, i) => ({ to: forms[i % 3], text: `m${i}` })),
  );
  expect(most).toBe(1);
  expect(sends().map(text)).toEqual(Array.from({ length: 9 }, (_, i) => `m${i}`));
});

describe('an item for several contacts', () => {
  const both = { to: '+55 11 98765-4300, 0055 11 98765-4301;5511987654300', text: 'm0' };

  test('is sent to each of them once, however a number is written, and gives out an item for each', async () => {
    const { items, error } = await runAction(gateway.credentials, SEND, [
      both,
      { to: '5511987654302', text: 'm1' },
    ]);
    expect(error).toBeUndefined();
    expect(items.map(({ json, pairedItem }) => [json.to, pairedItem])).toEqual([
      ['+55 11 98765-4300', { item: 0 }],
      ['5511987654301', { item: 0 }],
      ['5511987654302', { item: 1 }],
    ]);
    const keys = sends().map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
  });

  test('fails for one of them alone, and a second try sends to nobody else', async () => {
    let refused = 0;
    gateway.on('POST', MESSAGES, (request) =>
      (request.body as { to: string }).to.endsWith('4301') && refused++ === 0
        ? refusal(500, 'internal_error', 1, 'Broken', 'Broken.')
        : accepted(request),
    );
    const { items, error } = await runAction(gateway.credentials, SEND, [both], {
      retryOnFail: true,
      maxTries: 2,
    });
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => json.to)).toEqual(['+55 11 98765-4300', '5511987654301']);
    const numbers = gateway.received.map(({ body }) => (body as { to: string }).to.replace(/\D/g, ''));
    expect(numbers.sort()).toEqual(['5511987654300', '5511987654301', '5511987654301']);
  });

  test('says which of them failed, each with what may be read of it by a workflow', async () => {
    gateway.on('POST', MESSAGES, (request) =>
      (request.body as { to: string }).to.endsWith('4301')
        ? refusal(403, 'contact_opted_out', 131050, 'Opted out', 'No more messages.')
        : accepted(request),
    );
    const three = [{ to: '5511987654300, 005511987654301; nobody', text: 'm0' }];
    const { error } = await runAction(gateway.credentials, SEND, three);
    expect(error?.description).toContain(
      '2 of 3 messages failed, those to: 5511987654301, nobody. 1 went through.',
    );
    const { errorItems } = await runAction(gateway.credentials, SEND, three, {
      onError: 'continueErrorOutput',
    });
    expect(errorItems.map(({ json }) => json.error)).toMatchObject([
      { to: '5511987654301', message: 'This contact wants no more messages from this line' },
      { to: 'nobody', message: 'To is "nobody", which is no telephone number' },
    ]);
  });

  test('is refused for a number that a spreadsheet has shortened, whose comma divides nothing', async () => {
    const { items, errorItems } = await runAction(
      gateway.credentials,
      SEND,
      [
        { to: '5511987654300,5511987654301, 5,51E+12', text: 'm0' },
        { to: '5,51E+12', text: 'm1' },
      ],
      { onError: 'continueErrorOutput' },
    );
    expect(items.map(({ json }) => json.to)).toEqual(['5511987654300', '5511987654301']);
    const refused = {
      to: '5,51E+12',
      message: expect.stringContaining(`To is "5,51E+12", a spreadsheet's number format`),
      description: expect.stringContaining('Format the column as text'),
    };
    expect(errorItems.map(({ json }) => json.error)).toMatchObject([refused, refused]);
    expect(sends()).toHaveLength(2);
  });

  test('is one contact where an answer is waited for', async () => {
    const ask = { ...SEND, operation: 'sendAndWait', message: 'When?' };
    const { error } = await runAction(gateway.credentials, ask, [both]);
    expect(error?.description).toContain('there can be only one contact');
    expect(gateway.received).toEqual([]);
  });
});

describe('when an item is refused', () => {
  test('with Stop Workflow all others are sent, and the error says which failed', async () => {
    refusing('m1', 'm3');
    const { items, error } = await runAction(gateway.credentials, SEND, contacts(6));
    expect(sends()).toHaveLength(6);
    expect(items).toEqual([]);
    expect(error?.message).toBe('This contact has not written to you within the last 24 hours');
    expect(error?.context?.itemIndex).toBe(1);
    expect(error?.description).toContain('2 of 6 items failed: 1, 3. 4 went through.');
    expect(error?.description).toContain('Continue (using error output)');
  });

  test('with Continue it becomes an item with its error, in its place', async () => {
    refusing('m1');
    const { items, error } = await runAction(gateway.credentials, SEND, contacts(3), {
      onError: 'continueRegularOutput',
    });
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => json.messageId)).toEqual(['wamid.m0', undefined, 'wamid.m2']);
    expect(items[1].json).toEqual({
      message: 'This contact has not written to you within the last 24 hours',
      error: {
        message: 'This contact has not written to you within the last 24 hours',
        description:
          'Last wrote 31 hours ago.\nChoose the operation Send Template, or set Outside the 24 Hours to Send a Template Instead.',
        to: contacts(3)[1].to,
        code: 'outside_24h_window',
        platformCode: 131047,
        httpCode: '400',
      },
    });
    expect(items[1].pairedItem).toEqual({ item: 1 });
  });

  test('with Continue (using error output) it leaves by the error output, with the data that came in', async () => {
    refusing('m1');
    const { items, errorItems, error } = await runAction(gateway.credentials, SEND, contacts(3), {
      onError: 'continueErrorOutput',
    });
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => json.messageId)).toEqual(['wamid.m0', 'wamid.m2']);
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
    expect(errorItems).toHaveLength(1);
    expect(errorItems[0].json).toMatchObject({
      ...contacts(3)[1],
      message: 'This contact has not written to you within the last 24 hours',
      error: { code: 'outside_24h_window' },
    });
    expect(errorItems[0].pairedItem).toEqual({ item: 1 });
  });

  test('of 500 with all sorts of faults each comes out in its place, paired with what came in', async () => {
    refusing(...Array.from({ length: 500 }, (_, i) => `m${i}`).filter((_, i) => i % 5 === 1));
    const faults = [{}, {}, { to: '' }, { to: { number: '551' } }, { text: 'x'.repeat(4097) }];
    const sent = contacts(500).map((item, i) => ({ ...item, ...faults[i % 5] }));
    const { items, error } = await runAction(gateway.credentials, SEND, sent, {
      onError: 'continueRegularOutput',
    });
    expect(error).toBeUndefined();
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual(sent.map((_, item) => ({ item })));
    const said = [
      undefined,
      'This contact has not written to you within the last 24 hours',
      'To is empty',
      'A field holds not one value but several: {"number":"551"}',
      'Text is 4097 characters long, 1 more than the 4096 allowed',
    ];
    expect(
      items.map(({ json }) => (json.message as string | undefined)?.replace(/ \[item \d+\]$/, '')),
    ).toEqual(sent.map((_, i) => said[i % 5]));
    expect(sends()).toHaveLength(200);
  });

  test('a single one is reported as it is', async () => {
    refusing('m0');
    const { error } = await runAction(gateway.credentials, SEND, contacts(1));
    expect(error?.description).toBe(
      'Last wrote 31 hours ago.\nChoose the operation Send Template, or set Outside the 24 Hours to Send a Template Instead.',
    );
  });
});

test('an expression that fails within the options concerns its item only', async () => {
  const { items } = await runAction(
    gateway.credentials,
    { ...SEND, options: { rate: 20, clientRef: '={{ $json.ref || $("Nowhere").item.json.ref }}' } },
    [
      { to: '5511987654300', text: 'm0' },
      { to: '5511987654301', text: 'm1', ref: 'order 1042' },
    ],
    { onError: 'continueRegularOutput' },
  );
  expect(items.map(({ json }) => json.messageId)).toEqual([undefined, 'wamid.m1']);
});

test('an expression that fails concerns its item only', async () => {
  const { items } = await runAction(
    gateway.credentials,
    { ...SEND, to: '={{ $json.to || $("Nowhere").item.json.to }}' },
    [{ to: '5511987654300', text: 'm0' }, { text: 'm1' }, { to: '5511987654302', text: 'm2' }],
    { onError: 'continueRegularOutput' },
  );
  expect(items.map(({ json }) => json.messageId)).toEqual(['wamid.m0', undefined, 'wamid.m2']);
  expect(items[1].json.message).toEqual("Referenced node doesn't exist");
  expect(sends()).toHaveLength(2);
});

describe('a refusal that holds for the whole line', () => {
  const refuseAll = () =>
    gateway.on('POST', MESSAGES, () =>
      refusal(401, 'invalid_token', 190, 'Invalid OAuth access token', 'This token was revoked.'),
    );

  test('ends the run: what was not tried yet is not tried', async () => {
    refuseAll();
    const { error } = await runAction(gateway.credentials, SEND, contacts(50));
    expect(sends()).toHaveLength(1);
    expect(error?.message).toBe('The gateway does not accept this token for this line');
    expect(error?.description).toContain('This token was revoked.');
    expect(error?.description).toContain('None went through.');
  });

  test('gives every item its error when the workflow continues', async () => {
    refuseAll();
    const { items } = await runAction(gateway.credentials, SEND, contacts(50), {
      onError: 'continueRegularOutput',
    });
    expect(sends()).toHaveLength(1);
    expect(items).toHaveLength(50);
    expect(new Set(items.map(({ json }) => json.message))).toEqual(
      new Set(['The gateway does not accept this token for this line']),
    );
    expect(items[49].json.error).toMatchObject({
      code: 'invalid_token',
      description: expect.stringContaining('Not tried'),
    });
  });
});

test('Retry On Fail sends only what has not gone through, and gives out all of it', async () => {
  let isDown = true;
  gateway.on('POST', MESSAGES, (request) => {
    if (!isDown || text(request) !== 'm7') return accepted(request, `wamid.${text(request)}`);
    isDown = false;
    return refusal(503, 'upstream_unavailable', 2, 'Service unavailable', 'Upstream cannot be reached.');
  });
  const again = { retryOnFail: true, maxTries: 2 };
  // What changes between tries, as the time does, would be another message under the same key.
  const changing = { ...SEND, clientRef: '={{ Math.random() }}' };
  const { items, error } = await runAction(gateway.credentials, changing, contacts(60), again);
  expect(error).toBeUndefined();
  expect(sends()).toHaveLength(61);
  expect(items.map(({ json }) => json.messageId)).toEqual(contacts(60).map((item) => `wamid.${item.text}`));
  // Another round of a loop is another run.
  gateway.received.length = 0;
  await runAction(gateway.credentials, SEND, contacts(3), { ...again, rounds: 2 });
  expect(sends()).toHaveLength(6);
});

test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
  'Retry On Fail with %s sends only the first again, for whose refusal n8n tries again',
  async (onError) => {
    refusing('m0', 'm2');
    const { items, errorItems, error } = await runAction(gateway.credentials, SEND, contacts(4), {
      retryOnFail: true,
      maxTries: 2,
      onError,
    });
    expect(error).toBeUndefined();
    const times = (message: string) => sends().filter((request) => text(request) === message).length;
    expect(['m0', 'm1', 'm2', 'm3'].map(times)).toEqual([2, 1, 2, 1]);
    const sent = [...items, ...errorItems].flatMap(({ json }) => json.messageId ?? []);
    expect(sent).toEqual(['wamid.m1', 'wamid.m3']);
  },
);

test("Retry in n8n's list of executions sends only what the failed run has not sent", async () => {
  let isDown = true;
  gateway.on('POST', MESSAGES, (request) =>
    isDown && text(request) === 'm7'
      ? refusal(504, 'upstream_timeout', 2, 'Timeout', 'It may have been sent.')
      : accepted(request, `wamid.${text(request)}`),
  );
  const failed = await runAction(gateway.credentials, SEND, contacts(30));
  expect(failed.error?.message).toContain('it is not known whether the message was sent');
  isDown = false;
  const { items, error } = await failed.retry();
  expect(error).toBeUndefined();
  expect(sends()).toHaveLength(31);
  expect(items.map(({ json }) => json.messageId)).toEqual(contacts(30).map((item) => `wamid.${item.text}`));
  // The gateway knows by it what became of the first try.
  const again = sends().filter((request) => text(request) === 'm7');
  expect(new Set(again.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

describe('the idempotency key', () => {
  const keys = () => sends().map(({ headers }) => headers['idempotency-key']);

  test('is the same when n8n tries an item again, so that nothing is sent twice', async () => {
    let down = true;
    gateway.on('POST', MESSAGES, (request) => {
      if (text(request) === 'm1' && down) {
        down = false;
        return refusal(503, 'upstream_unavailable', 2, 'Service unavailable', 'Upstream cannot be reached.');
      }
      return accepted(request);
    });
    const { items, error } = await runAction(gateway.credentials, SEND, contacts(2), {
      retryOnFail: true,
      maxTries: 2,
    });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(2);
    const of = (message: string) =>
      sends()
        .filter((request) => text(request) === message)
        .map(({ headers }) => headers['idempotency-key']);
    expect(of('m1')).toHaveLength(2);
    expect(new Set(of('m1')).size).toBe(1);
    expect(of('m0')[0]).not.toBe(of('m1')[0]);
  });

  test('differs between items, between executions and between the rounds of a loop', async () => {
    await runAction(gateway.credentials, SEND, contacts(3));
    await runAction(gateway.credentials, SEND, contacts(3), { rounds: 2 });
    expect(keys()).toHaveLength(9);
    expect(new Set(keys()).size).toBe(9);
    for (const key of keys()) expect(key).toMatch(/^n8n-[0-9a-f]{40}$/);
  });
});

describe('as the tool of an agent', () => {
  const optedOut = '5511987654301';
  beforeEach(() =>
    gateway.on('POST', MESSAGES, (request) =>
      (request.body as { to: string }).to === optedOut
        ? refusal(403, 'contact_opted_out', 131050, '(#131050) Opted out', 'The contact wrote STOP.')
        : accepted(request, 'wamid.sent'),
    ),
  );
  const asTool = (to: string, settings = {}) =>
    runAction(gateway.credentials, { ...SEND, to, text: 'Hi' }, [{}], { type: TOOL, ...settings });

  test('the model reads of several contacts who got the message, and who did not, why and what to do', async () => {
    const { items, error } = await asTool(`5511987654300, ${optedOut}, 5,51E+12`);
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => json)).toEqual([
      expect.objectContaining({ to: '5511987654300', messageId: 'wamid.sent' }),
      {
        message: 'This contact wants no more messages from this line',
        error: expect.objectContaining({
          to: optedOut,
          description: expect.stringMatching(/STOP\.\nLeave this contact out/),
          code: 'contact_opted_out',
        }),
      },
      {
        message: expect.stringContaining('spreadsheet'),
        error: expect.objectContaining({ to: '5,51E+12', code: 'invalid_item' }),
      },
    ]);
  });

  test('the message of an error, which is all that the model reads, says what to do', async () => {
    const { error } = await asTool(optedOut);
    expect(error?.message).toBe(
      'This contact wants no more messages from this line. The contact wrote STOP. Leave this contact out. Contact: Get Window shows who opted out.',
    );
    expect((await asTool('nobody')).error?.message).toContain('Enter the number with country code');
  });

  test('the answer has no raw', async () => {
    const { items } = await asTool('5511987654300');
    expect(items[0].json).toMatchObject({ messageId: 'wamid.sent', to: '5511987654300' });
    expect(items[0].json).not.toHaveProperty('raw');
  });
});

describe('an If can tell a refusal', () => {
  const errorOf = async (to = '5511987654300', parameters = {}, json = {}) => {
    const { items } = await runAction(
      gateway.credentials,
      { ...SEND, to, text: 'Hi', ...parameters },
      [json],
      {
        onError: 'continueRegularOutput',
      },
    );
    return items[0]?.json.error as object;
  };

  test.each([131026, 131049])('of the platform by its number %i', async (number) => {
    gateway.on('POST', MESSAGES, () => refusal(400, 'upstream_error', number, `(#${number}) No`, 'No.'));
    expect(await errorOf()).toMatchObject({ code: 'upstream_error', platformCode: number });
  });

  test('of the node by its code, and has no number then', async () => {
    expect(await errorOf('nobody')).toMatchObject({ code: 'invalid_item', platformCode: null });
    expect(await errorOf(undefined, { text: '={{ $("Nowhere").item.json.x }}' })).toMatchObject({
      code: 'invalid_item',
    });
    gateway.on('POST', MESSAGES, () => ({ statusCode: 502, body: '<html>' }));
    expect(await errorOf()).toMatchObject({ code: 'not_a_gateway' });
    await gateway.close();
    expect(await errorOf()).toMatchObject({ code: 'gateway_unreachable' });
  });
});
