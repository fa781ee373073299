import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_CONTACT, DEMO_LINE } from '../../gateway/sandbox/account';
import { demoLineIn, type DemoLine } from './demo-line';
import { type EditorClient, itemsOf, openEditor, type Workflow, type WorkflowNode } from './editor-client';
import { CREDENTIAL_TYPE, exampleWorkflow } from './example-workflows';
import { freePort } from './free-port';
import { type RunningGateway, startGateway } from './gateway-process';
import { installN8n } from './install-n8n';
import { installNodes } from './install-nodes';
import { REPOSITORY } from './n8n-home';
import { type RunningN8n, startN8n } from './n8n-process';
import { contactDoes, conversationOf } from './sandbox-phone';
import { waitUntil } from './wait-until';
import { openDoor, type WebhookDoor } from './webhook-door';

const MINUTE = 60_000;

/** The first run installs n8n. */
const SETUP_WITHIN = 20 * MINUTE;

jest.setTimeout(2 * MINUTE);

const OWNER = { email: 'test@example.com', password: 'Only-for-tests-1' };
const ALL_EVENTS = ['messages', 'sent', 'delivered', 'read', 'failed'];

let folder: string;
let gateway: RunningGateway;
let door: WebhookDoor;
let n8n: RunningN8n;
let editor: EditorClient;
let demoLine: DemoLine;
let credential: { id: string; name: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'main-job-'));
  const installed = await installN8n(process.env.N8N_VERSION || undefined);
  gateway = await startGateway({ folder, port: await freePort(), logFile: join(folder, 'gateway.log') });
  demoLine = demoLineIn(folder);

  const userFolder = join(folder, 'n8n');
  installNodes(REPOSITORY, userFolder);
  door = await openDoor();
  n8n = await startN8n({
    n8n: installed,
    userFolder,
    port: await freePort(),
    logFile: join(folder, 'n8n.log'),
    webhookUrl: door.url,
  });
  door.leadTo(n8n.url);
  editor = await openEditor(n8n.url, OWNER);
  credential = await editor.createCredential('Demo line', CREDENTIAL_TYPE, credentialData());
}, SETUP_WITHIN);

afterAll(async () => {
  await n8n?.stop();
  await gateway?.stop();
  await door?.close();
  if (folder && !process.env.KEEP_TEST_FOLDER) rmSync(folder, { recursive: true, force: true });
}, MINUTE);

const credentialData = () => ({ baseUrl: gateway.url, line: demoLine.tid, token: demoLine.token });

describe('the credential', () => {
  it('passes its test with the token of the line, and fails it with another', async () => {
    const good = await editor.testCredential(credential, CREDENTIAL_TYPE, credentialData());
    const bad = await editor.testCredential(credential, CREDENTIAL_TYPE, {
      ...credentialData(),
      token: 'gwl_wrong',
    });

    expect(good).toMatchObject({ status: 'OK' });
    // n8n 2.8 shows a sentence of its own instead of the credential's.
    const sentence = /does not accept this token|Authorization failed/;
    expect(bad).toMatchObject({ status: 'Error', message: expect.stringMatching(sentence) });
  });
});

describe('a workflow that is run by hand', () => {
  it('sends a template with two variables and a text, and gives out the ids of both', async () => {
    await contactWrites('Hello');
    const workflow = await editor.createWorkflow(exampleWorkflow('send-a-template-and-a-text', credential));

    const execution = await editor.run(workflow, 'When clicking Execute');

    expect(execution).toMatchObject({ status: 'success' });
    const [template] = itemsOf(execution, 'Send template');
    const [text] = itemsOf(execution, 'Send text');
    expect(template).toMatchObject({ messageId: expect.stringMatching(/^wamid\./), waId: DEMO_CONTACT });
    expect(text).toMatchObject({ messageId: expect.stringMatching(/^wamid\./), waId: DEMO_CONTACT });
    expect(text.messageId).not.toBe(template.messageId);

    const onThePhone = await conversationOf(gateway.sandboxUrl, DEMO_CONTACT);
    expect(onThePhone.find(({ id }) => id === template.messageId)).toMatchObject({
      type: 'template',
      shown: expect.stringMatching(/Ana.* A-1042/),
    });
    expect(onThePhone.find(({ id }) => id === text.messageId)).toMatchObject({
      type: 'text',
      text: { body: 'Is there anything else that we can do for you?' },
    });
  });

  it('says what to do when a text is sent to a contact who never wrote, and sends nothing', async () => {
    const stranger = '12025550199';
    const sendText = nodeOf('Send text', 'messagingGateway', {
      resource: 'message',
      operation: 'send',
      to: stranger,
      messageType: 'text',
      text: 'Hello?',
    });

    const execution = await editor.run(await manualWorkflow('To a stranger', [sendText]), 'Start');

    expect(execution.status).toBe('error');
    const { message, description } = execution.data.resultData.error ?? { message: '' };
    expect(`${message} ${description}`).toMatch(/24.hour/i);
    expect(`${message} ${description}`).toMatch(/template/i);
    expect(await conversationOf(gateway.sandboxUrl, stranger)).toEqual([]);
  });

  it('lists the templates of the line and reads its state', async () => {
    const workflow = await editor.createWorkflow(exampleWorkflow('look-at-the-line', credential));

    const execution = await editor.run(workflow, 'When clicking Execute');

    expect(execution).toMatchObject({ status: 'success' });
    const templates = itemsOf(execution, 'List templates');
    expect(templates).toContainEqual(
      expect.objectContaining({ name: 'order_update', language: 'en_US', status: 'approved', variables: 2 }),
    );
    expect(templates).toContainEqual(
      expect.objectContaining({ name: 'delivery_feedback', status: 'pending' }),
    );
    expect(itemsOf(execution, 'Line status')).toEqual([
      expect.objectContaining({ connected: true, state: 'connected' }),
    ]);
  });
});

describe("the node's panel", () => {
  const panel = (parameters: Record<string, unknown> = {}) =>
    nodeOf('Send', 'messagingGateway', {
      resource: 'message',
      operation: 'send',
      messageType: 'template',
      template: { __rl: true, mode: 'list', value: '' },
      ...parameters,
    });

  it('offers the approved templates that match what is typed, and no others', async () => {
    const all = await editor.locatorResults({
      path: 'parameters.template',
      methodName: 'searchTemplates',
      node: panel(),
    });
    const typed = await editor.locatorResults({
      path: 'parameters.template',
      methodName: 'searchTemplates',
      node: panel(),
      filter: 'appointment',
    });

    expect(all.results.map(({ value }) => value)).toEqual(
      expect.arrayContaining(['hello_world|en_US', 'order_update|en_US', 'order_update|pt_BR']),
    );
    expect(all.results.map(({ value }) => value)).not.toContain('delivery_feedback|en_US');
    expect(typed.results.map(({ value }) => value)).toEqual(['appointment_reminder|en_US']);
  });

  it('makes a form of the variables of the chosen template, which is the one in the example', async () => {
    const { fields } = await editor.mapperFields({
      path: 'parameters.templateVariables',
      methodName: 'getTemplateVariables',
      node: panel({ template: { __rl: true, mode: 'list', value: 'order_update|en_US' } }),
    });

    const example = exampleWorkflow('send-a-template-and-a-text', credential).nodes[1].parameters;
    expect(fields.map(({ id }) => id)).toEqual(['body-1', 'body-2']);
    expect(example.templateVariables).toMatchObject({ schema: fields }); // else the editor warns of a stale form
  });
});

describe('an active workflow that begins with the trigger', () => {
  const TRIGGER = 'When something happens';
  let listening: Workflow;

  beforeAll(async () => {
    listening = await editor.createWorkflow({
      name: 'Listen',
      nodes: [nodeOf(TRIGGER, 'messagingGatewayTrigger', { events: ALL_EVENTS })],
      connections: {},
    });
    await editor.activate(listening);
  }, MINUTE);

  it('has registered itself at the gateway, with the events that it wants', async () => {
    const destinations = await destinationsOfTheLine();
    expect(destinations).toEqual([
      expect.objectContaining({
        url: expect.stringContaining(`${door.url}/webhook/`),
        events: expect.arrayContaining(ALL_EVENTS),
      }),
    ]);
    expect(JSON.stringify(destinations)).not.toContain('secret');
  });

  it('receives what a contact writes', async () => {
    const id = await contactWrites('Where is my order?');

    expect(await message(id)).toMatchObject({
      from: DEMO_CONTACT,
      name: 'Ana',
      kind: 'text',
      text: 'Where is my order?',
      replyId: null,
      line: 1,
      phoneNumberId: DEMO_LINE.phoneNumberId,
    });
  });

  it('receives the button that a contact taps', async () => {
    const offer = await send({
      messageType: 'buttons',
      body: 'When shall we deliver?',
      buttons: {
        button: [
          { title: 'Today', id: 'today' },
          { title: 'Tomorrow', id: 'tomorrow' },
        ],
      },
    });

    const id = await contactDoes(gateway.sandboxUrl, DEMO_CONTACT, { button: 'Tomorrow' });

    expect(await message(id)).toMatchObject({
      kind: 'interactive',
      text: 'Tomorrow',
      replyId: 'tomorrow',
      replyTitle: 'Tomorrow',
      contextId: offer,
    });
  });

  it('receives the row that a contact chooses from a list', async () => {
    const offer = await send({
      messageType: 'list',
      body: 'Which time suits you?',
      listButton: 'See times',
      sections: {
        section: [
          {
            title: 'Morning',
            rows: {
              row: [
                { title: '9 to 10', description: 'Two places left', id: 'slot_9' },
                { title: '10 to 11', description: '', id: 'slot_10' },
              ],
            },
          },
        ],
      },
    });

    const id = await contactDoes(gateway.sandboxUrl, DEMO_CONTACT, { row: '9 to 10' });

    expect(await message(id)).toMatchObject({
      kind: 'interactive',
      replyId: 'slot_9',
      replyTitle: '9 to 10',
      replyDescription: 'Two places left',
      contextId: offer,
    });
  });

  it('receives sent, delivered and read of what was sent, once each', async () => {
    const id = await send({
      messageType: 'text',
      text: 'On its way.',
      options: { clientRef: 'order A-1042' },
    });

    const statuses = await waitUntil('the three statuses', async () => {
      const found = (await received()).statuses.filter(({ messageId }) => messageId === id);
      return found.length >= 3 ? found : undefined;
    });

    expect(statuses.map(({ messageStatus }) => messageStatus).sort()).toEqual(['delivered', 'read', 'sent']);
    expect(statuses).toEqual(Array(3).fill(expect.objectContaining({ clientRef: 'order A-1042' })));
  });

  it('receives what a contact wrote before the gateway was killed and could forward it', async () => {
    door.set('silent');
    const id = await contactWrites('Are you there?');
    await waitUntil('the gateway to try to forward it', () => attemptsToForward(id)[0]);
    await gateway.kill();
    expect(attemptsToForward(id)).toEqual([expect.objectContaining({ passedOn: false })]);
    expect((await received()).messages.filter(({ messageId }) => messageId === id)).toEqual([]);

    door.set('open');
    gateway = await restartGateway();

    expect(await message(id)).toMatchObject({ from: DEMO_CONTACT, kind: 'text', text: 'Are you there?' });
    const [first, ...repeats] = attemptsToForward(id);
    expect(repeats.length).toBeGreaterThan(0);
    expect(repeats[0].headers['webhook-id']).toBe(first.headers['webhook-id']);
  });

  it('runs no workflow for an event that is not signed by the gateway', async () => {
    const genuine = await contactWrites('Good evening');
    await message(genuine);
    const forged = JSON.stringify(attemptsToForward(genuine)[0].body).replaceAll(genuine, 'wamid.forged');
    const [{ url }] = await destinationsOfTheLine();

    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
      body: forged,
    });

    expect(answer.status).toBe(401);
    await message(await contactWrites('Good night')); // what came later has arrived
    expect((await received()).messages.map(({ messageId }) => messageId)).not.toContain('wamid.forged');
  });

  it('goes on receiving while it is tested in the editor, which gets the same message', async () => {
    const [production] = await destinationsOfTheLine();

    await editor.listenForTest(listening, TRIGGER);
    expect(await destinationsOfTheLine()).toHaveLength(2);
    const id = await contactWrites('Is this a test?');

    expect(await message(id)).toMatchObject({ text: 'Is this a test?' });
    const modes = await waitUntil('both runs', async () => {
      const runs = (await editor.executionsOf(listening)).filter((execution) =>
        itemsOf(execution, TRIGGER).some(({ messageId }) => messageId === id),
      );
      return runs.length >= 2 ? runs.map(({ mode }) => mode).sort() : undefined;
    });
    expect(modes).toEqual(['manual', 'webhook']);
    await waitUntil('the test to take its registration back', async () =>
      (await destinationsOfTheLine()).length === 1 ? true : undefined,
    );
    expect(await destinationsOfTheLine()).toEqual([production]);
  });

  it('takes its registration back when it is deactivated', async () => {
    await editor.deactivate(listening);
    expect(await destinationsOfTheLine()).toEqual([]);
  });

  /** The item that the trigger gave out for the contact's message of that id. */
  function message(id: string): Promise<Record<string, unknown>> {
    return waitUntil(
      `the workflow to receive ${id}`,
      async () => (await received()).messages.find(({ messageId }) => messageId === id),
      { withinMs: MINUTE }, // after a kill the gateway may take 30 s from its start
    );
  }

  /** Everything that the trigger has given out so far, on its two outputs. */
  async function received() {
    const executions = await editor.executionsOf(listening);
    return {
      messages: executions.flatMap((execution) => itemsOf(execution, TRIGGER, 0)),
      statuses: executions.flatMap((execution) => itemsOf(execution, TRIGGER, 1)),
    };
  }
});

describe('the example that answers contacts', () => {
  it('asks who writes, and confirms the button that is tapped', async () => {
    const workflow = await editor.createWorkflow(exampleWorkflow('answer-contacts', credential));
    await editor.activate(workflow);

    await contactWrites('Good morning');
    const question = await nextOnThePhone('interactive');
    await contactDoes(gateway.sandboxUrl, DEMO_CONTACT, { button: 'Tomorrow', message: question.id });
    const confirmation = await nextOnThePhone('text');

    expect(confirmation).toMatchObject({ text: { body: 'Tomorrow it is. Thank you, Ana!' } });
    await editor.deactivate(workflow);
  });

  /** The line's next message to the contact, which must be the newest of the conversation. */
  function nextOnThePhone(type: string) {
    return waitUntil(`a message of type ${type} on the phone`, async () => {
      const newest = (await conversationOf(gateway.sandboxUrl, DEMO_CONTACT)).at(-1);
      return newest?.direction === 'to_contact' && newest.type === type ? newest : undefined;
    });
  }
});

const contactWrites = (text: string): Promise<string> =>
  contactDoes(gateway.sandboxUrl, DEMO_CONTACT, { text, name: 'Ana' });

const restartGateway = (): Promise<RunningGateway> =>
  startGateway({ folder, port: Number(new URL(gateway.url).port), logFile: join(folder, 'gateway.log') });

/** What came to the door of n8n with that message in it. */
const attemptsToForward = (id: string): WebhookDoor['came'] =>
  door.came.filter(({ body }) => JSON.stringify(body).includes(`"id":"${id}"`));

async function destinationsOfTheLine(): Promise<{ id: unknown; url: string; events: string[] }[]> {
  const answer = await fetch(`${gateway.url}/v22.0/${demoLine.tid}/destinations`, {
    headers: { authorization: `Bearer ${demoLine.token}` },
  });
  return ((await answer.json()) as { data: { id: unknown; url: string; events: string[] }[] }).data;
}

/** Sends to the demo contact by a workflow of its own; returns the message's id. */
async function send(parameters: Record<string, unknown>): Promise<string> {
  const node = nodeOf('Send', 'messagingGateway', {
    resource: 'message',
    operation: 'send',
    to: DEMO_CONTACT,
    ...parameters,
  });
  const execution = await editor.run(await manualWorkflow('Send', [node]), 'Start');
  expect(execution).toMatchObject({ status: 'success' });
  return String(itemsOf(execution, 'Send')[0].messageId);
}

/** A workflow that starts by hand and goes through the nodes one after the other. */
function manualWorkflow(name: string, nodes: WorkflowNode[]): Promise<Workflow> {
  const start: WorkflowNode = {
    id: crypto.randomUUID(),
    name: 'Start',
    type: 'n8n-nodes-base.manualTrigger',
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  };
  const chain = [start, ...nodes];
  const connections = Object.fromEntries(
    nodes.map((node, index) => [
      chain[index].name,
      { main: [[{ node: node.name, type: 'main', index: 0 }]] },
    ]),
  );
  return editor.createWorkflow({ name, nodes: chain, connections });
}

function nodeOf(name: string, type: string, parameters: Record<string, unknown>): WorkflowNode {
  const id = crypto.randomUUID();
  return {
    id,
    name,
    type: `n8n-nodes-messaging-gateway.${type}`,
    typeVersion: 1,
    position: [240, 0],
    parameters,
    credentials: { [CREDENTIAL_TYPE]: credential },
    ...(type.endsWith('Trigger') && { webhookId: id }),
  };
}
