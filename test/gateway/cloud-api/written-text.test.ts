import { fileOf, subtypeOf, writerName, writtenText } from '../../../gateway/cloud-api/written-text';
import { samples } from '../../support/samples';
import { notification } from '../../support/test-gateway';

const bodyOf = (message: object, more: object = {}) =>
  JSON.stringify(notification({ ...more, messages: [{ from: '16505551234', id: 'wamid.1', ...message }] }));
const textOf = (message: object) => writtenText(bodyOf(message));
const form = (name: string, answers: unknown, body = 'Sent') => ({
  type: 'interactive',
  interactive: {
    type: 'nfm_reply',
    nfm_reply: { name, body, response_json: typeof answers === 'string' ? answers : JSON.stringify(answers) },
  },
});

describe('what a contact sent says', () => {
  test.each<[string, object, string | null]>([
    ['a text', { type: 'text', text: { body: 'Hello' } }, 'Hello'],
    ['a button of a template', { type: 'button', button: { text: 'Yes', payload: 'y' } }, 'Yes'],
    [
      'a choice',
      { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Blue' } } },
      'Blue',
    ],
    ['a caption', { type: 'video', video: { id: '1', caption: 'Look' } }, 'Look'],
    [
      'a changed text',
      {
        type: 'edit',
        edit: { original_message_id: 'w', message: { type: 'text', text: { body: 'At nine' } } },
      },
      'At nine',
    ],
    [
      'a changed caption',
      { type: 'edit', edit: { message: { type: 'image', image: { caption: 'Now right' } } } },
      'Now right',
    ],
    [
      'the answers of a flow',
      form('flow', { flow_token: 't', delivery_rating: '4', extras: ['ice', 'lemon'], more: '' }),
      'delivery rating: 4\nextras: ice, lemon',
    ],
    ['answers that are no object', form('flow', ['one', { two: 2 }]), 'one\ntwo: 2'],
    ['answers that cannot be read', form('flow', '{"a', 'Sent'), 'Sent'],
    ['answers in depth', form('flow', '['.repeat(20_000) + ']'.repeat(20_000), 'Sent'), 'Sent'],
    [
      'an address',
      form('address_message', { saved_address_id: '1', values: { name: 'Ana', in_pin_code: '400063' } }, 'x'),
      'name: Ana\nin pin code: 400063',
    ],
    [
      'an order',
      {
        type: 'order',
        order: {
          text: 'Gift wrap',
          product_items: [
            { product_retailer_id: 'sku-7', quantity: 2, item_price: 10.5, currency: 'BRL' },
            { product_retailer_id: 'sku-8', quantity: '1' },
          ],
        },
      },
      'Gift wrap\n2 × sku-7, 10.5 BRL\n1 × sku-8',
    ],
    [
      'contact cards',
      {
        type: 'contacts',
        contacts: [
          { name: { formatted_name: 'Bob' }, phones: [{ phone: '+39 393 000' }, { wa_id: '39' }] },
          { name: { first_name: 'Eve', last_name: 'Lee' }, emails: [{ email: 'eve@example.com' }] },
          { name: {}, org: { company: 'Acme' } },
        ],
      },
      'Bob: +39 393 000, 39\nEve Lee: eve@example.com\nAcme',
    ],
    ['a place', { type: 'location', location: { latitude: -23.5, longitude: -46.6 } }, '-23.5, -46.6'],
    [
      'a place with a name',
      { type: 'location', location: { latitude: 1, longitude: '2', name: 'Café', address: 'Main St' } },
      'Café\nMain St\n1, 2',
    ],
    ['a type that is a word of JavaScript', { type: 'constructor', constructor: { body: 'Hi' } }, 'Hi'],
    ['a type of tomorrow', { type: 'poem', poem: { name: 'Lunch?' } }, 'Lunch?'],
    ['a reaction', { type: 'reaction', reaction: { message_id: 'w', emoji: '👍' } }, '👍'],
    ['no reaction any more', { type: 'reaction', reaction: { message_id: 'w', emoji: '' } }, null],
    ['a word of the platform', { type: 'system', system: { body: 'User A changed', type: 'x' } }, null],
    ['a deletion', { type: 'revoke', revoke: { original_message_id: 'w' } }, null],
    ['nothing that can be read', { type: 'order', order: 'none' }, null],
  ])('%s', (_, message, text) => {
    expect(textOf(message)).toBe(text);
  });

  test('is read from every sample without a fault', () => {
    for (const { payload } of samples('webhook_inbound'))
      for (const read of [writtenText, subtypeOf, writerName, fileOf]) read(JSON.stringify(payload));
  });
});

test.each<[object, string | null]>([
  [{ type: 'reaction', reaction: { emoji: '👍' } }, null],
  [{ type: 'reaction', reaction: { message_id: 'w' } }, 'removed'],
  [{ type: 'system', system: { type: 'customer_identity_changed' } }, 'customer_identity_changed'],
  [form('flow', {}), 'flow'],
  [form('address_message', {}), 'address_message'],
  [
    {
      type: 'interactive',
      interactive: { type: 'call_permission_reply', call_permission_reply: { response: 'reject' } },
    },
    'call_permission_reject',
  ],
  [{ type: 'interactive' }, null],
])('a message is told apart from others of its type: %j', (message, subtype) => {
  expect(subtypeOf(bodyOf(message))).toBe(subtype);
});

test('names have no characters that turn their direction', () => {
  const named = (name: string) => writerName(bodyOf({ type: 'text' }, { contacts: [{ profile: { name } }] }));
  expect([named('\u202eAna\u2066'), named('\u202e'), named('شكرا')]).toEqual(['Ana', null, 'شكرا']);
  const file = bodyOf({ type: 'document', document: { id: '1', filename: '\u202egpj.exe' } });
  expect([fileOf(file)?.name, writtenText(file)]).toEqual(['gpj.exe', 'gpj.exe']);
});
