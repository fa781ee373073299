import type { IExecuteFunctions } from 'n8n-workflow';

import { recipient } from '../../nodes/MessagingGateway/actions/message/recipient';
import { Item } from '../../nodes/MessagingGateway/item';
import { lineOf } from '../../nodes/MessagingGateway/line';
import { MessagingGatewayApi } from '../../credentials/MessagingGatewayApi.credentials';

/** What n8n gives to one run of a node, as far as it is asked here; it counts what is asked of it. */
function run(isPlain: boolean, line = '') {
  const asked = { credentials: 0, parameters: 0 };
  const context = {
    getInputData: () => [],
    getNode: () => ({ parameters: { line: { __rl: true, mode: 'id', value: line } } }),
    getNodeParameter: (_name: string, itemIndex: number) => {
      asked.parameters++;
      return ` 5511900000${itemIndex} `;
    },
    getCredentials: async () => {
      asked.credentials++;
      return { baseUrl: 'http://gateway.test/', line: ' 12', isPlain };
    },
  } as unknown as IExecuteFunctions;
  return { asked, context };
}

test('the recipient of an item is evaluated once, however often it is needed', () => {
  const { asked, context } = run(true);
  const items = [0, 1].map((index) => new Item(context, index));
  for (const item of [...items, ...items]) expect(recipient(item)).toBe(`5511900000${item.index}`);
  expect(asked.parameters).toBe(2);
});

test('a credential without expressions is read once, and anew in the next run', async () => {
  const [first, second] = [run(true), run(true)];
  for (const [{ context }, index] of [
    [first, 0],
    [first, 1],
    [first, 499],
    [second, 0],
  ] as const) {
    expect(await lineOf.call(context, index)).toMatchObject({ baseUrl: 'http://gateway.test', line: '12' });
  }
  expect([first.asked.credentials, second.asked.credentials]).toEqual([1, 1]);
});

test('a credential with expressions is read once for each item', async () => {
  const { asked, context } = run(false);
  for (const index of [0, 1, 1, 0, 2]) await lineOf.call(context, index);
  expect(asked.credentials).toBe(3);
});

test('an expression in Line is evaluated once for each item, and a fixed line never', async () => {
  for (const [line, times] of [
    ['={{ $json.line }}', 3],
    ['4711', 0],
  ] as const) {
    const { asked, context } = run(true, line);
    for (const index of [0, 1, 1, 0, 2]) await lineOf.call(context, index);
    expect(asked).toEqual({ credentials: 1, parameters: times });
  }
});

test('the token is put in without an expression, beside the headers that are there', async () => {
  const request = { url: 'http://gateway.test', headers: { 'Idempotency-Key': 'k' } };
  expect(await new MessagingGatewayApi().authenticate({ token: ' gwl_x\n' }, request)).toEqual({
    url: 'http://gateway.test',
    headers: { 'Idempotency-Key': 'k', Authorization: 'Bearer gwl_x' },
  });
});
