import { accepted, gatewayForEach, LINE, MESSAGES, refusal, TOKEN } from './support/gateway';
import { runAction } from '../support/n8n';

const gateway = gatewayForEach();
beforeEach(() => {
  gateway.on('POST', MESSAGES, (request) => accepted(request));
});

const SEND = { resource: 'message', operation: 'send', to: '+55 11 98765-4321' };
const bodies = () => gateway.requests('POST', MESSAGES).map(({ body }) => body);

test('sends a text with the token of the credential and returns the message id', async () => {
  const { items, error } = await runAction(gateway.credentials, {
    ...SEND,
    messageType: 'text',
    text: 'Hello *Ana* 👋',
  });

  expect(error).toBeUndefined();
  expect(gateway.received).toHaveLength(1);
  expect(gateway.received[0]).toMatchObject({
    method: 'POST',
    path: MESSAGES,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': expect.stringContaining('application/json'),
    },
    body: {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+55 11 98765-4321',
      type: 'text',
      text: { body: 'Hello *Ana* 👋' },
    },
  });
  expect(items).toHaveLength(1);
  expect(items[0].json).toMatchObject({
    messageId: 'wamid.1',
    to: '+55 11 98765-4321',
    waId: '5511987654321',
    messageType: 'text',
    line: 12,
    quality: 'HIGH',
    raw: { success: true },
  });
  expect(items[0].pairedItem).toEqual({ item: 0 });
});

test('writes to a group by the groupId of the trigger, which has no window', async () => {
  const to = 'Y2FwaV9ncm91cDoxNTU1MDc4Mzg4MToxMjAzNjMz';
  const image = { messageType: 'image', mediaSource: 'id', mediaId: '42' };
  const instead = {
    outsideWindow: 'template',
    fallbackTemplate: { __rl: true, mode: 'list', value: 'hello_world|en_US' },
  };
  const { error, items } = await runAction(gateway.credentials, { ...SEND, to, ...image, ...instead });
  expect(error).toBeUndefined();
  expect(bodies()).toMatchObject([{ recipient_type: 'group', to, type: 'image' }]);
  expect(gateway.received).toHaveLength(1);
  expect(items[0].json.to).toBe(to);
});

test('sends nothing that was not entered', async () => {
  await runAction(gateway.credentials, { ...SEND, messageType: 'text', text: 'Hi' });
  expect(Object.keys(bodies()[0] as object).sort()).toEqual([
    'messaging_product',
    'recipient_type',
    'text',
    'to',
    'type',
  ]);
  expect(bodies()[0]).toMatchObject({ text: { body: 'Hi' } });
});

test('accepts an answer of shape B, which has no chat_message_id and no gateway object', async () => {
  gateway.on('POST', MESSAGES, () => ({ body: { success: true, messages: [{ id: 'wamid.B' }] } }));
  const { items } = await runAction(gateway.credentials, { ...SEND, messageType: 'text', text: 'Hi' });
  expect(items[0].json).toMatchObject({
    messageId: 'wamid.B',
    to: '+55 11 98765-4321',
    waId: null,
    line: null,
    phoneNumberId: LINE,
    quality: null,
  });
});

test('fails when the answer has no message id, instead of looking sent', async () => {
  gateway.on('POST', MESSAGES, () => ({ body: { success: true } }));
  const { items, error } = await runAction(gateway.credentials, { ...SEND, messageType: 'text', text: 'Hi' });
  expect(items).toEqual([]);
  expect(error?.message).toContain('without a message ID');
});

test('forgives spaces and a trailing slash in the credential', async () => {
  const credentials = { baseUrl: ` ${gateway.baseUrl}// `, line: ` ${LINE} `, token: ` ${TOKEN}\n` };
  const { error } = await runAction(credentials, { ...SEND, messageType: 'text', text: 'Hi' });
  expect(error).toBeUndefined();
  expect(gateway.received[0]).toMatchObject({
    path: MESSAGES,
    headers: { authorization: `Bearer ${TOKEN}` },
  });
});

test('takes options that come as numbers from a spreadsheet, and leaves out those without a value', async () => {
  const options = { clientRef: '={{ $json.order }}', replyTo: '={{ $json.missing }}' };
  const parameters = { ...SEND, messageType: 'text', text: 'Hi', options };
  const { error } = await runAction(gateway.credentials, parameters, [{ order: 1042, missing: null }]);
  expect(error).toBeUndefined();
  expect(bodies()[0]).toMatchObject({ biz_opaque_callback_data: '1042' });
  expect(bodies()[0]).not.toHaveProperty('context');
});

describe('buttons', () => {
  const BUTTONS = { ...SEND, messageType: 'buttons', body: 'When shall we deliver?' };

  test.each([
    [
      'a fourth button',
      { buttons: { button: ['1', '2', '3', '4'].map((title) => ({ title })) } },
      'There are 4 buttons, 1 more than the 3 allowed',
    ],
    ['no button', { buttons: {} }, 'There are no buttons'],
    [
      'a title of 21 characters',
      { buttons: { button: [{ title: 'Yes' }, { title: 'x'.repeat(21) }] } },
      'Title of button 2 is 21 characters long, 1 more than the 20 allowed',
    ],
    [
      'an ID of 257 characters',
      { buttons: { button: [{ title: 'Yes', id: 'x'.repeat(257) }] } },
      'Reply ID of button 1 is 257 characters long, 1 more than the 256 allowed',
    ],
    [
      'the same title twice',
      {
        buttons: {
          button: [
            { title: 'Yes', id: 'a' },
            { title: 'Yes', id: 'b' },
          ],
        },
      },
      'Two button titles are the same: "Yes"',
    ],
    [
      'the same ID twice',
      {
        buttons: {
          button: [
            { title: 'Yes', id: 'a' },
            { title: 'No', id: 'a' },
          ],
        },
      },
      'Two reply IDs are the same: "a"',
    ],
    [
      'a body of 1025 characters',
      { body: 'x'.repeat(1025), buttons: { button: [{ title: 'Yes' }] } },
      'Text is 1025 characters long, 1 more than the 1024 allowed',
    ],
    [
      'a header of 61 characters',
      { buttons: { button: [{ title: 'Yes' }] }, options: { header: 'x'.repeat(61) } },
      'Header Text is 61 characters long, 1 more than the 60 allowed',
    ],
    [
      'a footer of 61 characters',
      { buttons: { button: [{ title: 'Yes' }] }, options: { footer: 'x'.repeat(61) } },
      'Footer is 61 characters long, 1 more than the 60 allowed',
    ],
  ])('with %s are refused before anything is sent', async (_case, parameters, message) => {
    const { error } = await runAction(gateway.credentials, { ...BUTTONS, ...parameters });
    expect(error?.message).toBe(message);
    expect(error?.context?.itemIndex).toBe(0);
    expect(gateway.received).toEqual([]);
  });
});

describe('a list', () => {
  const LIST = { ...SEND, messageType: 'list', body: 'Choose a time', listButton: 'See times' };
  const section = (title: string, ...rows: Array<{ title: string; id?: string; description?: string }>) => ({
    title,
    rows: { row: rows },
  });
  const many = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, i) => ({ title: `${prefix}${i}` }));

  test.each([
    ['no rows', { section: [section('Morning')] }, 'The list has no rows'],
    [
      'eleven rows in two sections',
      { section: [section('A', ...many(6, 'a')), section('B', ...many(5, 'b'))] },
      'There are 11 rows in all sections together, 1 more than the 10 allowed',
    ],
    [
      'two sections of which one has no title',
      { section: [section('A', { title: 'a' }), section(' ', { title: 'b' })] },
      'The title of section 2 is empty',
    ],
    [
      'an empty section',
      { section: [section('A', { title: 'a' }), section('B')] },
      'There are no rows in section 2',
    ],
    [
      'a row title of 25 characters',
      { section: [section('', { title: 'x'.repeat(25) })] },
      'Title of row 1 in section 1 is 25 characters long, 1 more than the 24 allowed',
    ],
    [
      'a row description of 73 characters',
      { section: [section('', { title: 'a', description: 'x'.repeat(73) })] },
      'Description of row 1 in section 1 is 73 characters long, 1 more than the 72 allowed',
    ],
    [
      'a row ID of 201 characters',
      { section: [section('', { title: 'a', id: 'x'.repeat(201) })] },
      'Reply ID of row 1 in section 1 is 201 characters long, 1 more than the 200 allowed',
    ],
    [
      'the same row ID in two sections',
      { section: [section('A', { title: 'a', id: 'x' }), section('B', { title: 'b', id: 'x' })] },
      'Two reply IDs are the same: "x"',
    ],
    [
      'a section title of 25 characters',
      { section: [section('x'.repeat(25), { title: 'a' })] },
      'Title of section 1 is 25 characters long, 1 more than the 24 allowed',
    ],
  ])('with %s is refused before anything is sent', async (_case, sections, message) => {
    const { error } = await runAction(gateway.credentials, { ...LIST, sections });
    expect(error?.message).toBe(message);
    expect(gateway.received).toEqual([]);
  });

  test('with a button label of 21 characters is refused before anything is sent', async () => {
    const { error } = await runAction(gateway.credentials, {
      ...LIST,
      listButton: 'x'.repeat(21),
      sections: { section: [section('', { title: 'a' })] },
    });
    expect(error?.message).toBe('Button Label is 21 characters long, 1 more than the 20 allowed');
    expect(gateway.received).toEqual([]);
  });
});

describe('limits', () => {
  test('are counted in code points: 4096 emojis pass, one more does not', async () => {
    const fits = await runAction(gateway.credentials, {
      ...SEND,
      messageType: 'text',
      text: '😀'.repeat(4096),
    });
    expect(fits.error).toBeUndefined();
    expect(gateway.received).toHaveLength(1);

    const tooLong = await runAction(gateway.credentials, {
      ...SEND,
      messageType: 'text',
      text: '😀'.repeat(4097),
    });
    expect(tooLong.error?.message).toBe('Text is 4097 characters long, 1 more than the 4096 allowed');
    expect(gateway.received).toHaveLength(1);
  });

  test.each([
    ['To', { to: '  ' }, 'To is empty'],
    ['Text', { text: ' \n' }, 'Text is empty'],
    [
      'Client Reference',
      { options: { clientRef: 'x'.repeat(513) } },
      'Client Reference is 513 characters long, 1 more than the 512 allowed',
    ],
  ])('%s is checked before anything is sent', async (_field, parameters, message) => {
    const { error } = await runAction(gateway.credentials, {
      ...SEND,
      messageType: 'text',
      text: 'Hi',
      ...parameters,
    });
    expect(error?.message).toBe(message);
    expect(gateway.received).toEqual([]);
  });

  test('name the item that breaks them, and spare the others', async () => {
    const { items } = await runAction(
      gateway.credentials,
      { ...SEND, messageType: 'text', text: '={{ $json.text }}' },
      [{ text: 'one' }, { text: 'x'.repeat(5000) }, { text: 'three' }],
      { onError: 'continueRegularOutput' },
    );
    expect(items[1].json.message).toBe(
      'Text is 5000 characters long, 904 more than the 4096 allowed [item 1]',
    );
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
    expect(bodies()).toMatchObject([{ text: { body: 'one' } }, { text: { body: 'three' } }]);
  });
});

test('takes a number that comes as a number from a spreadsheet', async () => {
  const { error } = await runAction(
    gateway.credentials,
    { ...SEND, to: '={{ $json.phone }}', messageType: 'text', text: '={{ $json.text }}' },
    [{ phone: 5511987654321, text: 42 }],
  );
  expect(error).toBeUndefined();
  expect(bodies()[0]).toMatchObject({ to: '5511987654321', text: { body: '42' } });
});

test('says what the gateway says about a closed window, and what to do', async () => {
  gateway.on('POST', MESSAGES, () =>
    refusal(
      400,
      'outside_24h_window',
      131047,
      '(#131047) Re-engagement message',
      '5511987654321 last wrote to this line 31 hours ago. Send an approved template instead.',
    ),
  );
  const { error } = await runAction(gateway.credentials, { ...SEND, messageType: 'text', text: 'Hi' });
  expect(error?.message).toBe('This contact has not written to you within the last 24 hours');
  expect(error?.description).toContain('last wrote to this line 31 hours ago');
  expect(error?.description).toContain('Choose the operation Send Template, or');
  expect(error?.httpCode).toBe('400');
});
