import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

const noteOf = (name: string) => {
  const { nodes } = exampleWorkflow(name, { id: '1', name: 'Line' });
  const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
  expect(notes).toHaveLength(1);
  return { nodes, note: String(notes[0]?.parameters.content) };
};

test.each(exampleNames())('the note of the example %s names what is to be seen in the editor', (name) => {
  const { nodes, note } = noteOf(name);
  const named = [...note.matchAll(/\*([^*]+)\*/g)].map(([, words]) => words);
  const seen = [...nodes.map((node) => node.name), ...OURS, ...OF_N8N];
  expect(named.filter((words) => !seen.includes(words ?? ''))).toEqual([]);
});

/** What n8n asks of a template in its gallery, as far as a program can tell. */
test.each(exampleNames())('the example %s can go into the gallery of n8n as it is', (name) => {
  const { nodes, note } = noteOf(name);
  const headings = [...note.matchAll(/^#+ (.+)$/gm)].map(([, words]) => words);
  expect(headings.slice(1)).toEqual(['How it works', 'Set up', 'Change it']);
  // Whoever finds it in the gallery has neither. The page Community Nodes looks in the npm registry, which has no such package.
  expect(note).toMatch(
    /### Set up\nYou need .*Messaging Gateway.*#installation.*n8n-nodes-messaging-gateway\./,
  );
  expect(note).not.toContain('Community Nodes');
  const saved = JSON.parse(readFileSync(join(__dirname, `../n8n/workflows/${name}.json`), 'utf8')) as {
    nodes: Array<{ credentials?: Record<string, { id: string; name: string }> }>;
  };
  for (const { credentials = {} } of saved.nodes) {
    for (const one of Object.values(credentials)) expect(one).toEqual({ id: '', name: '' });
  }
  // Numbers of nobody: the part of the plan that is kept for examples.
  for (const number of JSON.stringify(nodes).match(/\+\d[\d ()-]{9,}\d/g) ?? []) {
    expect(number).toMatch(/^\+1 202 555 01\d\d$/);
  }
});
