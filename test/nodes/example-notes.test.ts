import type { INodeProperties } from 'n8n-workflow';

import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { MessagingGatewayTrigger } from '../../nodes/MessagingGateway/MessagingGatewayTrigger.node';
import { exampleNames, exampleWorkflow } from '../n8n/example-workflows';

/** What a person reads in a panel: names of fields and of their choices, at any depth. */
const labels = (properties: INodeProperties[]): string[] =>
  properties.flatMap((property) => [
    property.displayName,
    ...(property.options ?? []).flatMap((option) => {
      if ('values' in option) return [option.displayName, ...labels(option.values)];
      return 'displayName' in option ? labels([option]) : [option.name];
    }),
  ]);

const OURS = [new MessagingGateway(), new MessagingGatewayTrigger()].flatMap(({ description }) =>
  labels(description.properties),
);
const OF_N8N = ['Execute workflow'];

test.each(exampleNames())('the note of the example %s names what is to be seen in the editor', (name) => {
  const { nodes } = exampleWorkflow(name, { id: '1', name: 'Line' });
  const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
  expect(notes).toHaveLength(1);
  const named = [...String(notes[0].parameters.content).matchAll(/\*([^*]+)\*/g)].map(([, words]) => words);
  const seen = [...nodes.map((node) => node.name), ...OURS, ...OF_N8N];
  expect(named.filter((words) => !seen.includes(words))).toEqual([]);
});
