import { Linter, type ESLint } from 'eslint';

import { textField } from '../../nodes/MessagingGateway/fields';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { MessagingGatewayTrigger } from '../../nodes/MessagingGateway/MessagingGatewayTrigger.node';

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

/** What n8n's rules say of these fields: they read objects as written, and see nothing of what a function makes. */
function complaints(fields: object[]): string[] {
  const written = `const fields = ${JSON.stringify(fields, null, 1).replace(/"(\w+)":/g, '$1:')}`;
  const lines = written.split('\n');
  return new Linter()
    .verify(written, { plugins: { 'n8n-nodes-base': nodesBase }, rules: Object.fromEntries(RULES) })
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
