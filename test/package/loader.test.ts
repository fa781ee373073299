import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialType, INodeTypeDescription } from 'n8n-workflow';

import { send } from '../../nodes/MessagingGateway/actions/message/send.operation';
import { environment, pack, ROOT, stripAsN8nDoes, type Packed } from './support/packed';

interface Loaded {
  packageName: string;
  known: { nodes: Record<string, object>; credentials: Record<string, { supportedNodes: string[] }> };
  types: { nodes: INodeTypeDescription[]; credentials: ICredentialType[] };
}

const NODES = 'dist/nodes/MessagingGateway';

let packed: Packed;
let loaded: Loaded;
/** n8n-core's own loader, in a process of its own: there it loads each class in isolation, as in a running n8n. */
beforeAll(() => {
  packed = pack();
  stripAsN8nDoes(packed.directory);
  const program = `
    require('reflect-metadata');
    const { PackageDirectoryLoader } = require('n8n-core');
    const loader = new PackageDirectoryLoader(process.argv[1]);
    loader.loadAll().then(() => {
      const { packageName, known, types } = loader;
      process.stdout.write(JSON.stringify({ packageName, known, types }));
    });
  `;
  const answer = execFileSync(process.execPath, ['--eval', program, packed.directory], {
    cwd: ROOT,
    encoding: 'utf8',
    env: environment({ N8N_USER_FOLDER: join(packed.directory, '..') }),
    maxBuffer: 16 * 1024 * 1024,
  });
  loaded = JSON.parse(answer) as Loaded;
});
afterAll(() => packed.remove());

const nodeType = (name: string) => loaded.types.nodes.find((type) => type.name === name)!;

test('n8n finds both nodes and the credential that both use', () => {
  expect(loaded.packageName).toBe('n8n-nodes-messaging-gateway');
  expect(Object.keys(loaded.known.nodes)).toEqual(['messagingGateway', 'messagingGatewayTrigger']);
  expect(Object.keys(loaded.known.credentials)).toEqual(['messagingGatewayApi']);
  expect(loaded.known.credentials.messagingGatewayApi.supportedNodes).toEqual([
    'messagingGateway',
    'messagingGatewayTrigger',
  ]);
});

test('the action node lists its operations as n8n shows them', () => {
  const { properties, usableAsTool, displayName } = nodeType('messagingGateway');
  expect(displayName).toBe('Messaging Gateway');
  expect(usableAsTool).toBe(true);
  const actions = properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ options }) =>
      (options ?? []).map((option) => ('action' in option ? option.action : undefined)),
    );
  expect(actions).toEqual([
    'Get many opted out contacts',
    'Check number and window of contact',
    'Opt in contact',
    'Opt out contact',
    'Pause automation for contact',
    'Resume automation for contact',
    'Get line status',
    'Delete file',
    'Download file',
    'Upload file',
    'Get message',
    'Get many messages',
    'Mark message as read',
    'Send message',
    'Send message and wait for response',
    ...(send.presets?.operations.map(({ action }) => action) ?? []),
    'Get template',
    'Get many templates',
  ]);
});

test('the trigger has no input, and answers GET and POST', () => {
  const { inputs, webhooks, group } = nodeType('messagingGatewayTrigger');
  expect(group).toEqual(['trigger']);
  expect(inputs).toEqual([]);
  expect(webhooks?.map(({ httpMethod, path }) => [httpMethod, path])).toEqual([
    ['GET', 'webhook'],
    ['POST', 'webhook'],
  ]);
});

test('both nodes and the credential have their icons, for light and for dark', () => {
  const icons = {
    light: `icons/n8n-nodes-messaging-gateway/${NODES}/messagingGateway.svg`,
    dark: `icons/n8n-nodes-messaging-gateway/${NODES}/messagingGateway.dark.svg`,
  };
  expect(nodeType('messagingGateway').iconUrl).toEqual(icons);
  expect(nodeType('messagingGatewayTrigger').iconUrl).toEqual(icons);
  expect(loaded.types.credentials[0].iconUrl).toEqual(icons);
  for (const file of ['messagingGateway.svg', 'messagingGateway.dark.svg']) {
    expect(existsSync(join(packed.directory, NODES, file))).toBe(true);
  }
});

test('both nodes are found by category and by the words people search for', () => {
  for (const name of ['messagingGateway', 'messagingGatewayTrigger']) {
    const { codex } = nodeType(name);
    expect(codex?.categories).toContain('Communication');
    expect(codex?.alias).toContain('WhatsApp');
    expect(codex?.resources?.primaryDocumentation?.[0].url).toMatch(/^https:/);
    expect(codex?.resources?.credentialDocumentation?.[0].url).toMatch(/^https:/);
  }
});

test('the action node, whose words stand for both, is found by what people type in three languages', () => {
  const { alias = [] } = nodeType('messagingGateway').codex ?? {};
  for (const word of nodeType('messagingGatewayTrigger').codex?.alias ?? []) expect(alias).toContain(word);
  const typed = [
    ...['send message', 'receive message', 'text message', 'send and wait', 'ask', 'approve', 'typing'],
    ...['photo', 'audio', 'file', 'media', 'phone', 'contact', 'reminder', 'campaign', 'bulk', 'marketing'],
    ...['sms', 'notification', 'otp', 'zap', 'waba', 'whatsapp business'],
    ...['mensagem', 'lembrete', 'arquivo', 'perguntar', 'mensaje', 'recordatorio', 'archivo', 'preguntar'],
  ];
  const found = alias.map((word) => word.toLowerCase());
  expect(typed.filter((word) => !found.includes(word))).toEqual([]);
});

test('the test of the credential is a function of both nodes', () => {
  for (const name of ['messagingGateway', 'messagingGatewayTrigger']) {
    expect(nodeType(name).credentials).toEqual([
      { name: 'messagingGatewayApi', required: true, testedBy: 'testCredential' },
    ]);
  }
});
