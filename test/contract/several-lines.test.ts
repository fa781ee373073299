import { LoadOptionsContext } from 'n8n-core';
import type { ILoadOptionsFunctions, INodeParameters } from 'n8n-workflow';

import { createAdminToken } from '../../gateway/admin-tokens/manage-admin-tokens';
import { commandActor, offline } from '../../gateway/cli/offline';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { until } from '../support/http-peer';
import { listening, openInbox, type Inbox, type Listening } from '../support/listening';
import { ACTION, additionalData, node, runAction, workflow } from '../support/n8n';
import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { testCredential } from '../support/credential-check';
import { openWorld, type World } from './support/world';

const OTHERS = ['106540352242930', '106540352242931'];
const LINES = [PHONE_NUMBER_ID, ...OTHERS];
const contactOf = (index: number) => `1202555010${index}`;

let world: World;
let credentials: World['credentials'];
beforeAll(async () => {
  world = await openWorld({ otherLines: OTHERS });
  credentials = await withTokenOf([1, 2, 3]);
});
afterAll(() => world.close());

async function withTokenOf(lineIds: number[]): Promise<World['credentials']> {
  const given = { name: 'n8n', permissions: ['send', 'read', 'destinations'], lineIds };
  const { token } = await offline(world.gateway.env, (deps) =>
    createAdminToken(deps, commandActor(), null, given),
  );
  await world.gateway.refresh();
  // Without the wire, which passes no files on.
  return { baseUrl: world.gateway.url, line: '', token };
}

const writes = (index: number, what: object) => world.does(contactOf(index), what, LINES[index]);

async function bodiesOf(index: number): Promise<unknown[]> {
  const path = `contacts/${contactOf(index)}/messages?line=${LINES[index]}`;
  const answer = await fetch(`${world.sandbox.url}/sandbox/${path}`);
  const { messages } = (await answer.json()) as { messages: Array<{ text?: { body: string } }> };
  return messages.map(({ text }) => text?.body);
}

const byItem = { __rl: true, mode: 'id', value: '={{ $json.line }}' };

test('the credential passes its test, and the panel lists its lines', async () => {
  expect(await testCredential(credentials)).toBeUndefined();
  const action = node(ACTION, {});
  const context = new LoadOptionsContext(
    workflow([action]),
    action,
    additionalData(credentials),
    'parameters',
  );
  const { searchLines } = new MessagingGateway().methods.listSearch;
  const { results } = await searchLines.call(context as unknown as ILoadOptionsFunctions, 'other');
  expect(results.map(({ value }) => value)).toEqual(OTHERS);
});

describe('one trigger for all lines', () => {
  let inbox: Inbox;
  let trigger: Listening;
  beforeEach(async () => {
    inbox = await openInbox(() => trigger);
    trigger = listening({ credentials }, { events: ['messages'], downloadFiles: true }, {}, inbox.n8nUrl);
    await trigger.activate();
  });
  afterEach(async () => {
    await trigger.deactivate();
    await inbox.close();
  });
  const items = () => inbox.runs.flatMap(([messages]) => messages);

  test('starts a run for each message, answers by its line, and has its file', async () => {
    for (const index of LINES.keys()) await writes(index, { text: `Hello ${index}` });
    await until(() => inbox.runs.length === 3);
    const came = items().map(({ json }) => json);
    expect(new Set(came.map((json) => [json.from, json.phoneNumberId, json.text].join()))).toEqual(
      new Set(LINES.map((line, index) => [contactOf(index), line, `Hello ${index}`].join())),
    );
    expect(new Set(came.map((json) => json.lineName))).toEqual(
      new Set(['Test line', 'Other line 1', 'Other line 2']),
    );

    const reply: INodeParameters = {
      line: { __rl: true, mode: 'id', value: '={{ $json.phoneNumberId }}' },
      to: '={{ $json.from }}',
      text: '={{ "You wrote: " + $json.text }}',
    };
    const { error } = await runAction(credentials, reply, came);
    expect(error).toBeUndefined();
    for (const index of LINES.keys())
      expect(await bodiesOf(index)).toEqual([`Hello ${index}`, `You wrote: Hello ${index}`]);

    await writes(1, { image: {} });
    await until(() => inbox.runs.length === 4);
    expect(items()[3]).toMatchObject({ json: { phoneNumberId: LINES[1] }, binary: { data: {} } });
    expect(await trigger.activate()).toBe('existed');
  });
});

test('a file is loaded by the line of its item', async () => {
  const { items } = await runAction(
    credentials,
    { resource: 'media', operation: 'upload', line: byItem },
    LINES.map((line) => ({ line })),
    { binary: LINES.map(() => ({ data: { data: 'aGk=', mimeType: 'text/plain', fileName: 'a.txt' } })) },
  );
  const loaded = await runAction(
    credentials,
    { resource: 'media', operation: 'download', mediaId: '={{ $json.mediaId }}', line: byItem },
    LINES.map((line, index) => ({ line, mediaId: items[index]?.json.mediaId })),
  );
  expect(loaded.items.map(({ json }) => json.fileSize)).toEqual([2, 2, 2]);
});

test('a line outside of the token is refused, and nothing is sent', async () => {
  const { error } = await runAction(
    await withTokenOf([1, 2]),
    { to: contactOf(2), text: 'Hello', line: byItem },
    [{ line: OTHERS[1] }],
  );
  expect(error?.message).toBe(`The gateway does not accept this token for the line ${OTHERS[1]}`);
});
