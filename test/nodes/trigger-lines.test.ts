import { createHmac } from 'node:crypto';
import { LoadOptionsContext } from 'n8n-core';
import type { IDataObject, ILoadOptionsFunctions, INodeParameters } from 'n8n-workflow';

import { MessagingGatewayTrigger } from '../../nodes/MessagingGateway/MessagingGatewayTrigger.node';
import { listening, openInbox, type Listening } from '../support/listening';
import { additionalData, node, TRIGGER, workflow as workflowOf } from '../support/n8n';
import { ALERT_WEBHOOKS, DESTINATIONS, gatewayForEach, LINE, refusal, STATUS } from './support/gateway';

/** A trigger with a token of several lines. */
const gateway = gatewayForEach();
const several = () => ({ credentials: { baseUrl: gateway.baseUrl, line: '', token: 'gwa_all' } });

interface Destination {
  id: number;
  line: string;
  url: string;
  events?: string[];
  secret: string;
}

let lines: Array<{ id: number; name: string; phone_number_id: string; phone_number: string }>;
let destinations: Destination[];
/** Answers a registration for a line, instead of accepting it. */
let refused: Map<string, ReturnType<typeof refusal>>;
let last: number;

const lineAt = (index: number) => String(106540352242900 + index);
const OUT_OF_REACH = refusal(401, 'invalid_token', 190, 'Invalid token', 'No such token.');
const SWITCHED_OFF = refusal(403, 'line_inactive', 10, 'Inactive', 'The line is switched off.');

function addLine(index: number): void {
  const phone_number_id = lineAt(index);
  lines.push({ id: index, name: `Client ${index}`, phone_number_id, phone_number: `+1 212-555-01${index}` });
  for (const path of [DESTINATIONS, ALERT_WEBHOOKS]) answerFor(phone_number_id, path);
}

function answerFor(line: string, template: string): void {
  const path = template.replace(LINE, line);
  gateway.on('POST', path, ({ body }) => {
    const no = refused.get(line);
    if (no) return no;
    const made = {
      ...(body as { url: string; events?: string[] }),
      id: ++last,
      line,
      secret: `secret-${last}`,
    };
    destinations.push(made);
    gateway.on('DELETE', `${path}/${made.id}`, () => {
      destinations = destinations.filter((one) => one !== made);
      return refused.get(line) ?? { body: { success: true } };
    });
    return { statusCode: 201, body: { success: true, ...made } };
  });
  gateway.on('GET', path, () => {
    const own = destinations.filter((one) => one.line === line);
    return { body: { success: true, data: own.map(({ secret: _, ...shown }) => shown) } };
  });
}

beforeEach(() => {
  [lines, destinations, refused, last] = [[], [], new Map(), 0];
  for (let index = 10; index < 30; index++) addLine(index);
  destinations.push({ id: 0, line: lineAt(10), url: 'https://crm.example/hook', secret: 'theirs' });
  gateway.on('GET', '/v1/lines', () => ({ body: { data: lines, next: null } }));
});

/** The destinations of the trigger, without that of somebody else. */
const own = () => destinations.filter(({ id }) => id > 0);
const heard = () =>
  own()
    .map(({ line }) => line)
    .sort();
const created = () => gateway.received.filter(({ method }) => method === 'POST').length;
const again = (before: Listening, parameters: INodeParameters = {}) =>
  listening(several(), parameters, before.workflow.staticData);

test('listens to every line of the token, and takes leave of each', async () => {
  const trigger = listening(several());
  expect(await trigger.activate()).toBe('created');
  expect(heard()).toEqual(lines.map((line) => line.phone_number_id));
  expect(new Set(trigger.registrations().map(({ secret }) => secret)).size).toBe(20);
  expect(await again(trigger).activate()).toBe('existed');
  await trigger.deactivate();
  expect(destinations).toMatchObject([{ id: 0 }]);
  expect(trigger.registrations()).toEqual([]);
});

test.each([
  ['a list', [lineAt(12), lineAt(10)]],
  ['an expression with numbers of lines', '={{ [12, 10] }}'],
  ['an expression with a text', `={{ "${lineAt(12)}, 10" }}`],
])('listens to the lines of %s only', async (_of, chosen) => {
  await listening(several(), { lines: chosen }).activate();
  expect(heard()).toEqual([lineAt(10), lineAt(12)]);
});

test.each([
  [[lineAt(12), '99'], 'The token of this credential has no line 99'],
  ['={{ [] }}', 'The expression in Line Names or IDs has no value'],
])('lines that cannot be meant (%j) register nothing', async (chosen, message) => {
  await expect(listening(several(), { lines: chosen }).activate()).rejects.toMatchObject({ message });
  expect(created()).toBe(0);
});

test('the line of the credential is heard alone, also with a token of several lines', async () => {
  gateway.on('GET', STATUS.replace(LINE, lineAt(12)), () => ({ body: { success: true, line: { id: 12 } } }));
  const { credentials } = several();
  await listening({ credentials: { ...credentials, line: lineAt(12) } }).activate();
  expect(heard()).toEqual([lineAt(12)]);
});

test('events and alerts of each line are registered, and a test has registrations of its own', async () => {
  const trigger = listening(several(), { events: ['messages', 'alerts'], lines: [lineAt(10), lineAt(11)] });
  await trigger.activate();
  await trigger.listenForTest();
  expect(heard()).toHaveLength(8);
  await trigger.endTest();
  expect(own().map(({ url }) => url)).toEqual(Array(4).fill(trigger.productionUrl));
  expect(await trigger.activate()).toBe('existed');
  await trigger.deactivate();
  expect(own()).toEqual([]);
});

test('a line that refuses is named, and no other is left registered', async () => {
  refused.set(lineAt(15), refusal(400, 'invalid_payload', 131009, 'Not valid', 'Not a public address.'));
  const trigger = listening(several());
  await expect(trigger.activate()).rejects.toMatchObject({
    message: expect.stringMatching(/^Line "Client 15": The gateway cannot send events/),
    description: expect.stringContaining('WEBHOOK_URL'),
  });
  expect([own(), trigger.registrations()]).toEqual([[], []]);
});

test('a line that is switched off is left out, and is heard from the next start on', async () => {
  refused.set(lineAt(15), SWITCHED_OFF);
  const trigger = listening(several());
  await trigger.activate();
  expect(heard()).toHaveLength(19);
  refused.clear();
  expect(await again(trigger).activate()).toBe('created');
  expect(heard()).toHaveLength(20);

  refused.set(lineAt(15), SWITCHED_OFF);
  await expect(listening(several(), { lines: [lineAt(15)] }).activate()).rejects.toThrow(
    'Line "Client 15": This line is switched off',
  );
});

test('a line that the token gets or loses changes nothing for the others', async () => {
  const trigger = listening(several());
  await trigger.activate();
  const before = own().map(({ id }) => id);
  addLine(30);
  expect(await again(trigger).activate()).toBe('created');
  expect(own().map(({ id }) => id)).toEqual([...before, last]);
  expect(own().at(-1)).toMatchObject({ line: lineAt(30) });

  lines = lines.filter(({ id }) => id !== 12);
  refused.set(lineAt(12), OUT_OF_REACH);
  const made = created();
  expect(await again(trigger).activate()).toBe('created');
  expect(created()).toBe(made);
  expect(trigger.registrations()).toHaveLength(20);
  expect(await again(trigger).activate()).toBe('existed');
});

test('a line that cannot be left is named, and the others are left', async () => {
  const trigger = listening(several());
  await trigger.activate();
  refused.set(lineAt(12), refusal(503, 'overloaded', 130429, 'Busy', 'Try again.'));
  await expect(trigger.deactivate()).rejects.toThrow('Line "Client 12": The gateway has too much to do');
  expect(trigger.registrations()).toHaveLength(1);
});

test('moving from the token of one line to one of several leaves nothing behind', async () => {
  answerFor(LINE, DESTINATIONS);
  gateway.on('GET', STATUS, () => ({ body: { success: true, line: { id: 12, name: 'Main' } } }));
  const before = listening(gateway);
  await before.activate();
  gateway.on(
    'DELETE',
    DESTINATIONS.replace(LINE, '12') + '/1',
    gateway.routeOf('DELETE', `${DESTINATIONS}/1`),
  );
  const now = again(before, { lines: ['11'] });
  expect(await now.activate()).toBe('created');
  expect(heard()).toEqual([lineAt(11)]);
});

test('the panel lists the lines of the token, and none for the token of one line', async () => {
  const trigger = new MessagingGatewayTrigger();
  const listed = async (credentials: Record<string, string>) => {
    const one = node(TRIGGER, {});
    const context = new LoadOptionsContext(workflowOf([one]), one, additionalData(credentials), 'parameters');
    return await trigger.methods.loadOptions.getLines.call(context as unknown as ILoadOptionsFunctions);
  };
  expect((await listed(several().credentials))[0]).toEqual({
    name: 'Client 10 (+1 212-555-0110)',
    value: lineAt(10),
  });
  expect(await listed(gateway.credentials)).toEqual([]);
});

describe('an event', () => {
  const inbound = (line: string, message: IDataObject) =>
    JSON.stringify({
      entry: [
        {
          changes: [
            {
              value: {
                metadata: { phone_number_id: line },
                messages: [{ from: '12025550147', id: `wamid.${line}`, timestamp: '1750025136', ...message }],
              },
            },
          ],
        },
      ],
    });

  async function deliver(url: string, { secret, line }: Destination, message: IDataObject): Promise<number> {
    const body = inbound(line, message);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', secret).update(`evt.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'evt',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    };
    return (await fetch(url, { method: 'POST', body, headers })).status;
  }

  async function started(parameters: INodeParameters = {}) {
    const trigger = listening(several(), parameters);
    await trigger.activate();
    const inbox = await openInbox(() => trigger);
    const came = () => inbox.runs.map(([messages]) => messages.map(({ json }) => json));
    return { inbox, came };
  }

  test('of each line starts a run that names the line', async () => {
    const { inbox, came } = await started();
    for (const one of own())
      expect(await deliver(inbox.url, one, { type: 'text', text: { body: one.line } })).toBe(200);
    expect(came()).toEqual(
      own().map(({ line }) => [
        expect.objectContaining({
          text: line,
          phoneNumberId: line,
          line: Number(line) - Number(lineAt(0)),
          lineName: `Client ${Number(line) - Number(lineAt(0))}`,
        }),
      ]),
    );
    expect(await deliver(inbox.url, { ...own()[0], secret: 'forged' }, { type: 'text' })).toBe(401);
  });

  test('asks for its question and its file by its own line', async () => {
    const { inbox, came } = await started({ downloadFiles: true });
    const [, , third] = own();
    gateway.on('GET', `/v22.0/${third.line}/messages/wamid.Q`, () => ({ body: { text: 'Which size?' } }));
    await deliver(inbox.url, third, {
      type: 'button',
      button: { payload: 'small', text: 'Small' },
      context: { id: 'wamid.Q' },
    });
    expect(came()).toMatchObject([[{ questionText: 'Which size?' }]]);

    gateway.on('GET', '/v22.0/11', () => ({ body: { mime_type: 'text/plain', file_size: 2 } }));
    gateway.on('GET', '/v22.0/11/content', () => ({ body: 'ok' }));
    await deliver(inbox.url, third, { type: 'image', image: { id: '11', mime_type: 'image/png' } });
    const files = gateway.received.filter(({ path }) => path.startsWith('/v22.0/11'));
    expect(files.map(({ query }) => query)).toEqual(Array(2).fill({ phone_number_id: third.line }));
    expect(came()[1]).toMatchObject([{ media: { id: '11' } }]);
  });
});
