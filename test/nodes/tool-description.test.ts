import { NodeConnectionTypes, NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { resources } from '../../nodes/MessagingGateway/actions/resources';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { node, TOOL } from '../support/n8n';

/** The node as n8n turns it into a tool. It adds no description of its own where there is one. */
function asTool(parameters: INodeParameters) {
  const nodeType = new MessagingGateway();
  nodeType.description = {
    ...nodeType.description,
    name: `${nodeType.description.name}Tool`,
    inputs: [],
    outputs: [NodeConnectionTypes.AiTool],
  };
  const saved = node(TOOL, parameters);
  const { properties } = nodeType.description;
  const filled = NodeHelpers.getNodeParameters(
    properties,
    parameters,
    true,
    false,
    saved,
    nodeType.description,
  );
  return NodeHelpers.getToolDescriptionForNode({ ...saved, parameters: filled ?? {} }, nodeType);
}

const SEND = { resource: 'message', operation: 'send' };

test('a model reads what it has to know about a message on WhatsApp', () => {
  const description = asTool(SEND);
  expect(description).toContain('WhatsApp');
  expect(description).toContain('country code');
  expect(description).toContain('24 hours');
  expect(description).toContain('template');
});

test.each(
  resources.flatMap(({ value: resource, operations }) =>
    operations
      .filter(({ value }) => value !== 'sendAndWait')
      .flatMap((one) => [one, ...(one.presets?.operations ?? [])])
      .map(({ value }) => [resource, value]),
  ),
)('a model reads what %s: %s does on WhatsApp', (resource, operation) => {
  expect(asTool({ resource, operation })).toMatch(/WhatsApp.{30}/);
});

test('what was entered as the description stays', () => {
  const entered = { ...SEND, descriptionType: 'manual', toolDescription: 'Tell Ana' };
  expect(asTool(entered)).toBe('Tell Ana');
  expect(asTool({ ...SEND, descriptionType: 'auto' })).toContain('WhatsApp');
});

test('the node shows no such field where it is no tool', () => {
  const { description } = new MessagingGateway();
  const filled = NodeHelpers.getNodeParameters(
    description.properties,
    SEND,
    true,
    false,
    node('n8n-nodes-messaging-gateway.messagingGateway', SEND),
    description,
  );
  expect(filled).not.toHaveProperty('toolDescription');
});
