import type { ILoadOptionsFunctions, INodeParameters } from 'n8n-workflow';
import { LoadOptionsContext } from 'n8n-core';

import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { accepted, gatewayForEach, MEDIA, MESSAGES, refusal, TEMPLATES } from './support/gateway';
import { ACTION, additionalData, node, runAction, workflow } from '../support/n8n';

const ORDER_UPDATE = {
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  status: 'approved',
  platform_status: 'APPROVED',
  quality_score: 'HIGH',
  header: { type: 'text', text: 'Order {{1}}' },
  body: 'Hello {{1}}, your order {{2}} is ready for collection at our shop.\nSee you, {{1}}!',
  footer: null,
  buttons: [
    { index: 0, type: 'url', text: 'Track', url: 'https://shop.example/t/{{1}}', variables: 1 },
    { index: 1, type: 'quick_reply', text: 'Stop', variables: 0 },
  ],
  variables: 2,
  is_starter: true,
};
const RESERVATION = {
  ...ORDER_UPDATE,
  name: 'reservation',
  language: 'pt_BR',
  header: { type: 'image', text: null },
  body: 'Mesa para {{number_of_guests}} em {{day}}',
  buttons: [{ index: 0, type: 'COPY_CODE', text: 'Copy', variables: 1 }],
  parameter_format: 'NAMED',
};
const PLAIN = {
  ...ORDER_UPDATE,
  name: 'hello_world',
  header: null,
  body: 'Hello World',
  buttons: null,
  variables: 0,
};

const gateway = gatewayForEach();
beforeEach(() => {
  gateway.on('GET', TEMPLATES, () => ({
    body: { success: true, synced_at: null, count: 3, data: [PLAIN, ORDER_UPDATE, RESERVATION] },
  }));
  gateway.on('POST', MESSAGES, (request) => accepted(request));
});

/** n8n's own context for what the editor asks a node, such as the list of a picker. */
function editor(parameters: INodeParameters): ILoadOptionsFunctions {
  const action = node(ACTION, {
    resource: 'message',
    operation: 'send',
    messageType: 'template',
    ...parameters,
  });
  return new LoadOptionsContext(
    workflow([action]),
    action,
    additionalData(gateway.credentials),
    'parameters',
  ) as unknown as ILoadOptionsFunctions;
}

const { listSearch, resourceMapping } = new MessagingGateway().methods;
const chosen = (value: string, mode = 'list') => ({ template: { __rl: true, mode, value } });

describe('the picker', () => {
  test('offers the approved templates of the line with their languages', async () => {
    const { results } = await listSearch.searchTemplates.call(editor({}));
    expect(gateway.received[0].query).toEqual({ status: 'approved', limit: '500' });
    expect(results.map(({ name, value }) => [name, value])).toEqual([
      ['hello_world (en_US): Hello World', 'hello_world|en_US'],
      [
        'order_update (en_US): Hello {{1}}, your order {{2}} is ready for collection at our…',
        'order_update|en_US',
      ],
      ['reservation (pt_BR): Mesa para {{number_of_guests}} em {{day}}', 'reservation|pt_BR'],
    ]);
  });

  test.each([
    ['the name', 'ORDER_', 'order_update|en_US'],
    ['the language', 'pt_', 'reservation|pt_BR'],
    ['the text', 'hello world', 'hello_world|en_US'],
  ])('finds a template by %s', async (_by, filter, value) => {
    const { results } = await listSearch.searchTemplates.call(editor({}), filter);
    expect(results.map((result) => result.value)).toEqual([value]);
  });

  test('finds by its name a template that is beyond those that the gateway lists at once', async () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ ...PLAIN, name: `a_${index}` }));
    gateway.on('GET', TEMPLATES, ({ query }) => ({
      body: { success: true, synced_at: null, count: 1, data: query.name ? [ORDER_UPDATE] : many },
    }));
    const { results } = await listSearch.searchTemplates.call(editor({}), 'Order up');
    expect(gateway.received.map(({ query }) => query.name)).toEqual([undefined, 'order_up']);
    expect(results.map(({ value }) => value)).toEqual(['order_update|en_US']);
  });

  test('says in a sentence that the token is wrong', async () => {
    gateway.on('GET', TEMPLATES, () =>
      refusal(401, 'invalid_token', 190, 'Invalid OAuth access token', 'This token was revoked.'),
    );
    await expect(listSearch.searchTemplates.call(editor({}))).rejects.toThrow(
      'The gateway does not accept this token for this line',
    );
  });
});

describe('the form', () => {
  const fieldsOf = async (parameters: INodeParameters) =>
    await resourceMapping.getTemplateVariables.call(editor(parameters));

  test('has one field per variable, with the text around it', async () => {
    const { fields } = await fieldsOf(chosen('order_update|en_US'));
    expect(fields.map(({ id, displayName, required }) => [id, displayName, required])).toEqual([
      ['header-1', 'Header: Order [1]', true],
      ['body-1', 'Hello [1], your order …', true],
      ['body-2', '… your order [2] is ready for…', true],
      ['button-0-url', 'Button "Track": …/[1]', true],
      ['button-1-payload', 'Button "Stop": your own ID, returned as replyId', false],
    ]);
  });

  test('has names for named variables, a link for a media header, and the code of a copy button', async () => {
    const { fields } = await fieldsOf(chosen('reservation|pt_BR'));
    expect(fields.map(({ id, displayName }) => [id, displayName])).toEqual([
      ['header-image-link', 'Image: link, ID or field'],
      ['number_of_guests', 'Mesa para [number_of_guests] em …'],
      ['day', '… em [day]'],
      ['button-0-code', 'Button "Copy": the code'],
    ]);
  });

  test('finds a template entered By Name in the language entered beside it', async () => {
    const { fields } = await fieldsOf({ ...chosen('reservation', 'name'), templateLanguage: 'pt_BR' });
    expect(fields).toHaveLength(4);
  });

  test.each([
    ['nothing is chosen', chosen(''), 'Choose a template first'],
    ['the template has no variables', chosen('hello_world|en_US'), 'It is sent as it is'],
    [
      'there is no such template',
      chosen('hello_world|fr'),
      'No approved template "hello_world" in the language fr',
    ],
  ])('says so when %s', async (_when, parameters, notice) => {
    const { fields, emptyFieldsNotice } = await fieldsOf(parameters);
    expect(fields).toEqual([]);
    expect(emptyFieldsNotice).toContain(notice);
  });
});

test('the text of the chosen template is shown whole, and as text', async () => {
  const shown = async (parameters: INodeParameters) =>
    await resourceMapping.getTemplateText.call(editor(parameters));
  expect(await shown(chosen('order_update|en_US'))).toEqual({
    fields: [],
    emptyFieldsNotice:
      '<b>Order [1]</b><br>Hello [1], your order [2] is ready for collection at our shop.<br>See you, [1]!<br>[ Track ] [ Stop ]',
  });
  gateway.on('GET', TEMPLATES, () => ({
    body: { success: true, count: 1, data: [{ ...RESERVATION, body: '<img src=x> & {{day}}' }] },
  }));
  const { emptyFieldsNotice } = await resourceMapping.getFallbackText.call(
    editor({
      messageType: 'text',
      outsideWindow: 'template',
      fallbackTemplate: chosen('reservation|pt_BR').template,
    }),
  );
  expect(emptyFieldsNotice).toBe('<b>[image]</b><br>&lt;img src=x> &amp; [day]<br>[ Copy ]');
});

describe('sending a template that the gateway does not list yet', () => {
  beforeEach(() => {
    gateway.on('GET', TEMPLATES, () => ({ body: { success: true, synced_at: null, count: 0, data: [] } }));
  });

  const SEND = { resource: 'message', operation: 'send', to: '5511987654321', messageType: 'template' };
  const field = (id: string, required = true) => ({
    id,
    displayName: `Label of ${id}`,
    required,
    defaultMatch: false,
    display: true,
    type: 'string',
  });
  const form = (value: INodeParameters): INodeParameters => ({
    templateVariables: {
      mappingMode: 'defineBelow',
      value,
      schema: Object.keys(value).map((id) => field(id)),
    },
  });
  const sent = () => (gateway.requests('POST', MESSAGES)[0].body as { template: object }).template;

  test('fills header, body and buttons, positions in order', async () => {
    const { error } = await runAction(gateway.credentials, {
      ...SEND,
      ...chosen('order_update|en_US'),
      ...form({
        'button-0-url': 'T-1042',
        'button-1-payload': 'stop',
        'body-10': 'ten',
        'body-2': 1042,
        'body-1': 'Ana',
        'header-1': '1042',
      }),
    });
    expect(error).toBeUndefined();
    expect(sent()).toEqual({
      name: 'order_update',
      language: { code: 'en_US' },
      components: [
        { type: 'header', parameters: [{ type: 'text', text: '1042' }] },
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ana' },
            { type: 'text', text: '1042' },
            { type: 'text', text: 'ten' },
          ],
        },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'T-1042' }] },
        {
          type: 'button',
          sub_type: 'quick_reply',
          index: '1',
          parameters: [{ type: 'payload', payload: 'stop' }],
        },
      ],
    });
  });

  test.each([
    [
      'document',
      { 'header-document-link': 'https://shop.example/1.pdf', 'header-document-filename': 'Invoice.pdf' },
      { link: 'https://shop.example/1.pdf', filename: 'Invoice.pdf' },
    ],
    [
      'location',
      {
        'header-location-latitude': -23.5,
        'header-location-longitude': '-46.6',
        'header-location-name': 'Shop',
      },
      { latitude: '-23.5', longitude: '-46.6', name: 'Shop' },
    ],
  ])('fills a %s header from its parts', async (type, values, parameter) => {
    await runAction(gateway.credentials, { ...SEND, ...chosen('any|en_US'), ...form(values) });
    expect(sent()).toMatchObject({
      components: [{ type: 'header', parameters: [{ type, [type]: parameter }] }],
    });
  });

  test('says so when the language of a template entered By Name came out empty', async () => {
    const byName = { ...chosen('order_update', 'name'), templateLanguage: '={{ $json.missing }}' };
    const { error } = await runAction(gateway.credentials, { ...SEND, ...byName });
    expect(error?.message).toBe('Language Code is empty');
    expect(gateway.received).toEqual([]);
  });

  test('without variables sends no components', async () => {
    await runAction(gateway.credentials, { ...SEND, ...chosen('hello_world|en_US') });
    expect(sent()).toEqual({ name: 'hello_world', language: { code: 'en_US' } });
  });

  test('names the variable that an item leaves empty, and sends nothing for it', async () => {
    const { items } = await runAction(
      gateway.credentials,
      {
        ...SEND,
        ...chosen('order_update|en_US'),
        ...form({ 'body-1': '={{ $json.name }}' }),
      },
      [{ name: 'Ana' }, { name: '' }, {}],
      { onError: 'continueRegularOutput' },
    );
    expect(items.map(({ json }) => json.message)).toEqual([
      undefined,
      'The variable "Label of body-1" is empty [item 1]',
      'The variable "Label of body-1" is empty [item 2]',
    ]);
    expect(gateway.requests('POST', MESSAGES)).toHaveLength(1);
  });

  test('says which column is missing when it is mapped automatically', async () => {
    const { error } = await runAction(gateway.credentials, {
      ...SEND,
      ...chosen('order_update|en_US'),
      templateVariables: { mappingMode: 'autoMapInputData', value: null, schema: [field('body-1')] },
    });
    expect(error?.message).toBe('The variable "Label of body-1" is empty');
    expect(error?.description).toContain('no value in a column named body-1');
    expect(gateway.requests('POST', MESSAGES)).toEqual([]);
  });

  test('repeats what the gateway says about variables that do not fit', async () => {
    gateway.on('POST', MESSAGES, () =>
      refusal(
        400,
        'template_params_mismatch',
        132000,
        '(#132000) Number of parameters does not match',
        'body needs 2 parameters, 1 came.',
      ),
    );
    const { error } = await runAction(gateway.credentials, {
      ...SEND,
      ...chosen('order_update|en_US'),
      ...form({ 'body-1': 'Ana' }),
    });
    expect(error?.message).toBe('The variables do not fit this template');
    expect(error?.description).toMatch(/^body needs 2 parameters, 1 came\.\n/);
  });
});

describe('sending a template that the gateway lists', () => {
  const SEND = { resource: 'message', operation: 'send', to: '5511987654321', messageType: 'template' };
  const VALUES = { 'header-1': '1042', 'body-1': 'Ana', 'body-2': 'A-1042', 'button-0-url': 'T-1042' };
  /** As the editor made the form, from the template as it then was. */
  const formOf = async (value: string, values: Record<string, string>) => ({
    ...chosen(value),
    templateVariables: {
      mappingMode: 'defineBelow',
      value: values,
      schema: (await resourceMapping.getTemplateVariables.call(editor(chosen(value)))).fields,
    } as never,
  });
  const listed = (...templates: object[]) =>
    gateway.on('GET', TEMPLATES, () => ({
      body: { success: true, synced_at: null, count: templates.length, data: templates },
    }));

  test('gives out the text as the contact reads it', async () => {
    const { items } = await runAction(gateway.credentials, {
      ...SEND,
      ...(await formOf('order_update|en_US', VALUES)),
    });
    expect(items[0].json.text).toBe(
      'Hello Ana, your order A-1042 is ready for collection at our shop.\nSee you, Ana!',
    );
  });

  test('gives out the text of named variables', async () => {
    const values = { 'header-image-link': 'https://a.example/1.png', number_of_guests: '4', day: 'Monday' };
    const { items, error } = await runAction(gateway.credentials, {
      ...SEND,
      ...(await formOf('reservation|pt_BR', { ...values, 'button-0-code': 'X' })),
    });
    expect(error).toBeUndefined();
    expect(items[0].json.text).toBe('Mesa para 4 em Monday');
  });

  test('asks for the template by its name, once, however many items there are', async () => {
    const form = await formOf('order_update|en_US', VALUES);
    const before = gateway.requests('GET', TEMPLATES).length;
    await runAction(gateway.credentials, { ...SEND, ...form }, [{}, {}, {}]);
    const asked = gateway.requests('GET', TEMPLATES).slice(before);
    expect(asked.map(({ query }) => query)).toEqual([
      { status: 'approved', name: 'order_update', limit: '500' },
    ]);
  });

  test('is refused when it needs a variable that the form does not have', async () => {
    const form = await formOf('order_update|en_US', VALUES);
    listed({ ...ORDER_UPDATE, body: 'Hello {{1}}, your order {{2}} comes {{3}}.' });
    const { error } = await runAction(gateway.credentials, { ...SEND, ...form });
    expect(error?.message).toBe('The template "order_update" is not the one that Variables was made for');
    expect(error?.description).toContain('It needs "… comes [3].", which this node does not fill in.');
    expect(error?.description).toContain('choose the template again');
    expect(gateway.requests('POST', MESSAGES)).toEqual([]);
  });

  test('is refused when it no longer has a variable of the form', async () => {
    const form = await formOf('order_update|en_US', VALUES);
    listed({ ...ORDER_UPDATE, body: 'Hello {{1}}, your order is ready.' });
    const { error } = await runAction(gateway.credentials, { ...SEND, ...form });
    expect(error?.description).toContain('It no longer has "… your order [2] is ready for…".');
    expect(gateway.requests('POST', MESSAGES)).toEqual([]);
  });

  test('is sent when other words stand around a variable, and says so', async () => {
    const form = await formOf('order_update|en_US', VALUES);
    listed({ ...ORDER_UPDATE, body: 'Hi {{1}}, your order {{2}} is ready for collection at our shop.' });
    const { error, hints } = await runAction(gateway.credentials, { ...SEND, ...form }, [{}, {}]);
    expect(error).toBeUndefined();
    expect(hints.map(({ message }) => message)).toEqual([
      expect.stringContaining('it now reads "Hi [1], your order …"'),
    ]);
  });

  test('mapped automatically follows the template as it is now', async () => {
    listed({ ...ORDER_UPDATE, header: null, buttons: [], body: 'Hello {{1}}, {{2}} and {{3}}' });
    const { items, error } = await runAction(
      gateway.credentials,
      {
        ...SEND,
        ...chosen('order_update|en_US'),
        templateVariables: { mappingMode: 'autoMapInputData', value: null, schema: [] },
      },
      [{ 'body-1': 'Ana', 'body-2': 'tea', 'body-3': 4, other: 'not for the template' }],
    );
    expect(error).toBeUndefined();
    expect(items[0].json.text).toBe('Hello Ana, tea and 4');
  });
});

describe('sending a template with a file, a flow, an offer, products or cards', () => {
  const SEND = { resource: 'message', operation: 'send', to: '5511987654321', messageType: 'template' };
  const PDF = {
    data: Buffer.from('%PDF').toString('base64'),
    mimeType: 'application/pdf',
    fileName: 'invoice.pdf',
  };
  const sends = async (template: object, values: Record<string, string>) => {
    const current = { ...PLAIN, name: 'it', ...template };
    gateway.on('GET', TEMPLATES, () => ({ body: { success: true, count: 1, data: [current] } }));
    gateway.on('POST', MEDIA, () => ({ body: { success: true, id: '4711' } }));
    const templateVariables = {
      mappingMode: 'defineBelow',
      value: values,
      schema: (await resourceMapping.getTemplateVariables.call(editor(chosen('it|en_US')))).fields,
    } as never;
    const { error } = await runAction(
      gateway.credentials,
      { ...SEND, ...chosen('it|en_US'), templateVariables },
      [{}],
      { binary: [{ data: PDF }] },
    );
    const [sent] = gateway.requests('POST', MESSAGES).map(({ body }) => body as { template: object });
    return { error, components: (sent?.template as { components?: object[] })?.components };
  };
  const DOCUMENT = { header: { type: 'document', text: null } };

  test('a file of the item is uploaded, and keeps its name', async () => {
    const { error, components } = await sends(DOCUMENT, { 'header-document-link': ' data ' });
    expect(error).toBeUndefined();
    expect(components).toEqual([
      {
        type: 'header',
        parameters: [{ type: 'document', document: { id: '4711', filename: 'invoice.pdf' } }],
      },
    ]);
  });

  test('digits are the ID of an upload, and the file keeps the name that was entered', async () => {
    const values = { 'header-document-link': '42', 'header-document-filename': 'a.pdf' };
    const { components } = await sends(DOCUMENT, values);
    expect(components).toEqual([
      { type: 'header', parameters: [{ type: 'document', document: { id: '42', filename: 'a.pdf' } }] },
    ]);
  });

  const OFFER = {
    components: [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now', has_expiration: true } }],
  };
  const button = (type: string) => ({ buttons: [{ index: 0, type, text: 'Open', variables: 0 }] });
  const action = (subType: string, content: object) => ({
    type: 'button',
    sub_type: subType,
    index: '0',
    parameters: [{ type: 'action', action: content }],
  });

  test.each<[string, object, Record<string, string>, object]>([
    [
      'the end of an offer is told in milliseconds',
      OFFER,
      { 'offer-expiration': '2026-12-24T18:00:00Z' },
      {
        type: 'limited_time_offer',
        parameters: [
          { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1798135200000 } },
        ],
      },
    ],
    ['the button of a flow is there even if nothing is entered', button('flow'), {}, action('flow', {})],
    [
      'the button of a flow has its word and its data',
      button('flow'),
      { 'button-0-token': 'order 1', 'button-0-data': '{"guests":4}' },
      action('flow', { flow_token: 'order 1', flow_action_data: { guests: 4 } }),
    ],
    [
      'the button of a catalogue shows a product',
      button('catalog'),
      { 'button-0-thumbnail': 'cake' },
      action('catalog', { thumbnail_product_retailer_id: 'cake' }),
    ],
    [
      'a choice of products shows the first',
      button('mpm'),
      { 'button-0-products': 'cake, tea', 'button-0-heading': 'Today' },
      action('mpm', {
        thumbnail_product_retailer_id: 'cake',
        sections: [
          {
            title: 'Today',
            product_items: [{ product_retailer_id: 'cake' }, { product_retailer_id: 'tea' }],
          },
        ],
      }),
    ],
    [
      'a one-time password stands in the address of its button',
      button('otp'),
      { 'button-0-url': '123456' },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '123456' }] },
    ],
    [
      'each card of a carousel has what is its own',
      {
        components: [
          {
            type: 'CAROUSEL',
            cards: ['Cake for {{1}}', 'Tea'].map((text) => ({
              components: [
                { type: 'HEADER', format: 'IMAGE' },
                { type: 'BODY', text },
                { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'See', url: 'https://a.example/{{1}}' }] },
              ],
            })),
          },
        ],
      },
      {
        'card-1-header-image-link': '43',
        'card-1-button-0-url': 'tea',
        'card-0-header-image-link': 'https://a.example/1.png',
        'card-0-body-1': 'Ana',
        'card-0-button-0-url': 'cake',
      },
      {
        type: 'carousel',
        cards: [
          {
            card_index: 0,
            components: [
              {
                type: 'header',
                parameters: [{ type: 'image', image: { link: 'https://a.example/1.png' } }],
              },
              { type: 'body', parameters: [{ type: 'text', text: 'Ana' }] },
              { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'cake' }] },
            ],
          },
          {
            card_index: 1,
            components: [
              { type: 'header', parameters: [{ type: 'image', image: { id: '43' } }] },
              { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'tea' }] },
            ],
          },
        ],
      },
    ],
  ])('%s', async (_what, template, values, component) => {
    const { error, components } = await sends(template, values);
    expect(error).toBeUndefined();
    expect(components).toEqual([component]);
  });

  test.each<[string, object, Record<string, string>, string]>([
    [
      'a file that is none',
      DOCUMENT,
      { 'header-document-link': 'invoice' },
      'The document above the text is "invoice", which is no web address, no media ID and no file of the item',
    ],
    [
      'a time that is none',
      OFFER,
      { 'offer-expiration': 'soon' },
      'The end of the offer is "soon", which is no date',
    ],
    [
      'data that is no object',
      button('flow'),
      { 'button-0-data': '[4' },
      'The data of the first screen is no JSON object',
    ],
    [
      'a carousel card without its picture',
      {
        components: [{ type: 'CAROUSEL', cards: [{ components: [{ type: 'HEADER', format: 'IMAGE' }] }] }],
      },
      { 'card-0-header-image-link': ' ' },
      'The variable "Card 1: Image: link, ID or field" is empty',
    ],
  ])('refuses %s, and sends nothing', async (_what, template, values, message) => {
    const { error, components } = await sends(template, values);
    expect([error?.message, components]).toEqual([message, undefined]);
  });

  test('says nothing of words that are its own and not those of the template', async () => {
    const templateVariables = {
      mappingMode: 'defineBelow',
      value: { 'header-document-link': '42' },
      schema: [
        { id: 'header-document-link', displayName: 'Header: link of the document', required: true },
        { id: 'header-document-filename', displayName: 'Header: file name', required: false },
      ],
    } as never;
    const data = [{ ...PLAIN, ...DOCUMENT, name: 'it' }];
    gateway.on('GET', TEMPLATES, () => ({ body: { success: true, count: 1, data } }));
    const { hints } = await runAction(gateway.credentials, {
      ...SEND,
      ...chosen('it|en_US'),
      templateVariables,
    });
    expect(hints).toEqual([]);
  });
});

describe('Template: Get Many', () => {
  const GET = { resource: 'template', operation: 'getAll' };

  test('returns simplified templates, each paired with the item that asked', async () => {
    const { items } = await runAction(gateway.credentials, GET);
    expect(gateway.received[0].query).toEqual({ limit: '50' });
    expect(items).toHaveLength(3);
    expect(items[1].json).toEqual({
      name: 'order_update',
      language: 'en_US',
      category: 'UTILITY',
      status: 'approved',
      quality_score: 'HIGH',
      qualityScore: 'HIGH',
      header: ORDER_UPDATE.header,
      body: ORDER_UPDATE.body,
      footer: null,
      buttons: ORDER_UPDATE.buttons,
      variables: 2,
    });
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }, { item: 0 }]);
  });

  test('returns the raw templates when Simplify is off', async () => {
    const { items } = await runAction(gateway.credentials, { ...GET, simplify: false });
    expect(items[1].json).toEqual(ORDER_UPDATE);
  });

  test('asks for a status, a limit and a refresh', async () => {
    await runAction(gateway.credentials, {
      ...GET,
      limit: 7,
      filters: { templateStatus: 'rejected' },
      options: { refresh: true },
    });
    expect(gateway.received[0].query).toEqual({ limit: '7', status: 'rejected', refresh: '1' });
  });

  test('asks for as many as the gateway gives when all are wanted, and says when there may be more', async () => {
    const { hints: none } = await runAction(gateway.credentials, { ...GET, returnAll: true });
    expect(gateway.received[0].query).toEqual({ limit: '500' });
    expect(none).toEqual([]);

    gateway.on('GET', TEMPLATES, () => ({ body: { success: true, data: new Array(500).fill(PLAIN) } }));
    const { items, hints } = await runAction(gateway.credentials, { ...GET, returnAll: true });
    expect(items).toHaveLength(500);
    expect(hints[0].message).toContain('at most 500 templates');
  });

  test('never asks for more than the gateway allows', async () => {
    await runAction(gateway.credentials, { ...GET, limit: 9999 });
    expect(gateway.received[0].query).toEqual({ limit: '500' });
  });

  test('says that a refresh was not performed', async () => {
    gateway.on('GET', TEMPLATES, () => ({
      body: {
        success: true,
        data: [],
        refresh: { requested: true, performed: false, reason: 'cooldown', retry_after: 37 },
      },
    }));
    const { items, hints } = await runAction(gateway.credentials, { ...GET, options: { refresh: true } });
    expect(items).toEqual([]);
    expect(hints[0].message).toContain('refresh again in 37 seconds');
  });
});
