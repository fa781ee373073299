import { NodeHelpers, type INodeParameters, type INodeProperties } from 'n8n-workflow';

import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { runAction } from '../support/n8n';
import { accepted, MESSAGES, startGateway, TEMPLATES, type StandInGateway } from './support/gateway';

let gateway: StandInGateway;
beforeAll(async () => {
  gateway = await startGateway();
  gateway.on('GET', TEMPLATES, () => ({ body: { success: true, data: [] } }));
  gateway.on('POST', MESSAGES, (request) => accepted(request));
});
afterAll(() => gateway.close());

const { properties } = new MessagingGateway().description;
const shownFor = (type: string) => (property: INodeProperties) => {
  const { show, hide } = property.displayOptions ?? {};
  const isHidden = NodeHelpers.checkConditions(hide?.messageType ?? [], [type]);
  return Boolean(show?.operation?.includes('send') && !isHidden);
};
const messageTypes = properties
  .filter(({ name }) => name === 'messageType')
  .flatMap(({ options }) => options ?? [])
  .map((option) => String((option as { value: unknown }).value));

/** What an expression may come to. */
const STRANGE = {
  nothing: null,
  'a number': 7,
  'yes or no': true,
  'a list': ['a', 'b'],
  'an empty list': [],
  'a list of objects': [{ name: 'Ana' }],
  'an object': { name: 'Ana', phone: '551' },
  'an object that is empty': {},
};

describe.each(messageTypes)('the type %s', (messageType) => {
  test.each(Object.keys(STRANGE))('makes of %s in any field a message or a sentence', async (kind) => {
    const value = STRANGE[kind as keyof typeof STRANGE];
    const fields = properties.filter(
      (property) => shownFor(messageType)(property) && property.type === 'string',
    );
    expect(fields.length).toBeGreaterThan(0);
    for (const { name } of fields) {
      const others = Object.fromEntries(fields.map((field) => [field.name, 'x']));
      const { error, items } = await runAction(
        gateway.credentials,
        {
          ...others,
          ...{
            resource: 'message',
            operation: 'send',
            to: '12025550147',
            messageType,
            latitude: '1',
            longitude: '1',
          },
          ...{ mediaLink: 'https://shop.example/a', linkUrl: 'https://shop.example/a', emoji: '👍' },
          template: { __rl: true, mode: 'name', value: 'greeting' },
          contacts: { contact: [{ name: 'Ana' }] },
          buttons: { button: [{ title: 'Yes' }] },
          sections: { section: [{ rows: { row: [{ title: 'Yes' }] } }] },
          [name]: '={{ $json.value }}',
        } as INodeParameters,
        [{ value } as never],
      );
      expect(items.length + (error ? 1 : 0)).toBe(1);
      if (error) {
        expect(error.name).toBe('NodeOperationError');
        expect(error.message).toMatch(/^(?!.*\[item)\S|^A field holds not one value but several: /);
        expect(error.description).toMatch(/\.$/);
      }
    }
    expect(JSON.stringify(gateway.received.map(({ body }) => body))).not.toContain('[object Object]');
  });
});

test.each<[string, INodeParameters]>([
  ['the title of a button', { messageType: 'buttons', buttons: { button: [{ title: '={{ $json }}' }] } }],
  [
    'the ID of a button',
    { messageType: 'buttons', buttons: { button: [{ title: 'a', id: '={{ $json }}' }] } },
  ],
  ['a contact card', { messageType: 'contacts', contacts: { contact: [{ name: '={{ $json }}' }] } }],
  ['an option', { messageType: 'text', text: 'Hi', options: { clientRef: '={{ $json }}' } }],
])('refuses a whole item in %s, and says which value to drag', async (_place, parameters) => {
  const before = gateway.requests('POST', MESSAGES).length;
  const send = { resource: 'message', operation: 'send', to: '12025550147', body: 'x', ...parameters };
  const { error } = await runAction(gateway.credentials, send, [{ name: 'Ana' }]);
  expect(error?.message).toBe('A field holds not one value but several: {"name":"Ana"}');
  expect(error?.description).toContain('such as name');
  expect(gateway.requests('POST', MESSAGES)).toHaveLength(before);
});

test('a whole file in the place of its ID is told in words, and the other files are deleted', async () => {
  gateway.on('DELETE', '/v22.0/42', () => ({ body: { success: true } }));
  const { items, errorItems, error } = await runAction(
    gateway.credentials,
    { resource: 'media', operation: 'delete', mediaId: '={{ $json.media }}' },
    [{ media: { id: '41' } }, { media: '42' }],
    { onError: 'continueErrorOutput' },
  );
  expect(error).toBeUndefined();
  expect(items.map(({ json }) => json)).toEqual([{ mediaId: '42', deleted: true }]);
  expect(errorItems.map(({ json }) => json.message)).toEqual([
    'A field holds not one value but several: {"id":"41"}',
  ]);
});
