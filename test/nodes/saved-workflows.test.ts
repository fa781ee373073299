import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeHelpers, type IDataObject, type INode, type INodeParameters } from 'n8n-workflow';

import { send } from '../../nodes/MessagingGateway/actions/message/send.operation';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { MessagingGatewayTrigger } from '../../nodes/MessagingGateway/MessagingGatewayTrigger.node';
import { ACTION, node, runAction, TRIGGER } from '../support/n8n';
import {
  accepted,
  DESTINATIONS,
  gatewayForEach,
  LINE,
  MEDIA,
  MESSAGES,
  QUESTIONS,
  STATUS,
  TEMPLATES,
} from './support/gateway';

/**
 * Workflows as they were saved with the nodes of November 2026: they mean the same for ever. Nothing in `version-1` is
 * changed; a version of the nodes that means something else by it is a new `version` of theirs.
 */
const FOLDER = join(__dirname, 'version-1');
const read = (file: string): unknown => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));

/** Parameters as n8n saves them (what is left at its default is missing), and what they came to. */
interface Saved {
  name: string;
  parameters: INodeParameters;
  sent: IDataObject[];
  out: IDataObject;
}
const operations = read('operations.json') as Saved[];

/** The same by the operations that n8n lists as actions of their own. */
const byAction = operations.flatMap((saved) => {
  const { messageType, ...parameters } = saved.parameters;
  const action = send.presets?.operations.find(({ preset }) => preset.value === messageType);
  if (!action || !('to' in parameters)) return [];
  const { name, value: operation } = action;
  return [{ ...saved, name: `${saved.name}, by ${name}`, parameters: { ...parameters, operation } }];
});

const OURS = { [ACTION]: new MessagingGateway(), [TRIGGER]: new MessagingGatewayTrigger() };

/** What n8n makes of saved parameters when it opens or runs the workflow: it drops what it does not know. */
function understood(saved: INode): INodeParameters | null {
  const { description } = OURS[saved.type as keyof typeof OURS];
  return NodeHelpers.getNodeParameters(
    description.properties,
    saved.parameters,
    true,
    false,
    saved,
    description,
  );
}

const issuesOf = (saved: INode) => {
  const { description } = OURS[saved.type as keyof typeof OURS];
  // n8n looks for issues with the defaults filled in.
  const filled = { ...saved, parameters: understood(saved) ?? {} };
  return NodeHelpers.getNodeParametersIssues(description.properties, filled, description);
};

/** n8n makes the tools itself, with fields of its own. */
function asAction({ type, parameters, ...one }: INode): INode {
  const ofTools = ['descriptionType', 'toolDescription'];
  const ofAction = Object.entries(parameters).filter(([name]) => !ofTools.includes(name));
  return { ...one, type: type.replace(/(Hitl)?Tool$/, ''), parameters: Object.fromEntries(ofAction) };
}

/** Of each node in the examples of that time; a tool is named by n8n after its action. */
const EXAMPLES = (read('examples.json') as INode[])
  .map(asAction)
  .map((one): [string, INode] => [one.name, one]);

test.each(EXAMPLES)('the node "%s" of the examples of November 2026 is understood', (_name, saved) => {
  expect(OURS).toHaveProperty([saved.type]);
  expect(understood(saved)).toMatchObject(saved.parameters);
  expect(issuesOf(saved)).toBeNull();
});

test.each((read('triggers.json') as Saved[]).map((one): [string, Saved] => [one.name, one]))(
  'the trigger "%s" of November 2026 is understood',
  (_name, { parameters }) => {
    const saved = node(TRIGGER, parameters);
    expect(understood(saved)).toMatchObject(parameters);
    expect(issuesOf(saved)).toBeNull();
  },
);

describe('a node saved in November 2026', () => {
  const ITEM = {
    to: '+55 11 98765-4321',
    name: 'Ana',
    times: ['9 to 10', { title: '10 to 11', id: 'slot_10' }],
    rows: [
      { title: '9 to 10', id: 'slot_9', description: 'Two left', part: 'Morning' },
      { title: '12 to 13', part: 'Noon' },
    ],
    'body-1': 'Ana',
    'body-2': 'A-1042',
    'header-image-link': 'https://shop.example/a.png',
    'button-0-url': 'A-1042',
    'button-2-code': 'SALE',
  };
  const PNG = {
    data: Buffer.from('a picture').toString('base64'),
    mimeType: 'image/png',
    fileName: 'cake.png',
  };
  const TEMPLATE = {
    id: '1',
    name: 'order_update',
    language: 'en_US',
    category: 'utility',
    status: 'approved',
    quality_score: 'HIGH',
    header: { type: 'image', text: null },
    body: 'Hello {{1}}, your order {{2}} is ready.',
    footer: null,
    buttons: [
      { type: 'url', text: 'Track', url: 'https://shop.example/order/{{1}}' },
      { type: 'quick_reply', text: 'Stop' },
      { type: 'copy_code', text: 'Copy' },
    ],
    variables: 2,
  };
  const HELLO = {
    ...TEMPLATE,
    name: 'hello_world',
    header: null,
    body: 'Welcome!',
    buttons: [],
    variables: 0,
  };

  const gateway = gatewayForEach();
  beforeEach(() => {
    gateway.on('POST', MESSAGES, (request) =>
      'status' in (request.body as object) ? { body: { success: true } } : accepted(request),
    );
    gateway.on('POST', MEDIA, () => ({ body: { success: true, id: '4711' } }));
    gateway.on('GET', TEMPLATES, () => ({ body: { success: true, count: 2, data: [TEMPLATE, HELLO] } }));
    gateway.on('GET', STATUS, () => ({ body: { success: true, connected: true, state: 'connected' } }));
    gateway.on('GET', `/v22.0/${LINE}/messages/wamid.1`, () => ({
      body: {
        success: true,
        id: 'wamid.1',
        state: 'read',
        contact: '5511987654321',
        type: 'text',
        failure: null,
      },
    }));
    gateway.on('GET', `/v22.0/${LINE}/window/${encodeURIComponent(ITEM.to)}`, () => ({
      body: { open: true },
    }));
    gateway.on('GET', DESTINATIONS, () => ({ body: { success: true, count: 0, data: [] } }));
    gateway.on('POST', DESTINATIONS, () => ({
      statusCode: 201,
      body: { success: true, id: 7, secret: 's' },
    }));
  });

  /** What differs with every run stands as …; of a file its name and type count. */
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replace(/\/webhook-waiting\/[^"]*?signature=[0-9a-f]{64}/g, '/webhook-waiting/…')
        .replace(/"expires_in":\d+/g, '"expires_in":"…"')
        .replace(/"waitsUntil":"[^"]+"/g, '"waitsUntil":"…"')
        .replace(/gateway-[0-9a-f]{32}/g, 'boundary'),
    );

  test.each([...operations, ...byAction].map((one): [string, Saved] => [one.name, one]))(
    '"%s" sends and gives out the same',
    async (_name, { parameters, sent, out }) => {
      const saved = node(ACTION, parameters);
      expect(understood(saved)).toMatchObject(parameters);
      expect(issuesOf(saved)).toBeNull();

      const { items, error } = await runAction(gateway.credentials, parameters, [ITEM], {
        binary: [{ data: PNG }],
      });
      expect(error).toBeUndefined();
      // A gateway of that time has no questions, and says so.
      const before = gateway.received.filter(({ path }) => path !== QUESTIONS);
      const requests = before.map(({ method, path, query, body }) => ({
        method,
        path,
        ...(Object.keys(query).length > 0 && { query }),
        body,
      }));
      expect(plain(requests)).toEqual(sent);
      expect(plain(items[0].json)).toMatchObject(out);
    },
  );
});
