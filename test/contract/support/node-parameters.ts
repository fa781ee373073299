import type { GenericValue, IDataObject } from 'n8n-workflow';
import fc, { type GeneratorValue } from 'fast-check';

import { NODE_MESSAGES } from '../../support/node-messages';

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

/** Whatever a person may enter into the node, or an expression may come to: one operation with its parameters. */
export function nodeParameters(draw: GeneratorValue): IDataObject {
  const below = (count: number) => draw(fc.nat, { max: count - 1 });
  const chance = () => below(1_000_000) / 1_000_000;
  const one = <T>(choices: readonly T[]): T => choices[below(choices.length)];
  const sometimes = <T extends object>(share: number, part: () => T): Partial<T> =>
    chance() < share ? part() : {};
  const several = <T>(from: number, to: number, make: (index: number) => T): T[] =>
    Array.from({ length: from + below(to - from + 1) }, (_, index) => make(index));

  const characters = (count: number): string => {
    const [main, other] = [one(CHARACTERS), one(CHARACTERS)];
    const text = Array.from({ length: count }, () => (chance() < 0.9 ? main : other)).join('');
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
    ...sometimes(0.6, () => ({ id: below(9) ? `${index}-${below(1_000_000)}` : entered(200) })),
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
  /** Of the sandbox, with and without all that they need, and some that there are not. */
  const template = (chosenIn: string, languageIn: string, variablesIn: string) => ({
    [chosenIn]: {
      __rl: true,
      mode: 'name',
      value: one(['hello_world', 'order_update', 'appointment_reminder', 'delivery_feedback', 'no_such', '']),
    },
    [languageIn]: one(['en_US', 'en_US', 'pt_BR', '']),
    [variablesIn]: {
      mappingMode: 'defineBelow',
      schema: [],
      value: {
        ...sometimes(0.8, () => ({ 'body-1': entered(60) })),
        ...sometimes(0.7, () => ({ 'body-2': entered(60) })),
        ...sometimes(0.3, () => ({ 'header-image-link': address(), 'button-0-url': entered(20) })),
      },
    },
  });
  const messages: Array<() => IDataObject> = [
    ...['image', 'video', 'audio', 'document', 'sticker', 'file'].map(media),
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
      messageType: 'addressRequest',
      body: entered(1024),
      addressCountry: one(['IN', 'in ', 'x', '']),
    }),
    () => ({
      messageType: 'products',
      productsShown: one(['one', 'several', 'catalogue']),
      body: entered(1024),
      catalogId: one(['194', 7, ' ', null]),
      productId: one(['cake', 7, '']),
      productsHeader: entered(60),
      productIds: one(['cake, tea', 'cake', ',', 7]),
      pictureProductId: one(['cake', '']),
    }),
    () => ({
      messageType: 'json',
      messageJson: one([
        '{"type": "text", "text": {"body": "x"}}',
        '{"to": "1", "type": "text", "text": {"body": "x"}}',
        '{"type": "text"}',
        'x',
        '',
        7,
      ]),
    }),
    () => ({
      messageType: 'flow',
      body: entered(1024),
      flowLabel: entered(30),
      flow: one(['1234', 'book_a_table', 42, ' x ', '']),
    }),
    () => ({ messageType: 'buttons', body: entered(1024), ...fromData() }),
    () => ({ messageType: 'list', body: entered(1024), listButton: entered(20), ...fromData() }),
    () => ({ messageType: 'text', text: entered(4096) }),
    () => ({ messageType: 'template', ...template('template', 'templateLanguage', 'templateVariables') }),
    () => ({ messageType: 'buttons', body: entered(1024), buttons: { button: several(1, 4, button) } }),
    () => ({
      messageType: 'list',
      body: entered(1024),
      listButton: entered(20),
      sections: { section: several(1, 4, listSection) },
    }),
  ];

  /** A message of any type, of which now and then a value is another. */
  const changed = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(changed);
    if (typeof part === 'object' && part !== null)
      return Object.fromEntries(
        Object.entries(part).map(([name, value]) => [name, CHOSEN.includes(name) ? value : changed(value)]),
      );
    return below(6) ? part : one([entered(300), '{}', '[]', 7, false, null]);
  };
  const ofAnyType = () => {
    const [messageType, message] = one(Object.entries(NODE_MESSAGES));
    return { messageType, ...(changed(message.entered) as IDataObject) };
  };

  const send = () => ({
    operation: 'send',
    ...(below(4) ? one(messages)() : ofAnyType()),
    ...options(),
    ...sometimes(0.1, () => ({
      outsideWindow: 'template',
      ...template('fallbackTemplate', 'fallbackLanguage', 'fallbackVariables'),
    })),
  });
  const messageId = () => one(['wamid.in.1', ' wamid.in.1 ', 'a/b?c#d', 'é', 7, '', null]);
  const others: Array<() => IDataObject> = [
    () => ({ operation: 'markAsRead', messageId: messageId(), showTyping: one([true, false]) }),
    () => ({ operation: 'get', messageId: messageId() }),
    () => ({ resource: 'template', operation: 'get', ...template('template', 'templateLanguage', 'none') }),
    () => ({
      resource: 'template',
      operation: 'getAll',
      returnAll: one([true, false]),
      limit: one([1, 50, 500, 501, 0, 1.5, '7', '']),
      simplify: one([true, false]),
      filters: one([{}, { templateStatus: one(['approved', 'pending', 'rejected', 'disabled']) }]),
    }),
    () => ({ resource: 'line', operation: 'getStatus' }),
    () => ({
      resource: 'contact',
      operation: 'getWindow',
      to: one(['5511987654321', '+55 (11) 98765-4321', 'US.13491208655302741918', 'nobody', '', 7, null]),
    }),
    () => ({
      resource: 'contact',
      operation: one(['pauseAutomation', 'resumeAutomation']),
      to: one(['5511987654321', 'US.13491208655302741918', 'nobody', '']),
      hours: one([0, 1, 8760, 8761, 1.5, '8', '', null]),
    }),
  ];
  return { resource: 'message', ...(below(6) ? send() : one(others)()) };
}

/** Values that decide which fields there are. They cannot be expressions. */
const CHOSEN = [
  'resource',
  'operation',
  'messageType',
  'choicesFrom',
  'productsShown',
  'mediaSource',
  'outsideWindow',
  'mode',
  'mappingMode',
  'schema',
  '__rl',
];

/** The same parameters with every value taken from the item: `values` becomes that item. */
export function byExpression(part: unknown, values: IDataObject): unknown {
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
