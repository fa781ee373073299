import type { IExecuteFunctions } from 'n8n-workflow';

import { recipient } from '../../nodes/MessagingGateway/actions/message/recipient';
import { Item } from '../../nodes/MessagingGateway/item';
import { gatewayAddress } from '../../nodes/MessagingGateway/transport';
import { MessagingGatewayApi } from '../../credentials/MessagingGatewayApi.credentials';

/** What n8n gives to one run of a node, as far as it is asked here; it counts what is asked of it. */
function run() {
  const asked = { credentials: 0, parameters: 0 };
  const context = {
    getNodeParameter: (_name: string, itemIndex: number) => {
      asked.parameters++;
      return ` 5511900000${itemIndex} `;
    },
    getCredentials: async () => {
      asked.credentials++;
      return { baseUrl: 'http://gateway.test/', line: ' 12' };
    },
  } as unknown as IExecuteFunctions;
  return { asked, context };
}

test('the recipient of an item is evaluated once, however often it is needed', () => {
  const { asked, context } = run();
  const items = [0, 1].map((index) => new Item(context, index));
  for (const item of [...items, ...items]) expect(recipient(item)).toBe(`5511900000${item.index}`);
  expect(asked.parameters).toBe(2);
});

test('the address of the gateway is asked for once, and anew in the next run', async () => {
  const [first, second] = [run(), run()];
  for (const { context } of [first, first, second]) {
    expect(await gatewayAddress.call(context)).toEqual({ baseUrl: 'http://gateway.test', line: '12' });
  }
  expect([first.asked.credentials, second.asked.credentials]).toEqual([1, 1]);
});

test('the token is put in without an expression, beside the headers that are there', async () => {
  const request = { url: 'http://gateway.test', headers: { 'Idempotency-Key': 'k' } };
  expect(await new MessagingGatewayApi().authenticate({ token: ' gwl_x\n' }, request)).toEqual({
    url: 'http://gateway.test',
    headers: { 'Idempotency-Key': 'k', Authorization: 'Bearer gwl_x' },
  });
});
