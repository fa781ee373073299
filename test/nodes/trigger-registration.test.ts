import { ALERT_WEBHOOKS, DESTINATIONS, gatewayForEach, refusal, STATUS, TOKEN } from './support/gateway';
import { listening, type Listening } from '../support/listening';

interface Destination {
  id: number;
  url: string;
  events: string[];
  secret: string;
  paused_at?: string;
}

const gateway = gatewayForEach();
let destinations: Destination[];

/** The gateway's destinations by token: the secret is told once, and other people's are there as well. */
beforeEach(() => {
  destinations = [{ id: 1, url: 'https://crm.example/hook', events: ['messages'], secret: 'theirs' }];
  let last = 1;
  const removable = (id: number) =>
    gateway.on('DELETE', `${DESTINATIONS}/${id}`, () => {
      const index = destinations.findIndex((destination) => destination.id === id);
      if (index < 0) return refusal(404, 'not_found', 2500, 'Unknown destination', 'It is gone already.');
      destinations.splice(index, 1);
      return { body: { success: true } };
    });
  gateway.on('POST', DESTINATIONS, ({ body }) => {
    const { url, events } = body as Destination;
    const created = { id: ++last, url, events, secret: `secret-${last}` };
    destinations.push(created);
    removable(created.id);
    return { statusCode: 201, body: { success: true, mode: 'split', ...created } };
  });
  gateway.on('GET', STATUS, () => ({ body: { success: true, connected: true, line: { id: 12 } } }));
  gateway.on('GET', DESTINATIONS, () => ({
    body: { success: true, data: destinations.map(({ secret: _, ...shown }) => shown) },
  }));
});

const created = () => gateway.requests('POST', DESTINATIONS).map(({ body }) => body);
const urls = () => destinations.map(({ url }) => url);

test('registers the address of the workflow with the token, and keeps the secret', async () => {
  const workflow = listening(gateway);
  expect(await workflow.activate()).toBe('created');

  expect(created()).toEqual([{ url: workflow.productionUrl, events: ['messages'], mode: 'split' }]);
  expect(gateway.requests('POST', DESTINATIONS)[0].headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(workflow.registrations()).toEqual([
    {
      id: '2',
      url: workflow.productionUrl,
      urlAtGateway: workflow.productionUrl,
      secret: 'secret-2',
      test: false,
    },
  ]);
});

test('payments come with the statuses, of which one is enough', async () => {
  const workflow = listening(gateway, { events: ['payments'] });
  await workflow.activate();
  expect(created()).toMatchObject([{ events: ['failed'] }]);
  expect(await workflow.activate()).toBe('existed');
});

test('does not register again while the gateway has it, such as after a restart of n8n', async () => {
  const workflow = listening(gateway);
  await workflow.activate();
  const afterRestart = listening(gateway, {}, workflow.workflow.staticData);
  expect(await afterRestart.activate()).toBe('existed');
  expect(created()).toHaveLength(1);
});

test('does not register again with another token of the line, which is shown no more than the host', async () => {
  const workflow = listening(gateway);
  await workflow.activate();
  const [, own] = destinations;
  if (own) own.url = `${new URL(own.url).origin}/…`;
  expect(await workflow.activate()).toBe('existed');
  if (own) own.url = 'https://elsewhere.example/…';
  expect(await workflow.activate()).toBe('created');
});

test('registers again when the gateway has forgotten it', async () => {
  const workflow = listening(gateway);
  await workflow.activate();
  destinations = destinations.filter(({ id }) => id === 1);
  expect(await workflow.activate()).toBe('created');
  expect(urls()).toEqual(['https://crm.example/hook', workflow.productionUrl]);
  expect(workflow.registrations()).toHaveLength(1);
});

test('lets the gateway go on where it has stopped sending, so that nothing is lost of what has waited', async () => {
  const workflow = listening(gateway);
  await workflow.activate();
  destinations[1].paused_at = '2026-11-20T10:00:00.000Z';
  gateway.on('DELETE', `${DESTINATIONS}/2/pause`, () => {
    delete destinations[1].paused_at;
    return { body: { success: true } };
  });
  expect(await workflow.activate()).toBe('existed');
  expect(destinations.map(({ id, paused_at }) => [id, paused_at])).toEqual([
    [1, undefined],
    [2, undefined],
  ]);
});

test('registers again at an older gateway that has stopped sending to it', async () => {
  const workflow = listening(gateway);
  await workflow.activate();
  destinations[1].paused_at = '2026-11-20T10:00:00.000Z';
  gateway.on('DELETE', `${DESTINATIONS}/2/pause`, () =>
    refusal(404, 'not_found', 2500, 'Unknown path', 'Check the path.'),
  );
  expect(await workflow.activate()).toBe('created');
  expect(destinations.map(({ paused_at }) => paused_at)).toEqual([undefined, undefined]);
  expect(urls()).toEqual(['https://crm.example/hook', workflow.productionUrl]);
});

test('registers again, in place of its own, when other events are wanted', async () => {
  const before = listening(gateway);
  await before.activate();
  const now = listening(gateway, { events: ['messages', 'failed'] }, before.workflow.staticData);
  expect(await now.activate()).toBe('created');
  expect(destinations.map(({ events }) => events)).toEqual([['messages'], ['messages', 'failed']]);
  expect(now.registrations()).toHaveLength(1);
});

test('has the gateway wait until a contact pauses, and registers again when that is changed', async () => {
  const waits = (waitForPause: number) => ({ options: { waitForPause } });
  const before = listening(gateway, waits(10));
  await before.activate();
  expect(created()).toEqual([
    { url: before.productionUrl, events: ['messages'], mode: 'split', quiet_seconds: 10 },
  ]);
  const own = destinations.at(-1) as Destination & { quiet_seconds?: number | null };
  own.quiet_seconds = 10;
  expect(await listening(gateway, waits(10), before.workflow.staticData).activate()).toBe('existed');
  expect(await listening(gateway, waits(0), before.workflow.staticData).activate()).toBe('created');
  expect(created().at(-1)).not.toHaveProperty('quiet_seconds');
});

test('does not take another destination with the same address for its own', async () => {
  const workflow = listening(gateway);
  destinations.push({ id: 99, url: workflow.productionUrl, events: ['messages'], secret: 'of someone else' });
  expect(await workflow.activate()).toBe('created');
  await workflow.deactivate();
  expect(destinations.map(({ id }) => id)).toEqual([1, 99]);
});

test('removes its own destination and nothing else', async () => {
  const workflow = listening(gateway);
  await workflow.activate();
  await workflow.deactivate();
  expect(urls()).toEqual(['https://crm.example/hook']);
  expect(workflow.registrations()).toEqual([]);
  expect(gateway.requests('DELETE', `${DESTINATIONS}/2`)).toHaveLength(1);
});

describe('after the address of n8n changed', () => {
  const moved = (before: Listening) =>
    listening(gateway, {}, before.workflow.staticData, 'https://n8n.moved.example/prefix');

  test('publishing again registers the new address in place of the one before', async () => {
    const before = listening(gateway);
    await before.activate();
    const now = moved(before);
    expect(await now.activate()).toBe('created');
    expect(urls()).toEqual(['https://crm.example/hook', now.productionUrl]);
    expect(now.registrations()).toHaveLength(1);
  });

  test('unpublishing removes the registration of the one before', async () => {
    const before = listening(gateway);
    await before.activate();
    const now = moved(before);
    await now.deactivate();
    expect(urls()).toEqual(['https://crm.example/hook']);
    expect(now.registrations()).toEqual([]);
  });

  test('the end of a test removes that of the test alone', async () => {
    const before = listening(gateway);
    await before.activate();
    await before.listenForTest();
    await moved(before).endTest();
    expect(urls()).toEqual(['https://crm.example/hook', before.productionUrl]);
  });
});

test('takes a destination that is gone already for removed', async () => {
  const workflow = listening(gateway);
  await workflow.activate();
  destinations = [];
  await workflow.deactivate();
  expect(workflow.registrations()).toEqual([]);
});

test('removes nothing when it never registered', async () => {
  await listening(gateway).deactivate();
  expect(gateway.received).toEqual([]);
});

test('says so when the destination cannot be removed, and still knows it', async () => {
  const workflow = listening(gateway);
  await workflow.activate();
  gateway.on('DELETE', `${DESTINATIONS}/2`, () =>
    refusal(401, 'invalid_token', 190, 'Invalid token', 'This token was revoked.'),
  );
  await expect(workflow.deactivate()).rejects.toThrow('does not accept this token');
  expect(workflow.registrations()).toHaveLength(1);
});

describe('test listening', () => {
  test('has a destination of its own that expires, and leaves that of the active workflow alone', async () => {
    const workflow = listening(gateway);
    await workflow.activate();
    expect(workflow.testUrl).not.toBe(workflow.productionUrl);

    expect(await workflow.listenForTest()).toBe('created');
    expect(created()[1]).toEqual({
      url: workflow.testUrl,
      events: ['messages'],
      mode: 'split',
      expires_in: 300,
    });
    expect(urls()).toEqual(['https://crm.example/hook', workflow.productionUrl, workflow.testUrl]);

    await workflow.endTest();
    expect(urls()).toEqual(['https://crm.example/hook', workflow.productionUrl]);
    expect(workflow.registrations().map(({ url }) => url)).toEqual([workflow.productionUrl]);
  });

  test('waits for a pause for a minute at most: n8n listens for two', async () => {
    const workflow = listening(gateway, { options: { waitForPause: 180 } });
    await workflow.listenForTest();
    await workflow.activate();
    expect(created()).toMatchObject([{ quiet_seconds: 60, expires_in: 300 }, { quiet_seconds: 180 }]);
  });

  test('has its full time again when it is started anew before it ran out', async () => {
    const workflow = listening(gateway);
    await workflow.listenForTest();
    expect(await workflow.listenForTest()).toBe('created');
    expect(created().map((body) => (body as { expires_in: number }).expires_in)).toEqual([300, 300]);
    expect(urls()).toEqual(['https://crm.example/hook', workflow.testUrl]);
  });

  test('goes on when the workflow is switched off', async () => {
    const workflow = listening(gateway);
    await workflow.activate();
    await workflow.listenForTest();
    await workflow.deactivate();
    expect(urls()).toEqual(['https://crm.example/hook', workflow.testUrl]);
  });
});

describe('alerts', () => {
  /** The gateway's list of addresses for alerts: ids of its own, which are others than those of destinations. */
  let hooks: Array<{ id: number; url: string }>;
  beforeEach(() => {
    hooks = [];
    gateway.on('GET', ALERT_WEBHOOKS, () => ({ body: { success: true, data: hooks } }));
    gateway.on('POST', ALERT_WEBHOOKS, ({ body }) => {
      const hook = { id: 2, url: (body as Destination).url };
      hooks.push(hook);
      return { statusCode: 201, body: { success: true, ...hook, secret: 'of the alerts' } };
    });
    gateway.on('DELETE', `${ALERT_WEBHOOKS}/2`, () => {
      hooks = [];
      return { body: { success: true } };
    });
  });

  test('have an address of their own, beside that of the events, and both are removed', async () => {
    const workflow = listening(gateway, { events: ['messages', 'alerts'] });
    expect(await workflow.activate()).toBe('created');
    expect(hooks).toEqual([{ id: 2, url: workflow.productionUrl }]);
    expect(created()).toEqual([{ url: workflow.productionUrl, events: ['messages'], mode: 'split' }]);
    expect(workflow.registrations().map(({ secret }) => secret)).toEqual(['of the alerts', 'secret-2']);
    expect(await workflow.activate()).toBe('existed');
    await workflow.deactivate();
    expect([hooks, urls()]).toEqual([[], ['https://crm.example/hook']]);
    expect(workflow.registrations()).toEqual([]);
  });

  test('of a test end by themselves, if n8n ends before it can remove them', async () => {
    const workflow = listening(gateway, { events: ['alerts'] });
    await workflow.listenForTest();
    expect(gateway.requests('POST', ALERT_WEBHOOKS).map(({ body }) => body)).toEqual([
      { url: workflow.testUrl, expires_in: 300 },
    ]);
    await workflow.endTest();
    expect([hooks, workflow.registrations()]).toEqual([[], []]);
  });

  test('that have as many addresses as they can say what to do', async () => {
    gateway.on('POST', ALERT_WEBHOOKS, () =>
      refusal(409, 'too_many_registrations', 100, 'Too many', 'This line has 10 webhooks for alerts.'),
    );
    const workflow = listening(gateway, { events: ['alerts'] });
    await expect(workflow.activate()).rejects.toMatchObject({
      message: 'This line has as many destinations as it may have',
      description: expect.stringMatching(
        /^This line has 10 .*\nUnpublish a workflow .*Alerts, then Channels/s,
      ),
    });
  });

  test('alone need no destination, and are registered anew once the gateway has forgotten them', async () => {
    const workflow = listening(gateway, { events: ['alerts'] });
    await workflow.activate();
    expect(created()).toEqual([]);
    hooks = [];
    expect(await workflow.activate()).toBe('created');
    expect(hooks).toHaveLength(1);
  });

  test('are no longer told when they are no longer chosen', async () => {
    const before = listening(gateway, { events: ['messages', 'alerts'] });
    await before.activate();
    const now = listening(gateway, { events: ['messages'] }, before.workflow.staticData);
    expect(await now.activate()).toBe('created');
    expect([hooks, urls()]).toEqual([[], ['https://crm.example/hook', now.productionUrl]]);
  });

  test('of a gateway that is too old are refused in words, and nothing is left behind', async () => {
    gateway.on('POST', ALERT_WEBHOOKS, () =>
      refusal(404, 'not_found', 2500, 'Unknown path', 'Nothing here.'),
    );
    const workflow = listening(gateway, { events: ['messages', 'alerts'] });
    await expect(workflow.activate()).rejects.toMatchObject({
      message: 'This gateway is too old to send alerts to workflows',
      description: expect.stringContaining('remove Alert from Trigger On'),
    });
    expect([urls(), workflow.registrations()]).toEqual([['https://crm.example/hook'], []]);
  });

  test('that do not reach this n8n are taken back, and it says what to do', async () => {
    gateway.on('POST', ALERT_WEBHOOKS, ({ body }) => {
      const hook = { id: 2, url: (body as Destination).url };
      hooks.push(hook);
      const handshake = { ok: false, detail: 'The gateway does not reach this address.' };
      return { statusCode: 201, body: { success: true, ...hook, secret: 'of the alerts', handshake } };
    });
    const workflow = listening(gateway, { events: ['alerts'] });
    await expect(workflow.activate()).rejects.toMatchObject({
      message: `The gateway does not reach this n8n at ${workflow.productionUrl}`,
      description: expect.stringMatching(/WEBHOOK_URL.*GATEWAY_ALLOW_DESTINATIONS/s),
    });
    expect([hooks, workflow.registrations()]).toEqual([[], []]);
  });

  test('are told no longer where the events then cannot be registered', async () => {
    gateway.on('POST', DESTINATIONS, () => refusal(400, 'invalid_payload', 131009, 'Not valid', 'No.'));
    const workflow = listening(gateway, { events: ['messages', 'alerts'] });
    await expect(workflow.activate()).rejects.toThrow('cannot send events');
    expect([hooks, workflow.registrations()]).toEqual([[], []]);
  });
});

test('an address that the gateway refuses is explained with its words', async () => {
  gateway.on('POST', DESTINATIONS, () =>
    refusal(
      400,
      'invalid_payload',
      131009,
      'Parameter value is not valid',
      'n8n.test is not a public address. Allow it with GATEWAY_ALLOW_DESTINATIONS.',
    ),
  );
  const workflow = listening(gateway);
  await expect(workflow.activate()).rejects.toMatchObject({
    message: `The gateway cannot send events to this n8n at ${workflow.productionUrl}`,
    description: expect.stringMatching(/GATEWAY_ALLOW_DESTINATIONS\.\n.*WEBHOOK_URL/),
  });
  expect(workflow.registrations()).toEqual([]);
});

test('an address that the gateway does not reach is taken back, and it says what to do', async () => {
  gateway.on('POST', DESTINATIONS, ({ body }) => {
    const { url, events } = body as Destination;
    destinations.push({ id: 2, url, events, secret: 'secret-2' });
    const detail = 'It could not be asked: connect ECONNREFUSED. Events are sent all the same.';
    return {
      statusCode: 201,
      body: { id: 2, url, events, secret: 'secret-2', handshake: { ok: false, detail } },
    };
  });
  gateway.on('DELETE', `${DESTINATIONS}/2`, () => {
    destinations.pop();
    return { body: { success: true } };
  });
  const workflow = listening(gateway);
  await expect(workflow.activate()).rejects.toMatchObject({
    message: `The gateway does not reach this n8n at ${workflow.productionUrl}`,
    description: expect.stringMatching(
      /^It could not be asked: connect ECONNREFUSED\.\n.*WEBHOOK_URL.*\n.*GATEWAY_ALLOW_DESTINATIONS/,
    ),
  });
  expect(urls()).toEqual(['https://crm.example/hook']);
  expect(workflow.registrations()).toEqual([]);
});

test('what the gateway says of an address that it may not call is said once, with what to do', async () => {
  const detail =
    'The gateway cannot reach this address. If the address is private, for example n8n on the same Docker network, the operator of the gateway has to allow it with GATEWAY_ALLOW_DESTINATIONS.';
  gateway.on('POST', DESTINATIONS, ({ body }) => ({
    statusCode: 201,
    body: {
      ...{ id: 2, secret: 'secret-2', ...(body as object) },
      handshake: { ok: false, detail: `${detail} Events are sent all the same.` },
    },
  }));
  gateway.on('DELETE', `${DESTINATIONS}/2`, () => ({ body: { success: true } }));
  const workflow = listening(gateway);
  const error = await workflow.activate().catch((reason: Error & { description: string }) => reason);
  const { description = '' } = error as { description?: string };
  expect(description.startsWith(`${detail}\n`)).toBe(true);
  expect(description.match(/GATEWAY_ALLOW_DESTINATIONS/g)).toHaveLength(1);
  expect(description).toContain('WEBHOOK_URL');
});

test.each([
  ['events', DESTINATIONS],
  ['alerts', ALERT_WEBHOOKS],
])('an answer without a secret for %s is refused, and what it registered is taken back', async (of, path) => {
  gateway.on('POST', path, ({ body }) => ({
    statusCode: 201,
    body: { success: true, id: 7, url: (body as Destination).url },
  }));
  gateway.on('DELETE', `${path}/7`, () => ({ body: { success: true } }));
  const workflow = listening(gateway, { events: [of === 'events' ? 'messages' : of] });
  await expect(workflow.activate()).rejects.toMatchObject({
    message: 'The gateway gave no secret with this registration',
    description: expect.stringMatching(/forged.*Base URL/),
  });
  expect(gateway.requests('DELETE', `${path}/7`)).toHaveLength(1);
  expect(workflow.registrations()).toEqual([]);
});

test('a regular expression with a mistake in it is refused before anything is registered', async () => {
  const workflow = listening(gateway, { filters: { textMatches: '(yes' } });
  await expect(workflow.activate()).rejects.toMatchObject({
    message: '"(yes" is no regular expression',
    description: expect.stringContaining('Text Contains'),
  });
  expect(gateway.received).toEqual([]);
});

test.each([
  ['From', 'from'],
  ['From Is Not', 'notFrom'],
])(
  'a number in %s that a spreadsheet has shortened is refused before anything is registered',
  async (field, name) => {
    const workflow = listening(gateway, { filters: { [name]: '+55 11 98765-4321, 5,51E+12' } });
    await expect(workflow.activate()).rejects.toMatchObject({
      message: `${field} is "5,51E+12", a spreadsheet's number format`,
      description: expect.stringContaining('as text'),
    });
    expect(gateway.received).toEqual([]);
  },
);

test.each([
  [{ days: [] }, 'Office Hours has no day', 'Choose at least one'],
  [{ from: '9 am' }, 'From of Office Hours is no time: "9 am"', '24-hour clock'],
  [{ to: '24:01' }, 'To of Office Hours is no time: "24:01"', '24-hour clock'],
  [{ from: '09:00', to: '9:00' }, 'Office Hours begin and end at the same time', '24:00'],
  [{ timeZone: 'São Paulo' }, 'Zone of Office Hours is unknown: "São Paulo"', 'America/Sao_Paulo'],
])('office hours with %j are refused before anything is registered', async (given, message, next) => {
  const workflow = listening(gateway, { filters: { officeHours: { hours: given } } });
  await expect(workflow.activate()).rejects.toMatchObject({
    message,
    description: expect.stringContaining(next),
  });
  expect(gateway.received).toEqual([]);
});

describe('set up by hand', () => {
  const byHand = (signingSecret: string, staticData = {}) => {
    const credentials = { ...gateway.credentials, signingSecret };
    return listening({ credentials }, { registration: 'manual' }, staticData);
  };

  test('nothing is registered, and nothing removed', async () => {
    const workflow = byHand('typed in by hand');
    expect(await workflow.activate()).toBe('existed');
    expect(await workflow.listenForTest()).toBe('existed');
    await workflow.deactivate();
    expect(urls()).toEqual(['https://crm.example/hook']);
    expect(gateway.received.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  test('without a secret the workflow does not go live, and it says where to enter it', async () => {
    await expect(byHand(' ').activate()).rejects.toMatchObject({
      message: 'The signing secret is missing',
      description: expect.stringContaining('Signing Secret'),
    });
  });

  test('a gateway that cannot be asked for its line is no hindrance', async () => {
    gateway.on('GET', STATUS, () => refusal(401, 'invalid_token', 190, 'Invalid token', 'Wrong.'));
    expect(await byHand('typed in by hand').activate()).toBe('existed');
  });

  test('what was registered before is removed', async () => {
    const before = listening(gateway);
    await before.activate();
    expect(await byHand('typed in by hand', before.workflow.staticData).activate()).toBe('existed');
    expect(urls()).toEqual(['https://crm.example/hook']);
  });
});
