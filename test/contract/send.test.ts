import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runAction } from '../support/n8n';
import { byExpression, nodeParameters } from './support/node-parameters';
import { expectOnlyValidRequests } from './support/wire';
import { openWorld, type World } from './support/world';

const CONTACT = '5511987654321';
const SEND = { resource: 'message', operation: 'send', to: CONTACT };

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.does(CONTACT, { text: 'Hello' });
});
afterEach(() => expectOnlyValidRequests(world.wire));
afterAll(() => world.close());

/** Runs the node, and finds what it sent on the contact's phone. */
async function sends(parameters: INodeParameters): Promise<void> {
  const { items, error } = await runAction(world.credentials, { ...SEND, ...parameters });
  expect(error).toBeUndefined();
  expect(items.map(({ json }) => json)).toEqual([
    {
      messageId: expect.stringMatching(/^wamid\./),
      to: expect.stringContaining('55'),
      waId: CONTACT,
      text: expect.any(String),
      messageType: parameters.messageType,
      line: 1,
      phoneNumberId: world.credentials.line,
      quality: expect.stringMatching(/^(HIGH|UNKNOWN)$/),
      raw: expect.objectContaining({ success: true }),
    },
  ]);
  const ids = (await world.conversation(CONTACT)).map(({ id }) => id);
  expect(ids).toContain(items[0].json.messageId);
}

const TEXT = { messageType: 'text', text: 'Hello' };
const BUTTONS = { messageType: 'buttons', body: 'When?', buttons: { button: [{ title: 'Today' }] } };
const row = (id: string) => ({ title: id, id });
const LIST = {
  messageType: 'list',
  body: 'Choose a time',
  listButton: 'See times',
  sections: { section: [{ rows: { row: [row('9 to 10')] } }] },
};
const letters = (count: number, first = '') => first + 'x'.repeat(count - first.length);
const emojis = (count: number) => '😀'.repeat(count);

describe('a text', () => {
  test.each<[string, INodeParameters]>([
    ['of one character', { text: 'x' }],
    ['of 4096 characters', { text: letters(4096) }],
    ['of 4096 emojis', { text: emojis(4096) }],
    ['with lines, quotes and markup', { text: 'Olá "Ana"\n\t*ready* \\ <b>{{1}}</b> \u202eabc' }],
    ['that is a number', { text: 1042 }],
    ['with a link preview', { text: 'https://shop.example', options: { previewUrl: true } }],
    ['without a link preview', { text: 'https://shop.example', options: { previewUrl: false } }],
    ['that answers another', { options: { replyTo: 'wamid.in.1' } }],
    ['with a reference of 512 characters', { options: { clientRef: letters(512) } }],
    ['with a reference of 512 emojis', { options: { clientRef: emojis(512) } }],
    ['with a reference that is a number', { options: { clientRef: 1042 } }],
    ['with options that came out empty', { options: { clientRef: '', replyTo: '' } }],
    ['with options that an expression left without a value', { options: { clientRef: null, replyTo: null } }],
  ])('%s is sent', async (_case, parameters) => {
    await sends({ ...TEXT, ...parameters });
  });

  test.each(['5511987654321', '+55 11 98765-4321', ' +55 (11) 98765 4321 ', '+5511987654321', 5511987654321])(
    'to %p is sent',
    async (to) => {
      await sends({ ...TEXT, to });
    },
  );
});

describe('buttons', () => {
  test.each<[string, INodeParameters]>([
    ['with a title alone', {}],
    ['with header and footer', { options: { header: 'Order', footer: 'Reply STOP to end' } }],
    ['with header and footer at their limits', { options: { header: letters(60), footer: emojis(60) } }],
    ['with header and footer that are numbers', { options: { header: 1042, footer: 0 } }],
    ['with header and footer without a value', { options: { header: null, footer: null } }],
    ['with a body at its limit', { body: emojis(1024) }],
    [
      'at all limits',
      {
        buttons: {
          button: ['a', 'b', 'c'].map((first) => ({ title: letters(20, first), id: letters(256, first) })),
        },
      },
    ],
    ['whose titles and ids are numbers', { buttons: { button: [{ title: 1, id: 10 }, { title: 2 }] } }],
    ['that answer a message, with a reference', { options: { replyTo: 'wamid.in.1', clientRef: 'order 1' } }],
  ])('%s are sent', async (_case, parameters) => {
    await sends({ ...BUTTONS, ...parameters });
  });
});

describe('a list', () => {
  const section = (title: string, ...rows: object[]) => ({ title, rows: { row: rows } });
  const full = (first: string) => ({
    title: letters(24, first),
    description: emojis(72),
    id: letters(200, first),
  });
  const tens = Array.from({ length: 10 }, (_, index) => String(index));

  test.each<[string, object]>([
    ['of one row without a title above it', {}],
    ['of ten full rows in one section', { sections: { section: [section('', ...tens.map(full))] } }],
    [
      'of ten sections with a full row each',
      { sections: { section: tens.map((first) => section(letters(24, first), full(first))) } },
    ],
    [
      'whose rows have equal titles and ids of their own',
      { sections: { section: [section('', { title: 'a', id: '1' }, { title: 'a', id: '2' })] } },
    ],
    ['whose button is at its limit', { listButton: emojis(20) }],
    ['with header and footer at their limits', { options: { header: emojis(60), footer: letters(60) } }],
    ['with header and footer that are numbers', { options: { header: 1, footer: 2.5 } }],
  ])('%s is sent', async (_case, parameters) => {
    await sends({ ...LIST, ...(parameters as INodeParameters) });
  });
});

describe('whatever is entered', () => {
  /** The same choices at every run, so that what fails once fails again. */
  const CHOICES = { seed: 20261120, numRuns: 300, unbiased: true, endOnFailure: true };

  /** What only upstream, or the stored messages, can tell; all else the node has to see itself. */
  const NOT_FOR_THE_NODE = ['upstream_error', 'not_found', 'template_not_found', 'template_not_approved'];

  test(`${CHOICES.numRuns} times, the node says what is wrong or the gateway takes what it sends`, async () => {
    let accepted = 0;
    const refusals: string[] = [];
    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      const parameters = nodeParameters(draw);
      const values: IDataObject = {};
      const before = world.wire.exchanges.length;
      const { items, error } = await runAction(
        world.credentials,
        { to: CONTACT, ...(byExpression(parameters, values) as INodeParameters) },
        [values],
      );
      const exchanges = world.wire.exchanges.slice(before);
      const answers = exchanges.map(({ answer }) => answer);
      const told = { parameters, said: error?.message, answers };
      if (error) {
        refusals.push(error.message);
        const unexpected = answers.filter(({ error_code: code }) => code && !NOT_FOR_THE_NODE.includes(code));
        expect({ ...told, unexpected }).toEqual({ ...told, unexpected: [] });
        if (exchanges.length === 0) expect(told).toMatchObject({ said: expect.stringMatching(/^\S/) });
      } else {
        accepted++;
        const isList = parameters.operation === 'getAll';
        expect({ ...told, came: isList || items.length === 1 }).toEqual({ ...told, came: true });
      }
    });
    await fc.assert(property, CHOICES);
    // Else the choices have become too tame, or too wild, to tell anything.
    expect(accepted).toBeGreaterThan(CHOICES.numRuns / 4);
    expect(new Set(refusals.map((said) => said.replace(/\d+|".*"/gs, '#'))).size).toBeGreaterThan(10);
  });
});
