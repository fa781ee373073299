import fc from 'fast-check';

/**
 * Generators for every body that a send accepts: valid ones, and ones with exactly one fault. Written from
 * the specification and the platform's documentation, independently of the gateway's schemas.
 */

export interface Broken {
  value: unknown;
  /** The path of the fault, such as `[2].reply.title`. */
  path: string;
  /** `neither`: both of two alternative fields are missing. */
  is: 'missing' | 'neither' | 'bad';
}

export interface Shape {
  good: fc.Arbitrary<unknown>;
  broken: fc.Arbitrary<Broken>;
}

const bad = (value: unknown, path = ''): Broken => ({ value, path, is: 'bad' });
const badOnes = (...values: unknown[]): fc.Arbitrary<Broken> =>
  fc.constantFrom(...values).map((value) => bad(value));

/**
 * Single code points of every length in JavaScript and UTF-8, a combining character, and half a surrogate
 * pair.
 */
const CHARACTERS = [
  'a',
  ' ',
  '"',
  '\\',
  '\n',
  'é',
  '\u0301',
  '字',
  '\u2028',
  '\u0000',
  '\u200d',
  '😀',
  '👩',
  '\ud800',
];
const PRINTABLE = ['a', 'Z', '0', '_', ' ', 'é', '字', '😀'];

const ofLength = (length: fc.Arbitrary<number>, characters = CHARACTERS): fc.Arbitrary<string> =>
  fc
    .tuple(length, fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 6 }))
    .map(([count, some]) => Array.from({ length: count }, (_, index) => some[index % some.length]).join(''));

const UNBOUNDED = 2000;

/**
 * A text of `least` to `most` code points, often of exactly these lengths. Broken: one too long, empty, or
 * not a string.
 */
export function textOf(most?: number, least = 1, characters = CHARACTERS): Shape {
  const length = fc.oneof(
    fc.constantFrom(least, most ?? UNBOUNDED),
    fc.integer({ min: least, max: Math.min(most ?? 30, 30) }),
  );
  return {
    good: ofLength(length, characters),
    broken: fc.oneof(
      badOnes(7, true, {}, ['a'], ...(least ? [''] : [])),
      ...(most
        ? [ofLength(fc.integer({ min: most + 1, max: most + 3 }), characters).map((value) => bad(value))]
        : []),
    ),
  };
}

/** One of the given words. */
const oneOf = (words: unknown[], others: unknown[]): Shape => ({
  good: fc.constantFrom(...words),
  broken: badOnes(...others),
});
const flag = oneOf([true, false], ['yes', 1, {}]);
const address: Shape = {
  good: fc.constantFrom('https://example.com/a.png?b=c#d', 'HTTP://example.com', 'https://bücher.example/ä'),
  broken: badOnes('', 'example.com/a.png', 'ftp://example.com/a', 'https://', 'https://a b', 7, {}),
};
const any = (...shapes: Shape[]): Shape => ({
  good: fc.oneof(...shapes.map(({ good }) => good)),
  broken: fc.oneof(...shapes.map(({ broken }) => broken)),
});

type Fields = Record<string, Shape>;

/** Fields that the gateway does not know and must accept. */
const UNKNOWN: object[] = [
  { x_later: [1, -0.5, 1e21, null] },
  { tone: { constructor: 'a' } },
  { toString: false },
];

/** An object. Optional fields are missing, null or present; unknown fields may be added. */
export function record(required: Fields, optional: Fields = {}, alone: Fields = {}): Shape {
  const everyField = { ...required, ...optional, ...alone };
  const of = (fields: Fields, without?: string) =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => name !== without)
        .map(([name, { good }]) => [name, name in optional ? fc.option(good, { nil: null, freq: 4 }) : good]),
    );
  const goodBeside = (without?: string) =>
    fc
      .tuple(
        fc.record(of(everyField, without), {
          requiredKeys: Object.keys({ ...required, ...alone }).filter((name) => name !== without),
        }),
        fc.option(fc.constantFrom(...UNKNOWN), { nil: {}, freq: 4 }),
      )
      .map(([known, unknown]) => ({ ...unknown, ...known }) as Record<string, unknown>);
  return {
    good: goodBeside(),
    broken: fc.oneof(
      { weight: 1, arbitrary: badOnes('text', 7, ['list']) },
      ...Object.keys(required).map((name) => ({
        weight: 1,
        arbitrary: goodBeside(name).map((value): Broken => ({ value, path: `.${name}`, is: 'missing' })),
      })),
      ...Object.entries(everyField).map(([name, { broken }]) => ({
        weight: 3,
        arbitrary: fc.tuple(goodBeside(name), broken).map(([value, { value: inner, path, is }]): Broken => ({
          value: { ...value, [name]: inner },
          path: `.${name}${path}`,
          is,
        })),
      })),
    ),
  };
}

/** A list. Broken: not a list, empty if that is invalid, or with one broken entry. */
export function listOf(shape: Shape, least: number, most = 3): Shape {
  const good = (minLength: number, maxLength: number) => fc.array(shape.good, { minLength, maxLength });
  return {
    good: good(least, most),
    broken: fc.oneof(
      badOnes('text', 7, { a: 1 }, ...(least ? [[]] : [])),
      fc.tuple(good(0, 2), shape.broken, good(0, 2)).map(([before, { value, path, is }, after]): Broken => ({
        value: [...before, value, ...after],
        path: `[${before.length}]${path}`,
        is,
      })),
    ),
  };
}

/** Exactly one of two fields. */
function eitherOf(one: Fields, other: Fields, required: Fields, optional: Fields): Shape {
  const [first] = Object.keys(one) as [string];
  const [second] = Object.keys(other) as [string];
  const given = any(record({ ...required }, optional, one), record({ ...required }, optional, other));
  const around = record(required, optional).good as fc.Arbitrary<object>;
  return {
    good: given.good,
    broken: fc.oneof(
      given.broken,
      fc
        .tuple(around, one[first]?.good ?? fc.constant(''), other[second]?.good ?? fc.constant(''))
        .map(([more, a, b]) => bad({ ...more, [first]: a, [second]: b })),
      around.map((value): Broken => ({ value, path: '', is: 'neither' })),
    ),
  };
}

/** The ID of a file. A number without lost digits is also valid and is sent as text. */
const mediaId: Shape = {
  good: textOf().good,
  broken: badOnes('', 0, 1.5, 2 ** 53, true, {}, ['a']),
};
const media = (optional: Fields = {}): Shape => eitherOf({ id: mediaId }, { link: address }, {}, optional);
const caption = textOf(1024, 0);
const anyText = textOf(undefined, 0);

/** A file that allows no caption, not even a valid one. */
function withoutCaption(shape: Shape): Shape {
  const captioned = (shape.good as fc.Arbitrary<object>).map((value) =>
    bad({ ...value, caption: 'Song' }, '.caption'),
  );
  return { good: shape.good, broken: fc.oneof({ weight: 4, arbitrary: shape.broken }, captioned) };
}

const coordinate = (limit: number): Shape => {
  const inside = fc.double({ min: -limit, max: limit, noNaN: true });
  const outside = fc
    .tuple(fc.double({ min: 0.001, max: 1e6, noNaN: true }), fc.boolean())
    .map(([more, isNegative]) => (isNegative ? -limit - more : limit + more));
  return {
    good: fc.oneof(
      fc.constantFrom<number | string>(limit, -limit, `${limit}`, `-${limit}.000`, `+${limit}`, '.5', '1.'),
      inside,
      inside.map((value) => value.toFixed(6)),
    ),
    broken: fc.oneof(
      badOnes('north', '', '1,5', '0x10', '1e1', ' ', true, {}, []),
      outside.map((value) => bad(value)),
      outside.map((value) => bad(value.toFixed(6))),
    ),
  };
};
const location = record(
  { latitude: coordinate(90), longitude: coordinate(180) },
  { name: anyText, address: anyText },
);

const kinds = (fields: Fields) => listOf(record({}, { ...fields, type: anyText }), 0);
const contact = record(
  {
    name: record(
      { formatted_name: textOf() },
      { first_name: anyText, last_name: anyText, middle_name: anyText, suffix: anyText, prefix: anyText },
    ),
  },
  {
    birthday: oneOf(['1990-12-31', ''], ['31.12.1990', '1990-12-31T00:00', 19901231]),
    phones: kinds({ phone: anyText, wa_id: anyText }),
    emails: kinds({ email: anyText }),
    urls: kinds({ url: anyText }),
    addresses: kinds({ street: anyText, city: anyText, zip: anyText, country_code: anyText }),
    org: record({}, { company: anyText, department: anyText, title: anyText }),
  },
);

const wordOf = (most: number): Shape => {
  const shape = textOf(most, 1, PRINTABLE);
  return { good: shape.good, broken: fc.oneof(shape.broken, badOnes('a\u0000', 'a\nb')) };
};

const single: Shape = {
  good: fc.oneof(textOf(undefined, 0).good, fc.constantFrom<unknown>(true, false, 0, 7.5)),
  broken: badOnes({}, ['a']),
};
const parameterValues: Fields = {
  text: single,
  payload: single,
  coupon_code: single,
  currency: record(
    {},
    { fallback_value: anyText, code: anyText, amount_1000: oneOf([0, 1000], ['1000', {}]) },
  ),
  date_time: record({}, { fallback_value: anyText }),
  image: media(),
  video: media(),
  document: media({ filename: anyText }),
  location,
  action: record({}),
};
const parameter = any(
  ...Object.entries(parameterValues).map(([type, value]) =>
    record(
      { [type]: value },
      { parameter_name: anyText },
      { type: oneOf([type, type.toUpperCase()], ['', 7]) },
    ),
  ),
  record({ type: oneOf(['limited_time_offer', 'constructor'], ['', 7]) }),
);
const parameters = listOf(parameter, 0);
const component = any(
  record({ type: oneOf(['header', 'body', 'BODY', 'order_status'], ['', 7, {}]) }, { parameters }),
  record(
    {
      sub_type: oneOf(['url', 'quick_reply', 'COPY_CODE', 'flow'], ['', 7]),
      index: oneOf([0, 1, '0', '9'], [-1, 1.5, 'first', '', true, {}]),
    },
    { parameters },
    { type: oneOf(['button', 'BUTTON'], ['', 7]) },
  ),
);
const template = record(
  { name: wordOf(512), language: record({ code: wordOf(64) }, { policy: oneOf(['deterministic'], ['x']) }) },
  { components: listOf(component, 0) },
);
// The gateway does not check the policy.
template.broken = template.broken.filter(({ path }) => !path.endsWith('.policy'));

const header = (...types: ('text' | 'image' | 'video' | 'document')[]): Shape =>
  any(
    ...types.map((type) =>
      record(
        { [type]: type === 'text' ? textOf(60) : media() },
        {},
        { type: oneOf([type], ['', 7, 'audio', {}]) },
      ),
    ),
  );
const around = (...types: Parameters<typeof header>): [Fields, Fields] => [
  { body: record({ text: textOf(1024) }) },
  { header: header(...types), footer: record({ text: textOf(60) }) },
];
const ANY_HEADER = ['text', 'image', 'video', 'document'] as const;
const kindOf = (kind: string): Fields => ({ type: oneOf([kind, kind.toUpperCase()], ['', 7, {}]) });

/** Makes texts distinct without changing their length. */
const numbered = (value: unknown, index: number): string =>
  String.fromCharCode(0x41 + index) +
  Array.from(value as string)
    .slice(1)
    .join('');

type Button = { type: string; reply: { id: string; title: string } };
const button = record({
  type: oneOf(['reply', 'REPLY'], ['', 'call', 7]),
  reply: record({ id: textOf(256), title: textOf(20) }),
});
const someButtons = (least: number, most: number) =>
  fc.array(button.good as fc.Arbitrary<Button>, { minLength: least, maxLength: most }).map((list) =>
    list.map((one, index) => ({
      ...one,
      reply: { ...one.reply, id: numbered(one.reply.id, index), title: numbered(one.reply.title, index) },
    })),
  );
const buttons: Shape = {
  good: someButtons(1, 3),
  broken: fc.oneof(
    fc.oneof(someButtons(4, 6), fc.constantFrom<unknown>([], 'none', {})).map((value) => bad(value)),
    fc.tuple(someButtons(0, 2), button.broken).map(([before, { value, path, is }]): Broken => ({
      value: [...before, value],
      path: `[${before.length}]${path}`,
      is,
    })),
    fc.tuple(someButtons(2, 3), fc.constantFrom('id', 'title')).map(([list, field]) => {
      const [first, second, ...others] = list as [Button, Button, ...Button[]];
      const twin = { ...second, reply: { ...second.reply, [field]: first.reply[field as 'id'] } };
      return bad([first, twin, ...others], `[1].reply.${field}`);
    }),
  ),
};

const row = record({ id: textOf(200), title: textOf(24) }, { description: textOf(72, 0) });
type Row = { id: string };
type Section = { title?: string | null; rows: Row[] };
/** `count` sections with `rows` rows in total. */
const someSections = (count: number, rows: number): fc.Arbitrary<Section[]> =>
  fc
    .tuple(
      fc.array(textOf(24).good as fc.Arbitrary<string>, { minLength: count, maxLength: count }),
      fc.array(row.good as fc.Arbitrary<Row>, { minLength: rows, maxLength: rows }),
    )
    .map(([titles, list]) =>
      titles.map((title, section) => ({
        title,
        rows: list
          .map((one, index) => ({ ...one, id: numbered(one.id, index) }))
          .filter((_, index) => index % count === section),
      })),
    );
const goodSections = fc
  .integer({ min: 1, max: 10 })
  .chain((count) => fc.tuple(fc.constant(count), fc.integer({ min: count, max: 10 })))
  .chain(([count, rows]) => someSections(count, rows));
const sections: Shape = {
  good: fc.oneof(
    goodSections,
    // A single section needs no title.
    fc
      .tuple(someSections(1, 3), fc.constantFrom(undefined, null, ''))
      .map(([[one], title]) => [{ ...one, title }]),
  ),
  broken: fc.oneof(
    fc
      .oneof(
        someSections(11, 11),
        someSections(1, 11),
        someSections(3, 12),
        fc.constantFrom<unknown>([], 'a', {}),
      )
      .map((value) => bad(value)),
    fc.tuple(someSections(2, 4), fc.constantFrom(undefined, null, '')).map(([list, title]): Broken => ({
      value: list.map((one, index) => (index === 1 ? { ...one, title } : one)),
      path: '[1].title',
      is: 'missing',
    })),
    fc
      .tuple(someSections(2, 4), textOf(24).broken)
      .filter(([, { value }]) => value !== '')
      .map(([list, { value: title }]) => bad([{ ...list[0], title }, list[1]], '[0].title')),
    someSections(2, 4).map((list) => bad([list[0], { ...list[1], rows: [] }], '[1].rows')),
    fc.tuple(someSections(2, 4), row.broken).map(([list, { value, path, is }]): Broken => ({
      value: [list[0], { ...list[1], rows: [...(list[1]?.rows ?? []), value] }],
      path: `[1].rows[2]${path}`,
      is,
    })),
    someSections(2, 4).map(([one, two]) =>
      bad(
        [one, { ...two, rows: [two?.rows[0], { ...two?.rows[1], id: one?.rows[0]?.id }] }],
        '[1].rows[1].id',
      ),
    ),
  ),
};

const interactive: Fields = {
  button: record(
    { ...around(...ANY_HEADER)[0], action: record({ buttons }) },
    around(...ANY_HEADER)[1],
    kindOf('button'),
  ),
  list: record(
    { ...around('text')[0], action: record({ button: textOf(20), sections }) },
    around('text')[1],
    kindOf('list'),
  ),
  cta_url: record(
    {
      ...around(...ANY_HEADER)[0],
      action: record({
        name: oneOf(['cta_url'], ['', 'flow', 7]),
        parameters: record({ display_text: textOf(20), url: address }),
      }),
    },
    around(...ANY_HEADER)[1],
    kindOf('cta_url'),
  ),
  flow: record(
    {
      ...around(...ANY_HEADER)[0],
      action: record({
        name: oneOf(['flow'], ['', 'cta_url', 7]),
        parameters: eitherOf(
          { flow_id: textOf() },
          { flow_name: textOf() },
          { flow_message_version: oneOf(['3', 3], ['', {}, true]), flow_cta: textOf() },
          { flow_token: anyText, mode: anyText, flow_action: anyText, flow_action_payload: record({}) },
        ),
      }),
    },
    around(...ANY_HEADER)[1],
    kindOf('flow'),
  ),
  location_request_message: record(
    { ...around('text')[0], action: record({ name: oneOf(['send_location'], ['', 'flow', 7]) }) },
    { footer: record({ text: textOf(60) }) },
    kindOf('location_request_message'),
  ),
  other: record(
    {},
    { body: record({ text: textOf(1024) }), footer: record({ text: textOf(60) }), action: record({}) },
    { type: oneOf(['product', 'catalog_message', 'call_permission_request'], ['', 7]) },
  ),
};

const digits = fc
  .array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: 15 })
  .map((list) => list.join(''));
const userId: Shape = {
  good: fc.constantFrom('US.13491208655302741918', 'BR.ENT.a', `DE.${'x'.repeat(128)}`),
  broken: badOnes('US', 'us.1', 'US.', 'USA.1', `DE.${'x'.repeat(129)}`, 'US.a-b', 7, {}),
};
const recipient: Shape = {
  good: fc.oneof(
    digits,
    fc
      .tuple(digits, fc.constantFrom(' ', '-', ' (', ') '), fc.boolean())
      .map(([number, between, plus]) => `${plus ? '+' : ''}${number.split('').join(between)}`),
    userId.good,
  ),
  broken: fc.oneof(
    badOnes('', '+', 'Ana', '1234567890123456', '1.2', '++1', '1;2', 7, {}, ['1']),
    userId.broken,
  ),
};

/** A message to a phone number or user ID in `to`, to a user ID in `recipient`, or with both. */
function messageOf(type: string, part: Shape): Shape {
  const content = { type: oneOf([type], ['poem', type.toUpperCase(), '', 7, {}, null]), [type]: part };
  const more = {
    messaging_product: oneOf(['chat', 'whatsapp'], ['sms', 'WhatsApp', '', 7]),
    recipient_type: anyText,
    context: record({ message_id: textOf() }),
    biz_opaque_callback_data: textOf(512, 0),
  };
  return any(
    record({ to: recipient, ...content }, more),
    record(content, more, { recipient: userId }),
    record(content, more, { to: recipient, recipient: userId }),
  );
}

/** Every message type, each kind of `interactive`, and marking as read. */
export const MESSAGES: Record<string, Shape> = {
  text: messageOf('text', record({ body: textOf(4096) }, { preview_url: flag })),
  template: messageOf('template', template),
  image: messageOf('image', media({ caption })),
  video: messageOf('video', media({ caption })),
  audio: messageOf('audio', withoutCaption(media({ voice: flag }))),
  document: messageOf('document', media({ caption, filename: anyText })),
  sticker: messageOf('sticker', withoutCaption(media())),
  location: messageOf('location', location),
  contacts: messageOf('contacts', listOf(contact, 1)),
  reaction: messageOf('reaction', record({ message_id: textOf() }, { emoji: anyText })),
  ...Object.fromEntries(
    Object.entries(interactive).map(([kind, shape]) => [
      `interactive ${kind}`,
      messageOf('interactive', shape),
    ]),
  ),
  'mark as read': record(
    { message_id: textOf() },
    {
      messaging_product: oneOf(['chat', 'whatsapp'], ['sms', '', 7]),
      typing_indicator: record({ type: oneOf(['text'], ['audio', '', 7]) }),
    },
    { status: oneOf(['read'], ['delivered', '', 7, {}]) },
  ),
};
