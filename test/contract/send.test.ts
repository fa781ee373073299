import type { GenericValue, IDataObject, INodeParameters } from 'n8n-workflow';

import { runAction } from '../support/n8n';
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

test('a hundred items to ten contacts are sent, in order for each', async () => {
  const contacts = Array.from({ length: 10 }, (_, index) => `5521900000${String(index).padStart(3, '0')}`);
  await Promise.all(contacts.map((contact) => world.does(contact, { text: 'Hello' })));
  const { items, error } = await runAction(
    world.credentials,
    { ...SEND, ...TEXT, to: '={{ $json.to }}', text: '={{ $json.text }}' },
    Array.from({ length: 100 }, (_, index) => ({ to: contacts[index % 10], text: `m${index}` })),
  );
  expect(error).toBeUndefined();
  expect(new Set(items.map(({ json }) => json.messageId)).size).toBe(100);
  const seen = await world.conversation(contacts[7]);
  const texts = seen.flatMap(({ direction, text }) => (direction === 'from_contact' ? [] : [text]));
  expect(texts).toEqual(Array.from({ length: 10 }, (_, round) => ({ body: `m${round * 10 + 7}` })));
});

describe('whatever is entered', () => {
  /** The same choices at every run (mulberry32), so that what fails once fails again. */
  const SEED = 20261120;
  const SAMPLES = 400;

  let state = SEED;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (count: number) => Math.floor(random() * count);
  const one = <T>(choices: readonly T[]): T => choices[below(choices.length)];
  const sometimes = <T extends object>(chance: number, part: () => T): Partial<T> =>
    random() < chance ? part() : {};
  const several = <T>(from: number, to: number, make: (index: number) => T): T[] =>
    Array.from({ length: from + below(to - from + 1) }, (_, index) => make(index));

  const CHARACTERS = [
    'a',
    'Z',
    '7',
    ' ',
    'é',
    'ß',
    '😀',
    '👩‍👩‍👧',
    '\u0301',
    '\n',
    '"',
    '\\',
    '<',
    '{{1}}',
    'ن',
    '\u202e',
  ];
  const characters = (count: number) => {
    const [main, other] = [one(CHARACTERS), one(CHARACTERS)];
    const text = Array.from({ length: count }, () => (random() < 0.9 ? main : other)).join('');
    return Array.from(text).slice(0, count).join('');
  };
  /** Mostly what fits, often just so; now and then too long, empty, or what an expression may come to. */
  const entered = (limit: number) => {
    const length = one([1, 2, 1 + below(limit), limit - 1, limit, limit, below(9) ? limit : limit + 1]);
    return below(12) ? characters(length) : one(['', ' ', 1042, 0, true, null]);
  };

  const options = () => ({
    options: {
      ...sometimes(0.3, () => ({ clientRef: entered(512) })),
      ...sometimes(0.3, () => ({ footer: entered(60) })),
      ...sometimes(0.3, () => ({ header: entered(60) })),
      ...sometimes(0.2, () => ({ headerImage: one(['https://shop.example/a.png', '42', '', null]) })),
      ...sometimes(0.1, () => ({ headerVideo: one(['https://shop.example/a.mp4', 42]) })),
      ...sometimes(0.2, () => ({ flowScreen: one(['WELCOME', '']), flowToken: entered(20) })),
      ...sometimes(0.2, () => ({ flowData: one(['{"a": 1}', '{}', '[]', 'x', '']) })),
      ...sometimes(0.2, () => ({ flowDraft: one([true, false]), voice: one([true, false]) })),
      ...sometimes(0.3, () => ({ previewUrl: one([true, false]) })),
      ...sometimes(0.3, () => ({ replyTo: one(['wamid.in.1', ' wamid.in.1 ', '', 7, null]) })),
    },
  });
  const button = (index: number) => ({
    title: below(3) ? `${index}${characters(1 + below(19))}` : entered(20),
    ...sometimes(0.6, () => ({ id: below(3) ? `${index}${characters(1 + below(255))}` : entered(256) })),
  });
  const listRow = (index: number) => ({
    title: below(9) ? `${index}${characters(1 + below(23))}` : entered(24),
    ...sometimes(0.6, () => ({ id: below(9) ? `${random()}` : entered(200) })),
    ...sometimes(0.5, () => ({ description: entered(72) })),
  });
  const listSection = () => ({
    ...sometimes(0.8, () => ({ title: below(6) ? characters(1 + below(24)) : entered(24) })),
    rows: { row: several(below(9) ? 1 : 0, 4, listRow) },
  });
  const address = () =>
    below(6)
      ? one([
          'https://shop.example/a',
          'http://shop.example:8080/a?b=c#d',
          ' https://shop.example/ ',
          'HTTPS://A.example',
        ])
      : one(['', 'shop.example', 'ftp://shop.example', 'https://', 42, null]);
  const media = (messageType: string) => () => ({
    messageType,
    ...one([
      { mediaSource: 'link', mediaLink: address() },
      { mediaSource: 'id', mediaId: one(['42', ' 42', 7, '']) },
    ]),
    ...sometimes(0.5, () => ({ caption: entered(1024) })),
    ...sometimes(0.3, () => ({ fileName: one(['a.pdf', 'é "x".pdf', 7, '']) })),
  });
  const degrees = (limit: number) =>
    below(6) ? one([0, limit, -limit, '1.5', '-1,5', ' 2 ', 1e-7]) : one(['', 'north', limit + 1, null]);
  const fromData = () => ({
    choicesFrom: 'array',
    choicesArray: below(9)
      ? JSON.stringify(
          several(1, 4, (index) => (below(2) ? `${index}${characters(1 + below(19))}` : listRow(index))),
        )
      : one(['', 'x', '{}', '[null]', 7, null]),
    titleField: 'title',
    idField: 'id',
    descriptionField: 'description',
    sectionField: one(['', 'title']),
  });
  const contents = [
    ...['image', 'video', 'audio', 'document', 'sticker'].map(media),
    () => ({
      messageType: 'location',
      latitude: degrees(90),
      longitude: degrees(180),
      ...sometimes(0.5, () => ({ locationName: entered(100), locationAddress: entered(100) })),
    }),
    () => ({
      messageType: 'contacts',
      contacts: {
        contact: several(below(9) ? 1 : 0, 3, () => ({
          name: entered(40),
          ...sometimes(0.6, () => ({ phone: one(['+55 11 98765-4321', 5511987654321, '', null]) })),
          ...sometimes(0.4, () => ({ email: entered(30), url: entered(30) })),
          ...sometimes(0.4, () => ({ company: entered(30), title: entered(30) })),
        })),
      },
    }),
    () => ({
      messageType: 'reaction',
      reactTo: one(['wamid.in.1', ' wamid.in.1 ', 7, '']),
      emoji: one(['👍', '❤️', '👩‍👩‍👧', '🇧🇷', '1️⃣', '', ' ', 'ok', 7, null]),
    }),
    () => ({ messageType: 'linkButton', body: entered(1024), linkLabel: entered(20), linkUrl: address() }),
    () => ({ messageType: 'locationRequest', body: entered(1024) }),
    () => ({
      messageType: 'flow',
      body: entered(1024),
      flowLabel: entered(30),
      flow: one(['1234', 'book_a_table', 42, ' x ', '']),
    }),
    () => ({ messageType: 'buttons', body: entered(1024), ...fromData() }),
    () => ({ messageType: 'list', body: entered(1024), listButton: entered(20), ...fromData() }),
    () => ({ messageType: 'text', text: entered(4096) }),
    () => ({ messageType: 'buttons', body: entered(1024), buttons: { button: several(1, 4, button) } }),
    () => ({
      messageType: 'list',
      body: entered(1024),
      listButton: entered(20),
      sections: { section: several(1, 4, listSection) },
    }),
  ];

  /** What decides which fields there are cannot be an expression. */
  const CHOSEN = ['choicesFrom', 'mediaSource'];

  /** The same parameters with every value taken from the item: `values` becomes that item. */
  function byExpression(part: unknown, values: IDataObject): unknown {
    if (Array.isArray(part)) return part.map((one) => byExpression(one, values));
    if (typeof part === 'object' && part !== null) {
      return Object.fromEntries(
        Object.entries(part).map(([name, one]) => [
          name,
          CHOSEN.includes(name) ? one : byExpression(one, values),
        ]),
      );
    }
    const column = `value${Object.keys(values).length}`;
    values[column] = part as GenericValue;
    return `={{ $json.${column} }}`;
  }

  test(`${SAMPLES} times, the node says what is wrong or the gateway takes what it sends`, async () => {
    let accepted = 0;
    const refusals: string[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      const { messageType, ...content } = one(contents)();
      const parameters = { ...content, ...options() };
      const values: IDataObject = {};
      const before = world.wire.exchanges.length;
      const { items, error } = await runAction(
        world.credentials,
        { ...SEND, messageType, ...(byExpression(parameters, values) as INodeParameters) },
        [values],
      );
      const exchanges = world.wire.exchanges.slice(before);
      const told = {
        messageType,
        parameters,
        said: error?.message,
        answers: exchanges.map(({ answer }) => answer),
      };
      if (error) {
        refusals.push(error.message);
        // Only upstream knows what files and flows there are; all else the node has to see itself.
        const unexpected = exchanges.filter(({ answer }) => answer.error_code !== 'upstream_error');
        expect({ ...told, unexpected }).toEqual({ ...told, unexpected: [] });
        if (exchanges.length === 0)
          expect(told).toMatchObject({ said: expect.stringMatching(/\[item 0\]$/) });
      } else {
        accepted++;
        expect({ ...told, count: items.length }).toEqual({ ...told, count: 1 });
      }
    }
    // Else the choices have become too tame, or too wild, to tell anything.
    expect(accepted).toBeGreaterThan(SAMPLES / 3);
    expect(new Set(refusals.map((said) => said.replace(/\d+|".*"/gs, '#'))).size).toBeGreaterThan(10);
  });
});
