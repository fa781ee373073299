import type { INodeParameters } from 'n8n-workflow';

import { MESSAGE_EXAMPLES } from '../../gateway/api/messages/message-examples';
import { nodeParameters } from '../../gateway/panel/send/n8n-node';
import { runAction } from '../support/n8n';
import { openWorld, type World } from './support/world';

const CONTACT = '12025550147';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.does(CONTACT, { text: 'Hello' });
});
afterAll(() => world.close());

const message = (type: string, part: object) => ({ to: CONTACT, type, [type]: part });

/** With every value that a template's parts may take. */
const FULL_TEMPLATE = message('template', {
  name: 'not_known_here',
  language: { code: 'pt_BR' },
  components: [
    { type: 'header', parameters: [{ type: 'image', image: { link: 'https://www.example.com/a.jpg' } }] },
    { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ana' }] },
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'A-1042' }] },
    {
      type: 'button',
      sub_type: 'copy_code',
      index: '1',
      parameters: [{ type: 'coupon_code', coupon_code: 'SUMMER' }],
    },
  ],
});

/** With a header, as each kind may have one, and a footer. */
const headed = (name: string, header: object): [string, Record<string, unknown>] => {
  const { interactive } = MESSAGE_EXAMPLES[name]?.value as { interactive: object };
  const around = { header, footer: { text: 'My shop' } };
  return [`${name} beneath ${JSON.stringify(header)}`, message('interactive', { ...interactive, ...around })];
};

const BODIES: [string, Record<string, unknown>][] = [
  ...Object.entries(MESSAGE_EXAMPLES)
    .map(([name, { value }]): [string, Record<string, unknown>] => [name, value as Record<string, unknown>])
    .filter(([, { type }]) => type !== undefined),
  ['a file that was uploaded', message('image', { id: '1234567890', caption: 'Your *parcel*' })],
  headed('reply_buttons', { type: 'image', image: { link: 'https://www.example.com/a.jpg' } }),
  headed('list', { type: 'text', text: 'Friday' }),
  headed('link_button', { type: 'document', document: { id: '1234567890' } }),
  [
    'a flow that is no more than a draft',
    message('interactive', {
      type: 'flow',
      header: { type: 'text', text: 'Friday' },
      body: { text: 'Choose' },
      action: {
        name: 'flow',
        parameters: {
          flow_message_version: '3',
          flow_name: 'choose a day',
          flow_cta: 'Open',
          mode: 'draft',
          flow_action: 'navigate',
          flow_action_payload: { screen: 'DAYS' },
        },
      },
    }),
  ],
  ['a template with all that one may have', FULL_TEMPLATE],
];

test.each(BODIES)('the panel’s settings of the node make the node send the same: %s', async (_name, body) => {
  const before = world.wire.sent().length;
  await runAction(world.credentials, nodeParameters(body) as INodeParameters);
  const [sent] = world.wire.sent().slice(before);
  const type = String(body.type);
  // A text says the same with its preview off as without a word of it.
  const said = type === 'text' ? { body: (body.text as { body: string }).body } : body[type];
  expect(sent).toMatchObject({ to: CONTACT, type, [type]: said });
});
