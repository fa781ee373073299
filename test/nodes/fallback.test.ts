import { runAction } from '../support/n8n';
import { accepted, gatewayForEach, LINE, MESSAGES, refusal, TEMPLATES } from './support/gateway';

const CONTACT = '5511987654321';
const WINDOW = `/v22.0/${LINE}/window/${CONTACT}`;
const FALLBACK = {
  resource: 'message',
  operation: 'send',
  to: CONTACT,
  outsideWindow: 'template',
  fallbackTemplate: { __rl: true, mode: 'list', value: 'order_update|en_US' },
  fallbackVariables: { mappingMode: 'defineBelow', value: { 'body-1': 'Ana' }, schema: [] },
} as never as Record<string, string>;
const TEXT = { ...FALLBACK, messageType: 'text', text: 'Hello' };
const IMAGE = { ...FALLBACK, messageType: 'image', mediaLink: 'https://shop.example/cake.jpg' };

const gateway = gatewayForEach();
beforeEach(() => {
  gateway.on('GET', TEMPLATES, () => ({
    body: {
      success: true,
      count: 1,
      data: [{ name: 'order_update', language: 'en_US', header: null, body: 'Hi {{1}}!', buttons: null }],
    },
  }));
  window(true);
});

function window(open: boolean) {
  gateway.on('GET', WINDOW, () => ({ body: { success: true, contact: CONTACT, open } }));
  gateway.on('POST', MESSAGES, (request) =>
    open || (request.body as { type: string }).type === 'template'
      ? accepted(request, 'wamid.ok')
      : refusal(400, 'outside_24h_window', 131047, 'Re-engagement message', 'Last wrote 31 hours ago.'),
  );
}
const sentTypes = () => gateway.requests('POST', MESSAGES).map(({ body }) => (body as { type: string }).type);

test('inside the window the message itself goes out', async () => {
  const { items } = await runAction(gateway.credentials, TEXT);
  expect(sentTypes()).toEqual(['text']);
  expect(items[0].json).toMatchObject({ messageType: 'text', text: 'Hello', usedFallback: false });
});

test('outside it the template goes out in place of a text, and the output says so', async () => {
  window(false);
  const { items, error } = await runAction(gateway.credentials, TEXT);
  expect(error).toBeUndefined();
  expect(sentTypes()).toEqual(['text', 'template']);
  expect(items[0].json).toMatchObject({ messageType: 'template', text: 'Hi Ana!', usedFallback: true });
  const keys = gateway.requests('POST', MESSAGES).map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(2);
});

test('for other kinds the window is asked for first, because a closed one would show only minutes later', async () => {
  window(false);
  const { items } = await runAction(gateway.credentials, IMAGE);
  expect(sentTypes()).toEqual(['template']);
  expect(items[0].json).toMatchObject({ messageType: 'template', usedFallback: true });
});

test('other kinds go out as they are inside the window', async () => {
  const { items } = await runAction(gateway.credentials, IMAGE);
  expect(sentTypes()).toEqual(['image']);
  expect(items[0].json).toMatchObject({ messageType: 'image', usedFallback: false });
});

test('without a template in reserve the item fails, and the output does not speak of one', async () => {
  window(false);
  const { error } = await runAction(gateway.credentials, { ...TEXT, outsideWindow: 'fail' });
  expect(error?.message).toBe('This contact has not written to you within the last 24 hours');
  window(true);
  const { items } = await runAction(gateway.credentials, { ...TEXT, outsideWindow: 'fail' });
  expect(items[0].json).not.toHaveProperty('usedFallback');
});

test('a refusal of another kind is not answered with the template', async () => {
  gateway.on('POST', MESSAGES, () => refusal(400, 'invalid_payload', 131009, 'Bad', 'Bad.'));
  const { error } = await runAction(gateway.credentials, TEXT);
  expect(sentTypes()).toEqual(['text']);
  expect(error?.message).toBe('The gateway does not accept this message as it is');
});
