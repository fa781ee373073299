import { Linter, type ESLint } from 'eslint';
import {
  NodeHelpers,
  type INodeParameters,
  type INodePropertyCollection,
  type INodePropertyOptions,
} from 'n8n-workflow';

import { textField } from '../../nodes/MessagingGateway/fields';
import { send } from '../../nodes/MessagingGateway/actions/message/send.operation';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { MessagingGatewayTrigger } from '../../nodes/MessagingGateway/MessagingGatewayTrigger.node';
import { ACTION, node } from '../support/n8n';

/** n8n's own rules, which come without types. */
const nodesBase = jest.requireActual<ESLint.Plugin & { configs: { nodes: { rules: Linter.RulesRecord } } }>(
  'eslint-plugin-n8n-nodes-base',
);

/** Rules of n8n's that are not held here, each for a reason. */
const NOT_HELD = [
  // What is made of a required field, and is none, has to say so.
  'node-param-required-false',
  // That of a flow is the sender's own word for a message, no secret.
  'node-param-type-options-password-missing',
  // Off for community packages (eslint.config.mjs).
  'node-param-type-options-max-value-present',
].map((rule) => `n8n-nodes-base/${rule}`);

const RULES = Object.entries(nodesBase.configs.nodes.rules).filter(
  ([rule]) => rule.startsWith('n8n-nodes-base/node-param-') && !NOT_HELD.includes(rule),
);

/** n8n sorts choices by the alphabet; the days of a week have an order of their own. */
const DAYS_SORTED = 'Order: Friday | Monday | Saturday | Sunday | Thursday | Tuesday | Wednesday';

/** What n8n's rules say of these fields: they read objects as written, and see nothing of what a function makes. */
function complaints(fields: object[]): string[] {
  const written = `const fields = ${JSON.stringify(fields, null, 1).replace(/"(\w+)":/g, '$1:')}`;
  const lines = written.split('\n');
  return new Linter()
    .verify(written, { plugins: { 'n8n-nodes-base': nodesBase }, rules: Object.fromEntries(RULES) })
    .filter(({ message }) => !message.includes(DAYS_SORTED))
    .map(({ ruleId, message, line }) => `${ruleId}: ${message} ${lines[line - 1]?.trim()}`);
}

const badly = textField('in lower case', 'badly', { description: 'One sentence.' });

test.each([new MessagingGateway(), new MessagingGatewayTrigger()])(
  'fields are written as n8n has them written, also those that a function makes',
  ({ description }) => {
    expect(complaints(description.properties)).toEqual([]);
    expect(complaints([...description.properties, badly])).toHaveLength(2);
  },
);

/** The labels of the fields that the panel shows for these parameters. */
function shownFor(parameters: INodeParameters): string[] {
  const { description } = new MessagingGateway();
  const action = node(ACTION, parameters);
  const filled = NodeHelpers.getNodeParameters(
    description.properties,
    parameters,
    true,
    false,
    action,
    description,
  );
  return description.properties
    .filter((field) => NodeHelpers.displayParameter(filled!, field, action, description))
    .map(({ displayName }) => displayName);
}

test.each([
  ['a message', { resource: 'message', operation: 'send', to: '1', messageType: 'image' }],
  ['a question', { resource: 'message', operation: 'sendAndWait', to: '1' }],
])('the panel for %s mentions the 24 hours beside the choice for them, until it is made', (_of, panel) => {
  const labels = shownFor(panel);
  const notices = labels.filter((label) => label.startsWith('This reaches contacts who wrote'));
  expect(notices).toHaveLength(1);
  expect(labels.indexOf('Outside the 24 Hours')).toBe(labels.indexOf(notices[0]) + 1);
  expect(shownFor({ ...panel, outsideWindow: 'template' })).not.toContain(notices[0]);
});

test.each(send.presets!.operations)(
  '"$name" shows the fields that Send shows for its message type',
  ({ value: operation, preset }) => {
    const message = { resource: 'message', to: '1', outsideWindow: 'template' };
    const sent = { ...message, operation: 'send', messageType: preset.value };
    expect(shownFor({ ...message, operation })).toEqual(shownFor(sent));
  },
);

test('a contact card asks for the name and the phone number first', () => {
  const { properties } = new MessagingGateway().description;
  const [{ values }] = properties.find(({ name }) => name === 'contacts')!
    .options as INodePropertyCollection[];
  expect(values.slice(0, 2).map(({ name }) => name)).toEqual(['name', 'phone']);
});

test('n8n lists the received message first among the triggers, and each as a sentence', () => {
  const { properties } = new MessagingGatewayTrigger().description;
  const events = properties.find(({ name }) => name === 'events')!.options as INodePropertyOptions[];
  // n8n writes "On" before the name.
  expect(events.map(({ name, value }) => [value, `On ${name.toLowerCase()}`])).toEqual([
    ['messages', 'On message received'],
    ['delivered', 'On outgoing message delivered'],
    ['failed', 'On outgoing message failed'],
    ['read', 'On outgoing message read'],
    ['sent', 'On outgoing message sent'],
    ['payments', 'On payment updated'],
    ['alerts', 'On problem alert'],
  ]);
});
