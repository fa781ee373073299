import { forwarded, NODE, NODES, PAGE_QUERY } from './forward';

const CHANGE = {
  body: {
    schema: NODE,
    examples: {
      one: { value: { messaging_product: 'whatsapp', block_users: [{ user: '12025550147' }] } },
    },
  },
  answer: { description: 'The contacts, each with the result.', schema: NODE },
  refusals: () => [],
};

export const listBlocked = forwarded('get /{tid}/block_users', {
  id: 'listBlocked',
  isList: true,
  summary: 'List blocked contacts',
  description: 'The contacts who cannot write to your line.',
  query: PAGE_QUERY,
  answer: { description: 'The contacts.', schema: NODES },
  refusals: () => [],
});

export const blockContacts = forwarded('post /{tid}/block_users', {
  id: 'blockContacts',
  summary: 'Block contacts',
  description:
    'The contacts can no longer write to your line, and it cannot write to them. Only contacts who wrote in the last 24 hours can be blocked.',
  ...CHANGE,
});

export const unblockContacts = forwarded('delete /{tid}/block_users', {
  id: 'unblockContacts',
  summary: 'Unblock contacts',
  description: 'The contacts can write to your line again.',
  ...CHANGE,
});
