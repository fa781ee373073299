/**
 * Random requests to create a template: about half of them valid, the others with one or two values that break a
 * rule. The same seed gives the same template. They use only kinds that the sandbox can show.
 */

type Json = Record<string, unknown>;

/** Returns numbers from 0 to 1. mulberry32 */
function randomsOf(seed: number): () => number {
  let state = seed ^ 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Maker {
  private readonly random: () => number;
  /** How likely a value breaks a rule. */
  private readonly fault: number;

  constructor(seed: number) {
    this.random = randomsOf(seed);
    this.fault = this.maybe(0.4) ? 0 : 0.05;
  }

  maybe = (chance: number): boolean => this.random() < chance;
  upTo = (most: number): number => Math.floor(this.random() * (most + 1));
  of = <T>(list: readonly T[]): T => list[this.upTo(list.length - 1)] as T;
  /** One of the good values, rarely one of the bad ones. */
  mostly = <T>(good: readonly T[], bad: readonly T[]): T => this.of(this.maybe(this.fault) ? bad : good);
  optional = <T>(chance: number, make: () => T): T[] => (this.maybe(chance) ? [make()] : []);
  several = <T>(least: number, most: number, make: () => T): T[] =>
    Array.from({ length: least + this.upTo(most - least) }, make);

  words = (count: number): string =>
    this.several(count, count, () => this.of(['order', 'today', 'über', 'your', 'shop', 'ready', '7'])).join(
      ' ',
    );

  text(most: number): string {
    const text = this.words(3 + this.upTo(9)).slice(0, most);
    return this.mostly(
      [text],
      ['x'.repeat(most + 1), '', `${text}\n\n\n${text}`, `*${text}* 🎉`, `${text} {{1} `],
    );
  }

  body(most: number): Json {
    const text = this.text(most - 40);
    const count = this.upTo(2);
    if (count === 0) return { type: 'BODY', text };
    const names = this.mostly(
      [['1', '2']],
      [
        ['1', '3'],
        ['first', '2'],
      ],
    ).slice(0, count);
    const holes = names.map((name) => `, for {{${name}}}`).join('');
    const samples = this.mostly([names.map(() => 'Ana')], [[], ['Ana', 'Bea', 'Cid']]);
    return {
      type: 'BODY',
      text: `${text}${holes}${this.mostly([' today'], ['', '.'])}`,
      example: { body_text: [samples] },
    };
  }

  file = (formats: readonly string[]): Json => ({
    type: 'HEADER',
    format: this.of(formats),
    ...this.mostly<Json>([{ example: { header_handle: ['4::aW'] } }], [{}]),
  });

  header(): Json {
    const kind = this.of(['text', 'variable', 'file', 'place', 'product']);
    if (kind === 'text') return { type: 'HEADER', format: 'TEXT', text: this.text(60) };
    if (kind === 'variable')
      return {
        type: 'HEADER',
        format: 'TEXT',
        text: `${this.words(2)} {{1}}`,
        example: { header_text: ['Ana'] },
      };
    if (kind === 'place') return { type: 'HEADER', format: 'LOCATION' };
    if (kind === 'product' && this.maybe(0.3)) return { type: 'HEADER', format: 'PRODUCT' };
    return this.file(['IMAGE', 'VIDEO', 'DOCUMENT', ...this.optional(0.1, () => 'GIF')]);
  }

  label = (): string => this.mostly(['Open', 'Yes', 'More of it'], ['x'.repeat(26), 'Yes 👍', '{{1}}', '']);
  reply = (): Json => ({ type: 'QUICK_REPLY', text: this.label() });
  link = (): Json => ({
    type: 'URL',
    text: this.label(),
    ...this.of<Json>([
      { url: 'https://shop.example/a' },
      {
        url: this.mostly(['https://shop.example/{{1}}'], ['https://{{1}}.example/a', 'shop.example']),
        example: ['7'],
      },
    ]),
  });
  phone = (): Json => ({
    type: 'PHONE_NUMBER',
    text: this.label(),
    phone_number: this.mostly(['+12025550147'], ['1'.repeat(21)]),
  });
  code = (): Json => ({ type: 'COPY_CODE', example: this.mostly(['25OFF'], ['x'.repeat(21), '']) });

  buttons(): Json {
    const others = [
      ...this.several(0, 2, this.link),
      ...this.optional(0.3, this.phone),
      ...this.optional(0.2, this.code),
      ...this.optional(0.1, () => ({
        type: 'FLOW',
        text: 'Book',
        ...this.mostly<Json>([{ flow_id: '7' }], [{}]),
      })),
      ...this.optional(0.1, () => ({ type: this.of(['CATALOG', 'MPM', 'SPM']), text: 'View' })),
    ];
    const replies = this.several(others.length === 0 ? 1 : 0, 3, this.reply);
    const list = this.maybe(0.5) ? [...replies, ...others] : [...others, ...replies];
    return { type: 'BUTTONS', buttons: this.mostly([list], [[], [...list, ...replies, ...list]]) };
  }

  carousel(): Json {
    const header = this.file(this.mostly([['IMAGE'], ['VIDEO']], [['DOCUMENT']]));
    const body = this.optional(0.5, () => this.body(160));
    const buttons = {
      type: 'BUTTONS',
      buttons: this.several(1, 2, () => this.of([this.reply, this.link, this.phone])()),
    };
    const card = { components: [header, ...body, buttons] };
    const count = this.mostly([2, 3, 10], [1, 11]);
    const other = {
      components: [header, buttons, ...this.optional(0.5, () => ({ type: 'BODY', text: 'New' }))],
    };
    return {
      type: 'CAROUSEL',
      cards: this.mostly([Array.from({ length: count }, () => card)], [[card, other]]),
    };
  }

  offer = (): Json => ({
    type: 'LIMITED_TIME_OFFER',
    limited_time_offer: {
      text: this.mostly(['Soon over'], ['x'.repeat(17), '']),
      has_expiration: this.maybe(0.5),
    },
  });

  otp(): Json {
    const type = this.mostly(['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'], ['TWO_TAP']);
    const app = {
      package_name: this.mostly(['com.example.shop'], ['shop']),
      signature_hash: this.mostly(['K8a/AINcGX7'], ['K8a']),
    };
    return {
      type: 'OTP',
      otp_type: type,
      ...(type !== 'COPY_CODE' && { supported_apps: this.several(1, this.mostly([2], [7]), () => app) }),
      ...(type === 'ZERO_TAP' && { zero_tap_terms_accepted: this.mostly([true], [false]) }),
    };
  }

  components(category: string): Json[] {
    if (category === 'AUTHENTICATION') {
      return [
        {
          type: 'BODY',
          add_security_recommendation: this.maybe(0.5),
          ...this.mostly<Json>([{}], [{ text: 'Code' }]),
        },
        ...this.optional(0.5, () => ({
          type: 'FOOTER',
          code_expiration_minutes: this.mostly([1, 90], [0, 91, 1.5]),
        })),
        { type: 'BUTTONS', buttons: [this.otp(), ...this.optional(this.fault, this.reply)] },
      ];
    }
    const kind = category === 'MARKETING' ? this.of(['plain', 'plain', 'carousel', 'offer']) : 'plain';
    if (kind === 'carousel') return [this.body(1024), this.carousel()];
    if (kind === 'offer')
      return [
        ...this.optional(0.5, () => this.file(['IMAGE', 'VIDEO'])),
        this.body(600),
        this.offer(),
        ...this.optional(this.fault, () => ({ type: 'FOOTER', text: 'Shop' })),
        {
          type: 'BUTTONS',
          buttons: this.mostly([[this.code(), this.link()], [this.link()]], [[this.link(), this.code()]]),
        },
      ];
    return [
      ...this.optional(0.5, () => this.header()),
      ...this.mostly([[this.body(1024)]], [[], [this.body(1024), this.body(1024)]]),
      ...this.optional(0.4, () => ({ type: 'FOOTER', text: this.text(60) })),
      ...this.optional(0.6, () => this.buttons()),
    ];
  }

  template(seed: number): Json {
    const category = this.of(['UTILITY', 'MARKETING', 'MARKETING', 'AUTHENTICATION']);
    return {
      name: this.mostly([`random_${seed}`], ['Random', 'x'.repeat(513), '']),
      language: this.mostly(['en_US', 'pt_BR', 'es'], ['english', 'en-US']),
      category: this.mostly([category], ['FUN']),
      components: this.components(category),
      ...(this.maybe(0.2) && { message_send_ttl_seconds: this.mostly([60, 900], [7, 10_000_000, '60']) }),
    };
  }
}

export const randomTemplate = (seed: number): Json => new Maker(seed).template(seed);

const HOSTILE: unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  '{{',
  '\0',
  [],
  {},
  [[]],
  [null],
  { text: {} },
  '{{1}}'.repeat(500),
];

/** Replaces a random value, at any depth, with one of another type. */
export function spoil(template: Json, seed: number): unknown {
  const random = randomsOf(seed);
  const copy = structuredClone(template);
  let at: Record<string, unknown> = copy;
  for (;;) {
    const keys = Object.keys(at);
    const key = keys[Math.floor(random() * keys.length)];
    if (key === undefined) return copy;
    const inner = at[key];
    if (typeof inner === 'object' && inner !== null && random() < 0.8) at = inner as Record<string, unknown>;
    else {
      at[key] = HOSTILE[Math.floor(random() * HOSTILE.length)];
      return copy;
    }
  }
}
