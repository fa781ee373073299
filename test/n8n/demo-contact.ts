import { DEMO_CONTACT } from '../../gateway/sandbox/platform/account';
import { itemsOf, type Workflow } from './editor-client';
import { contactDoes, conversationOf, type Doing, type PhoneMessage } from './sandbox-phone';
import { scene } from './shared-scene';
import { waitUntil } from './wait-until';
import { type WebhookDoor } from './webhook-door';

/** After a kill the gateway may take 30 s from its start. Milliseconds. */
const LONG_ENOUGH = 60_000;

/** The trigger in the workflows that `listening` makes. */
export const TRIGGER = 'When something happens';

/** A contact writes, taps, chooses or sends something; returns the id of its message. */
export const does = (doing: Doing | Record<string, unknown>, contact = DEMO_CONTACT): Promise<string> =>
  contactDoes(scene.gateway.sandboxUrl, contact, { name: 'Ana', ...doing } as Doing);

/** The contact's conversation with the line, oldest message first. */
export const phone = (contact = DEMO_CONTACT): Promise<PhoneMessage[]> =>
  conversationOf(scene.gateway.sandboxUrl, contact);

/** The line's next message to the demo contact, which must be the newest of the conversation. */
export const nextOnThePhone = (type: string): Promise<PhoneMessage> =>
  waitUntil(`a message of type ${type} on the phone`, async () => {
    const newest = (await phone()).at(-1);
    return newest?.direction === 'to_contact' && newest.type === type ? newest : undefined;
  });

/** Sends to the demo contact by a workflow of its own; returns the message's id. */
export async function send(parameters: Record<string, unknown>): Promise<string> {
  const to = DEMO_CONTACT;
  const execution = await scene.run('Send', [
    scene.action('Send', { resource: 'message', operation: 'send', to, ...parameters }),
  ]);
  expect(execution).toMatchObject({ status: 'success' });
  return String(itemsOf(execution, 'Send')[0].messageId);
}

/** A saved workflow of our trigger alone; it is not live yet. */
export const listening = (parameters: Record<string, unknown>): Promise<Workflow> =>
  scene.editor.createWorkflow({
    name: 'Listen',
    nodes: [scene.trigger(TRIGGER, parameters)],
    connections: {},
  });

/** Everything that such a workflow's trigger has given out so far: of messages (0) or of statuses (1). */
export async function received(workflow: Workflow, output: 0 | 1 = 0): Promise<Record<string, unknown>[]> {
  const executions = await scene.editor.executionsOf(workflow);
  return executions.flatMap((execution) => itemsOf(execution, TRIGGER, output));
}

/** The item that it gives out for the contact's message of that id. */
export const receivedOf = (workflow: Workflow, id: string): Promise<Record<string, unknown>> =>
  waitUntil(
    `the workflow to receive ${id}`,
    async () => (await received(workflow)).find(({ messageId }) => messageId === id),
    { withinMs: LONG_ENOUGH },
  );

/** What came to the door of n8n with that message in it. */
export const cameToN8n = (id: string): WebhookDoor['came'] =>
  scene.door.came.filter(({ body }) => JSON.stringify(body).includes(`"id":"${id}"`));
