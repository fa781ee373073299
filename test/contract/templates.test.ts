import { LoadOptionsContext } from 'n8n-core';
import type { IDataObject, ILoadOptionsFunctions, INodeParameters, ResourceMapperField } from 'n8n-workflow';

import type { Template, ComponentDefinition } from '../../gateway/sandbox/templates/starter-templates';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { ACTION, additionalData, node, runAction, workflow } from '../support/n8n';
import { expectOnlyValidRequests } from './support/wire';
import { openWorld, type World } from './support/world';

const CONTACT = '5511987654321';
const SEND = { resource: 'message', operation: 'send', to: CONTACT, messageType: 'template' };

/** A template of the business account. @param more such as its status */
const template = (
  name: string,
  components: ComponentDefinition[],
  more: Partial<Template> = {},
): Template => ({
  name,
  parameter_format: 'POSITIONAL',
  components,
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  quality_score: { score: 'GREEN', date: 1767603600 },
  rejected_reason: 'NONE',
  id: '1094370815520011',
  ...more,
});

const body = (text: string): ComponentDefinition => ({ type: 'BODY', text });
const NAMED = { parameter_format: 'NAMED' } as const;
const TWELVE = Array.from({ length: 12 }, (_, index) => `${index + 1}: {{${index + 1}}}`).join(', ');

const TEMPLATES: Template[] = [
  template('plain', [body('Hello World')]),
  template('positional', [body('Hello {{1}}, your order {{2}} is ready. See you, {{1}}!')]),
  template('positional', [body('Olá {{1}}, o pedido {{2}} está pronto.')], { language: 'pt_BR' }),
  template('twelve_values', [body(TWELVE)]),
  template('named', [body('Hello {{customer_name}}, we received {{amount}}.')], NAMED),
  template('header_text', [{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }, body('Ready, {{1}}.')]),
  template(
    'header_text_named',
    [{ type: 'HEADER', format: 'TEXT', text: 'Order {{image}}' }, body('Ready, {{name}}.')],
    NAMED,
  ),
  template('header_image', [{ type: 'HEADER', format: 'IMAGE' }, body('Look, {{1}}')]),
  template('header_video', [{ type: 'HEADER', format: 'VIDEO' }, body('Look')]),
  template('header_document', [{ type: 'HEADER', format: 'DOCUMENT' }, body('Your invoice')]),
  template('header_location', [{ type: 'HEADER', format: 'LOCATION' }, body('Here we are, {{1}}')]),
  template('url_button', [
    body('Your parcel'),
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Shop', url: 'https://shop.example' },
        { type: 'URL', text: 'Track', url: 'https://shop.example/t/{{1}}' },
      ],
    },
  ]),
  template('copy_code', [
    body('20 % off, {{1}}'),
    { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', text: 'Copy code' }] },
  ]),
  template('quick_replies', [
    body('Will you come?'),
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550783881' },
        { type: 'QUICK_REPLY', text: 'No' },
      ],
    },
  ]),
  template(
    'everything',
    [
      { type: 'HEADER', format: 'IMAGE' },
      body('{{customer_name}}, look at {{thing}}'),
      { type: 'FOOTER', text: 'Reply STOP to end' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Stop' },
          { type: 'URL', text: 'See it', url: 'https://shop.example/c/{{1}}' },
          { type: 'COPY_CODE', text: 'Copy code' },
        ],
      },
    ],
    NAMED,
  ),
  template('offer', [
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Ends soon', has_expiration: true } },
    body('Half the price, {{1}}'),
    { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', text: 'Copy code' }] },
  ]),
  template('flow', [body('Book'), { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Book a table' }] }]),
  template('catalogue', [body('All'), { type: 'BUTTONS', buttons: [{ type: 'CATALOG', text: 'View' }] }]),
  template('products', [body('Some'), { type: 'BUTTONS', buttons: [{ type: 'MPM', text: 'View items' }] }]),
  template('carousel', [
    body('Hello {{1}}'),
    {
      type: 'CAROUSEL',
      cards: ['A cake for {{1}}', 'Tea'].map((text) => ({
        components: [
          { type: 'HEADER', format: 'IMAGE' },
          body(text),
          {
            type: 'BUTTONS',
            buttons: [
              { type: 'QUICK_REPLY', text: 'More' },
              { type: 'URL', text: 'See', url: 'https://shop.example/{{1}}' },
            ],
          },
        ],
      })),
    },
  ]),
  template('still_reviewed', [body('Hi {{1}}')], { status: 'PENDING' }),
  template('refused', [body('Win!')], { status: 'REJECTED' }),
  template('paused', [body('Hi')], { status: 'PAUSED' }),
  template('switched_off', [body('Hi')], { status: 'DISABLED' }),
];
const APPROVED = TEMPLATES.filter(({ status }) => status === 'APPROVED');

let world: World;
beforeAll(async () => {
  world = await openWorld({ templates: TEMPLATES });
});
afterEach(() => expectOnlyValidRequests(world.wire));
afterAll(() => world.close());

/** n8n's own context for what the editor asks the node. */
function editor(parameters: INodeParameters = {}): ILoadOptionsFunctions {
  const action = node(ACTION, { ...SEND, ...parameters });
  return new LoadOptionsContext(
    workflow([action]),
    action,
    additionalData(world.credentials),
    'parameters',
  ) as unknown as ILoadOptionsFunctions;
}

const { listSearch, resourceMapping } = new MessagingGateway().methods;
const fromList = (value: string): INodeParameters => ({ template: { __rl: true, mode: 'list', value } });
const formOf = async (parameters: INodeParameters): Promise<ResourceMapperField[]> =>
  (await resourceMapping.getTemplateVariables.call(editor(parameters))).fields;

/** What a person enters in a field of the form: a link where a file is asked for, degrees for a place. */
const VALUES: Record<string, string> = {
  'header-image-link': 'https://shop.example/file',
  'header-video-link': 'https://shop.example/file',
  'header-document-link': 'https://shop.example/file',
  'header-location-latitude': '-23.5614',
  'header-location-longitude': '-46.6559',
  'card-0-header-image-link': 'https://shop.example/1.png',
  'card-1-header-image-link': '42',
  'offer-expiration': '2030-12-24T18:00:00Z',
  'button-0-data': '{"guests": 4}',
};
const valueFor = ({ id }: ResourceMapperField): string => VALUES[id] ?? `value of ${id}`;
const valuesFor = (fields: ResourceMapperField[]): IDataObject =>
  Object.fromEntries(fields.map((field) => [field.id, valueFor(field)]));

async function sends(parameters: INodeParameters, item: IDataObject = {}): Promise<Record<string, unknown>> {
  const { items, error } = await runAction(world.credentials, { ...SEND, ...parameters }, [item]);
  expect([error?.message, error?.description]).toEqual([undefined, undefined]);
  expect(items[0].json).toMatchObject({ messageId: expect.stringMatching(/^wamid\./), waId: CONTACT });
  const received = await world.conversation(CONTACT);
  return received.find(({ id }) => id === items[0].json.messageId) ?? {};
}

test('the picker offers each approved template, and no other', async () => {
  const { results } = await listSearch.searchTemplates.call(editor());
  expect(results.map(({ value }) => value).sort()).toEqual(
    APPROVED.map(({ name, language }) => `${name}|${language}`).sort(),
  );
});

describe.each(APPROVED.map(({ name, language }) => `${name}|${language}`))('the template %s', (value) => {
  test('is sent when every field of its form is filled in', async () => {
    const fields = await formOf(fromList(value));
    const shown = await sends({
      ...fromList(value),
      templateVariables: { mappingMode: 'defineBelow', value: valuesFor(fields), schema: fields } as never,
    });
    const filled = fields.filter(({ id }) => !/^(?:button-|card-|offer-|header-\w+-)/.test(id));
    for (const field of filled) expect(shown.shown).toContain(valueFor(field));
    const payloads = fields.filter(({ id }) => id.endsWith('-payload')).map(valueFor);
    const taps = (shown.taps ?? []) as Array<{ payload: string }>;
    expect(taps.map(({ payload }) => payload)).toEqual(payloads);
  });

  test('is sent when only the required fields are filled in', async () => {
    const fields = await formOf(fromList(value));
    await sends({
      ...fromList(value),
      templateVariables: {
        mappingMode: 'defineBelow',
        value: valuesFor(fields.filter(({ required }) => required)),
        schema: fields,
      } as never,
    });
  });

  test('is sent when its variables are columns of the item', async () => {
    const fields = await formOf(fromList(value));
    const templateVariables = { mappingMode: 'autoMapInputData', value: null, schema: fields } as never;
    await sends({ ...fromList(value), templateVariables }, { ...valuesFor(fields), other: 'not a variable' });
  });
});

test('a template is sent by its name', async () => {
  const template = { __rl: true, mode: 'name', value: 'positional' };
  const byName = { template, templateLanguage: 'en_US' };
  const fields = await formOf(byName);
  expect(fields).not.toEqual([]);
  await sends({
    ...byName,
    templateVariables: { mappingMode: 'defineBelow', value: valuesFor(fields), schema: fields } as never,
  });
});

test.each<[string, string, object[], RegExp]>([
  ['carousel that lacks a card', 'carousel', [], /number of cards \(0\) does not match/],
  [
    'carousel card that lacks its picture',
    'carousel',
    [
      {
        type: 'carousel',
        cards: [0, 1].map((card_index) => ({ card_index, components: [] })),
      },
    ],
    /header/i,
  ],
  ['button of a flow that is not there', 'flow', [], /Button at index 0 of type Flow requires a parameter/],
  ['choice of products that is not there', 'products', [], /Button at index 0 of type Mpm requires/],
])('the platform refuses a %s, in a message as JSON', async (_what, name, components, said) => {
  const body = name === 'carousel' ? [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }] : [];
  const template = { name, language: { code: 'en_US' }, components: [...body, ...components] };
  const { error } = await runAction(world.credentials, {
    ...SEND,
    messageType: 'json',
    messageJson: JSON.stringify({ type: 'template', template }),
  });
  expect(`${error?.message} ${error?.description}`).toMatch(said);
});

test('long values and odd characters in a template are sent as they are', async () => {
  const value = { 'body-1': '😀'.repeat(480), 'body-2': 'A "quoted" \\ {{3}} 1042' };
  const templateVariables = { mappingMode: 'defineBelow', value, schema: [] } as never;
  const { shown } = await sends({ ...fromList('positional|en_US'), templateVariables });
  expect(shown).toContain(value['body-1']);
  expect(shown).toContain(value['body-2']);
});

describe('Template: Get Many', () => {
  const GET = { resource: 'template', operation: 'getAll' };
  /** The line's own starter templates, which upstream does not have, are pending. */
  const STARTERS = ['appointment_reminder', 'order_update'];
  const namesOf = (...statuses: string[]) =>
    TEMPLATES.filter(({ status }) => statuses.includes(status)).map(({ name }) => name);
  const get = async (parameters: INodeParameters) => {
    const { items, error } = await runAction(world.credentials, { ...GET, ...parameters });
    expect(error).toBeUndefined();
    return items.map(({ json }) => json);
  };

  test.each([
    ['approved', namesOf('APPROVED')],
    ['pending', [...namesOf('PENDING'), ...STARTERS]],
    ['rejected', namesOf('REJECTED')],
    ['disabled', namesOf('PAUSED', 'DISABLED')],
  ])('with the filter %s returns these and no others', async (templateStatus, names) => {
    const found = await get({ filters: { templateStatus } });
    expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set([templateStatus]));
  });

  test('without a filter returns all, simplified or as the gateway has them', async () => {
    const simple = await get({ returnAll: true });
    const raw = await get({ returnAll: true, simplify: false });
    expect(simple).toHaveLength(TEMPLATES.length + STARTERS.length);
    expect(raw).toHaveLength(simple.length);
    const { qualityScore, ...named } = simple[0] ?? {};
    expect(raw[0]).toMatchObject(named);
    expect(qualityScore).toBe(named.quality_score);
    expect(Object.values(simple[0])).not.toContain(undefined);
    expect(raw[0]).toHaveProperty('components');
  });

  test.each([1, 2, 50, 500, 501, 9999])('takes a limit of %i', async (limit) => {
    const all = TEMPLATES.length + STARTERS.length;
    expect(await get({ limit })).toHaveLength(Math.min(limit, all));
  });

  test.each([0, -1, 1.5, 'many', null])(
    'refuses a limit that came out as %p, and asks nothing',
    async (limit) => {
      const before = world.wire.exchanges.length;
      const { error } = await runAction(world.credentials, { ...GET, limit: '={{ $json.limit }}' }, [
        { limit },
      ]);
      expect(error?.message).toBe('Limit is not a whole number from 1');
      expect(world.wire.exchanges).toHaveLength(before);
    },
  );

  test('with Refresh asks upstream, and says so when that was a moment ago', async () => {
    const options = { refresh: true };
    await runAction(world.credentials, { ...GET, options });
    const { items, hints } = await runAction(world.credentials, {
      ...GET,
      options,
      filters: { templateStatus: 'approved' },
    });
    expect(items).toHaveLength(APPROVED.length);
    expect(hints[0].message).toContain('less than 60 seconds ago');
  });
});

describe('Line: Get Status', () => {
  const GET = { resource: 'line', operation: 'getStatus' };

  test('returns the state of the line, asked upstream or stored', async () => {
    const fresh = await runAction(world.credentials, { ...GET, options: { refresh: true } });
    const stored = await runAction(world.credentials, GET);
    for (const { items, error, hints } of [fresh, stored]) {
      expect(error).toBeUndefined();
      expect(hints).toEqual([]);
      expect(items[0].json).toMatchObject({ connected: true, state: 'connected', line: { id: 1 } });
    }
    const again = await runAction(world.credentials, { ...GET, options: { refresh: true } });
    expect(again.items[0].json).toMatchObject({ connected: true });
    expect(again.hints[0].message).toContain('less than 60 seconds ago');
  });
});
