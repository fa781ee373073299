import { templateRefusal, templateWarnings } from '../../../gateway/templates/template-refusal';
import {
  RULES,
  DOCUMENTATION,
  KINDS,
  LANGUAGES,
  type TemplateRule,
} from '../../../gateway/templates/rules/table';
import {
  issuesOfCreation,
  issuesOfEdit,
  type EditedTemplate,
  type KnownAccount,
} from '../../../gateway/templates/rules/template-issues';
import { type TemplateIssue } from '../../../gateway/templates/rules/report';
import { LANGUAGES as SPOKEN } from '../../../gateway/wording/language';
import { say } from '../../../gateway/wording/say';
import { type Fact } from '../../../gateway/wording/facts';
import { DAY, HOUR } from '../../../gateway/time';
import { STARTER_TEMPLATES } from '../../../gateway/sandbox/templates/starter-templates';
import { randomTemplate, spoil } from '../../support/random-templates';

type Json = Record<string, unknown>;
/** The rule, where it is broken, the smallest template that breaks it, and the nearest one that does not. */
type Case = [rule: TemplateRule, path: string, bad: unknown, good: unknown];

const PLAIN = { type: 'BODY', text: 'Your order is on its way.' };
const template = (more: Json = {}) => ({
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  components: [PLAIN],
  ...more,
});
const of = (...components: unknown[]) => template({ components });
const beside = (...components: unknown[]) => of(PLAIN, ...components);
const marketing = (...components: unknown[]) => template({ category: 'MARKETING', components });
const body = (text: string, ...samples: string[]) => ({
  type: 'BODY',
  text,
  ...(samples.length > 0 && { example: { body_text: [samples] } }),
});
const named = (text: string, ...samples: [string, string][]) => ({
  type: 'BODY',
  text,
  example: { body_text_named_params: samples.map(([param_name, example]) => ({ param_name, example })) },
});
const header = (text: string, ...samples: string[]) => ({
  type: 'HEADER',
  format: 'TEXT',
  text,
  ...(samples.length > 0 && { example: { header_text: samples } }),
});
const NAMED_HEADER = {
  ...header('Hi {{name}}'),
  example: { header_text_named_params: [{ param_name: 'name', example: 'Ana' }] },
};
const file = (format: string) => ({ type: 'HEADER', format, example: { header_handle: ['4::aW'] } });
const footer = (text: string) => ({ type: 'FOOTER', text });
const buttons = (...list: unknown[]) => ({ type: 'BUTTONS', buttons: list });
const reply = (text = 'Yes') => ({ type: 'QUICK_REPLY', text });
const link = (url = 'https://shop.example', more: Json = {}) => ({ type: 'URL', text: 'Open', url, ...more });
const phone = (phone_number = '15550051310') => ({ type: 'PHONE_NUMBER', text: 'Call', phone_number });
const code = (example: unknown = '25OFF') => ({ type: 'COPY_CODE', example });
const long = (length: number) => 'x'.repeat(length);
const times = <T>(count: number, each: T): T[] => Array.from({ length: count }, () => each);

const offer = (text: string, ...more: unknown[]) =>
  marketing(PLAIN, { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text } }, ...more);
const card = (...components: unknown[]) => ({ components });
const IMAGE_CARD = card(file('IMAGE'), buttons(reply()));
const carousel = (...cards: unknown[]) => marketing(PLAIN, { type: 'CAROUSEL', cards });

const otp = (more: Json = {}) => ({ type: 'OTP', otp_type: 'COPY_CODE', ...more });
const authentication = (...components: unknown[]) => template({ category: 'AUTHENTICATION', components });
const codeMessage = (button: Json, ...more: unknown[]) =>
  authentication({ type: 'BODY' }, buttons(button), ...more);
const APP = { package_name: 'com.example.shop', signature_hash: 'K8a/AINcGX7' };
const oneTap = (...supported_apps: unknown[]) => codeMessage(otp({ otp_type: 'ONE_TAP', supported_apps }));

/** Kinds in lower case, as many clients send them. */
const lowercased = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, each: unknown) =>
    ['type', 'format', 'otp_type'].includes(key) && typeof each === 'string' ? each.toLowerCase() : each,
  );

const SHAPE: Case[] = [
  ['field.type', '', [], template()],
  ['field.missing', 'name', template({ name: undefined }), template()],
  ['field.missing', 'name', template({ name: '' }), template()],
  ['field.type', 'name', template({ name: 7 }), template()],
  ['field.missing', 'language', template({ language: null }), template()],
  ['field.type', 'language', template({ language: { code: 'en_US' } }), template()],
  ['field.missing', 'category', template({ category: undefined }), template()],
  ['field.missing', 'components', template({ components: undefined }), template()],
  ['field.missing', 'components', template({ components: [] }), template()],
  [
    'field.missing',
    'components',
    template({ components: undefined }),
    template({ components: undefined, library_template_name: 'address_update' }),
  ],
  ['field.type', 'components', template({ components: 'BODY' }), template()],
  ['field.type', 'components[1]', beside(7), beside(footer('Shop'))],
  ['field.missing', 'components[1].type', beside({ text: 'Shop' }), beside(footer('Shop'))],
  ['field.missing', 'components[0].text', of({ type: 'BODY' }), of({ type: 'BODY', text: 'Hi' })],
  ['field.type', 'components[0].text', of({ type: 'BODY', text: ['Hi'] }), of({ type: 'body', text: 'Hi' })],
  ['field.missing', 'components[1].text', beside({ type: 'FOOTER' }), beside(footer('Shop'))],
  ['field.missing', 'components[1].format', beside({ type: 'HEADER', text: 'A' }), beside(header('A'))],
  ['field.missing', 'components[1].buttons', beside({ type: 'BUTTONS' }), beside(buttons(reply()))],
  ['field.missing', 'components[1].buttons', beside(buttons()), beside(buttons(reply()))],
  ['field.type', 'components[1].buttons[0]', beside(buttons('Yes')), beside(buttons(reply()))],
  [
    'field.missing',
    'components[1].buttons[0].type',
    beside(buttons({ text: 'A' })),
    beside(buttons(reply())),
  ],
  ['field.missing', 'components[1].buttons[0].text', beside(buttons(reply(''))), beside(buttons(reply('A')))],
  ['field.missing', 'components[1].buttons[0].url', beside(buttons(link(''))), beside(buttons(link()))],
  [
    'field.missing',
    'components[1].buttons[0].phone_number',
    beside(buttons(phone(''))),
    beside(buttons(phone())),
  ],
  [
    'field.missing',
    'components[1].buttons[0].flow_id',
    beside(buttons({ type: 'FLOW', text: 'Book' })),
    beside(buttons({ type: 'FLOW', text: 'Book', flow_id: '7' })),
  ],
  ['value.unknown', 'category', template({ category: 'FUN' }), template({ category: 'utility' })],
  [
    'value.unknown',
    'parameter_format',
    template({ parameter_format: 'LOOSE' }),
    template({ parameter_format: 'named' }),
  ],
  [
    'kind.unknown',
    'components[1].type',
    beside({ type: 'HOLOGRAM' }),
    beside({ type: 'CALL_PERMISSION_REQUEST' }),
  ],
  [
    'kind.unknown',
    'components[1].format',
    beside({ type: 'HEADER', format: 'SMELL' }),
    beside(file('VIDEO')),
  ],
  [
    'kind.unknown',
    'components[1].buttons[0].type',
    beside(buttons({ type: 'WINK' })),
    beside(buttons({ type: 'VOICE_CALL', text: 'Call' })),
  ],
];

const NAMES: Case[] = [
  ['name.format', 'name', template({ name: 'Order' }), template({ name: 'order' })],
  ['name.format', 'name', template({ name: 'order update' }), template({ name: 'order_update_2' })],
  ['name.format', 'name', template({ name: 'pedido_é' }), template({ name: 'pedido_e' })],
  ['name.format', 'name', template({ name: 'order-update' }), template({ name: '7' })],
  ['name.format', 'name', template({ name: long(513) }), template({ name: long(512) })],
  ['name.sample', 'name', template({ name: 'hello_world' }), template({ name: 'hello_worlds' })],
  ['language.unknown', 'language', template({ language: 'english' }), template({ language: 'en' })],
  ['language.unknown', 'language', template({ language: 'en-US' }), template({ language: 'en_GB' })],
  ['language.unknown', 'language', template({ language: 'pt' }), template({ language: 'pt_BR' })],
  [
    'number.range',
    'message_send_ttl_seconds',
    template({ message_send_ttl_seconds: 29 }),
    template({ message_send_ttl_seconds: 30 }),
  ],
  [
    'number.range',
    'message_send_ttl_seconds',
    template({ message_send_ttl_seconds: 43_201 }),
    template({ message_send_ttl_seconds: 43_200 }),
  ],
  [
    'number.range',
    'message_send_ttl_seconds',
    template({ message_send_ttl_seconds: 60.5 }),
    template({ message_send_ttl_seconds: -1 }),
  ],
  [
    'number.range',
    'message_send_ttl_seconds',
    { ...codeMessage(otp()), message_send_ttl_seconds: 901 },
    { ...codeMessage(otp()), message_send_ttl_seconds: 900 },
  ],
  [
    'number.range',
    'message_send_ttl_seconds',
    { ...marketing(PLAIN), message_send_ttl_seconds: 2_592_001 },
    { ...marketing(PLAIN), message_send_ttl_seconds: 2_592_000 },
  ],
  [
    'number.range',
    'message_send_ttl_seconds',
    { ...marketing(PLAIN), message_send_ttl_seconds: -1 },
    { ...codeMessage(otp()), message_send_ttl_seconds: -1 },
  ],
  [
    'field.type',
    'message_send_ttl_seconds',
    template({ message_send_ttl_seconds: '60' }),
    template({ message_send_ttl_seconds: 60 }),
  ],
];

const TEXTS: Case[] = [
  ['text.long', 'components[0].text', of(body(long(1025))), of(body(long(1024)))],
  ['text.long', 'components[0].text', of(body('é'.repeat(1025))), of(body('é'.repeat(1024)))],
  ['text.long', 'components[1].text', beside(header(long(61))), beside(header(long(60)))],
  ['text.long', 'components[1].text', beside(footer(long(61))), beside(footer(long(60)))],
  [
    'text.long',
    'components[1].buttons[0].text',
    beside(buttons(reply(long(26)))),
    beside(buttons(reply(long(25)))),
  ],
  [
    'text.long',
    'components[1].buttons[0].url',
    beside(buttons(link(`https://a.example/${long(1983)}`))),
    beside(buttons(link(`https://a.example/${long(1982)}`))),
  ],
  [
    'text.long',
    'components[1].buttons[0].phone_number',
    beside(buttons(phone('1'.repeat(21)))),
    beside(buttons(phone('1'.repeat(20)))),
  ],
  [
    'text.long',
    'components[1].buttons[0].example',
    beside(buttons(code(long(21)))),
    beside(buttons(code(long(20)))),
  ],
  ['header.format', 'components[1].text', beside(header('*New*')), beside(header('New'))],
  ['header.format', 'components[1].text', beside(header('Good\nnews')), beside(header('Good news'))],
  ['header.format', 'components[1].text', beside(header('News 🎉')), beside(header('News: ¡hola!'))],
  ['header.format', 'components[1].text', beside(header('order_number')), beside(header('Order number'))],
  [
    'header.variables',
    'components[1].text',
    beside(header('{{1}} and {{2}}', 'a', 'b')),
    beside(header('{{1}} and {{1}}', 'a')),
  ],
  ['footer.variables', 'components[1].text', beside(footer('From {{1}}')), beside(footer('From us'))],
  ['footer.format', 'components[1].text', beside(footer('Bye 👋')), beside(footer('*Bye*'))],
  ['footer.format', 'components[1].text', beside(footer('Bye\nbye')), beside(footer('Bye bye'))],
  ['body.lines', 'components[0].text', of(body('a\n\n\nb')), of(body('a\n\nb'))],
  ['body.lines', 'components[0].text', of(body('a\r\n\r\n\r\nb')), of(body('a\r\n\r\nb'))],
  ['body.emojis', 'components[0].text', of(body(`Hi ${'🎉'.repeat(11)}`)), of(body(`Hi ${'🎉'.repeat(10)}`))],
  ['body.emojis', 'components[0].text', of(body(`Hi ${'👩‍👩‍👧'.repeat(11)}`)), of(body(`Hi ${'👩‍👩‍👧'.repeat(10)}`))],
  [
    'link.shortener',
    'components[0].text',
    of(body('See https://bit.ly/2x')),
    of(body('See https://orbit.ly.example/2x')),
  ],
  [
    'link.shortener',
    'components[1].buttons[0].url',
    beside(buttons(link('https://t.co/a'))),
    beside(buttons(link('https://shop.co/a'))),
  ],
  [
    'category.promotional',
    'components[0].text',
    of(body('A discount for you')),
    marketing(body('A discount for you')),
  ],
  ['category.promotional', 'components[0].text', of(body('Cupom novo')), of(body('Cupomania'))],
  ['category.promotional', 'components[0].text', of(body('Un DESCUENTO nuevo')), of(body('Un descuentista'))],
];

const HI = 'Hello {{1}}, your order is on its way today.';
const VARIABLES: Case[] = [
  [
    'variable.format',
    'components[0].text',
    of(body('Hi {{first name}} and all')),
    of(named('Hi {{first_name}} and all of you', ['first_name', 'Ana'])),
  ],
  [
    'variable.format',
    'components[0].text',
    of(body('Hi {{Name}} and all of you')),
    of(named('Hi {{name}} and all of you', ['name', 'Ana'])),
  ],
  [
    'variable.format',
    'components[0].text',
    of(body('Hi {{1} and all of you')),
    of(body('Hi {{ 1 }} and all of you', 'Ana')),
  ],
  [
    'variable.format',
    'components[0].text',
    of(body('Hi {1}} and all of you')),
    of(body('Hi {1} and all of you')),
  ],
  [
    'variable.format',
    'components[0].text',
    of(body('Hi {{}} and all of you')),
    of(body('Hi {} and all of you')),
  ],
  ['variable.format', 'components[1].text', beside(header('Hi {{a b}}')), beside(header('Hi {{1}}', 'Ana'))],
  [
    'variable.mixed',
    'components[0].text',
    of(body('Hello {{1}}, your order {{number}} is on its way.', 'Ana', '7')),
    of(body('Hello {{1}}, your order {{2}} is on its way.', 'Ana', '7')),
  ],
  [
    'variable.mixed',
    'components[0].text',
    { ...of(body(HI, 'Ana')), parameter_format: 'NAMED', components: [{ ...named(HI, ['1', 'Ana']) }] },
    { ...of(body(HI, 'Ana')), parameter_format: 'POSITIONAL' },
  ],
  [
    'variable.mixed',
    'components[0].text',
    of(named(HI, ['1', 'Ana']), NAMED_HEADER),
    of(named('Hello {{a}}, your order is on its way today.', ['a', 'Ana']), NAMED_HEADER),
  ],
  [
    'sample.missing',
    'components[0].example.body_text_named_params',
    of(
      named('Hello {{a}}, your order is on its way today.'),
      buttons(link('https://a.example/{{1}}', { example: ['7'] })),
    ),
    of(
      named('Hello {{a}}, your order is on its way today.', ['a', 'Ana']),
      buttons(link('https://a.example/{{1}}', { example: ['7'] })),
    ),
  ],
  [
    'variable.gap',
    'components[0].text',
    of(body('Hello {{1}}, your order {{3}} is on its way.', 'Ana', '7')),
    of(body('Hello {{2}}, your order {{1}} is on its way.', '7', 'Ana')),
  ],
  [
    'variable.gap',
    'components[0].text',
    of(body('Hello {{0}}, your order is ready.', 'Ana')),
    of(body('Hello {{1}}, your order is ready.', 'Ana')),
  ],
  [
    'variable.gap',
    'components[1].text',
    beside(header('Order {{2}}', '7')),
    beside(header('Order {{1}}', '7')),
  ],
  [
    'variable.edge',
    'components[0].text',
    of(body('{{1}}, your order is on its way.', 'Ana')),
    of(body(HI, 'Ana')),
  ],
  [
    'variable.edge',
    'components[0].text',
    of(body(' {{1}} is on its way to you', 'It')),
    of(body('It: {{1}} is on its way to you', 'It')),
  ],
  [
    'variable.edge',
    'components[0].text',
    of(body('Your order is here: {{1}}', '7')),
    of(body('Your order {{1}} is here', '7')),
  ],
  [
    'variable.edge',
    'components[0].text',
    of(body('Your order is here: {{1}}\n', '7')),
    beside(header('Order {{1}}', '7')),
  ],
  [
    'variable.punctuation',
    'components[0].text',
    of(body('Your order is here: {{1}}.', '7')),
    of(body('Your order is here: {{1}}. Bye', '7')),
  ],
  [
    'variable.adjacent',
    'components[0].text',
    of(body('Your order is for {{1}} {{2}} as of today', 'A', 'B')),
    of(body('Your order is for {{1}}, {{2}} as of today', 'A', 'B')),
  ],
  [
    'variable.ratio',
    'components[0].text',
    of(body('Hello {{1}} there', 'Ana')),
    of(body('Hello {{1}} over there', 'Ana')),
  ],
  [
    'variable.ratio',
    'components[0].text',
    of(body('Use {{1}} or {{2}} at once', 'a', 'b')),
    of(body('Use {{1}} or {{2}} at once, please', 'a', 'b')),
  ],
  [
    'body.variables_only',
    'components[1].cards[0].components[1].text',
    carousel(card(file('IMAGE'), body('{{1}}', 'a')), card(file('IMAGE'), PLAIN)),
    carousel(card(file('IMAGE'), body('{{1}} new', 'a')), card(file('IMAGE'), PLAIN)),
  ],
];

const SAMPLES: Case[] = [
  ['sample.missing', 'components[0].example.body_text', of(body(HI)), of(body(HI, 'Ana'))],
  [
    'sample.missing',
    'components[0].example.body_text',
    of(body(HI, '')),
    of({ ...body(HI), example: { body_text: 'Ana' } }),
  ],
  [
    'sample.missing',
    'components[0].example.body_text',
    of({ ...body(HI), example: { body_text: [[]] } }),
    of({ ...body(HI), example: { body_text: ['Ana'] } }),
  ],
  [
    'sample.missing',
    'components[0].example.body_text_named_params',
    of(named('Hi {{a}} and {{b}}, here is your order', ['a', '1'])),
    of(named('Hi {{a}} and {{b}}, here is your order', ['b', '2'], ['a', '1'])),
  ],
  [
    'sample.count',
    'components[0].example.body_text',
    of(body('Hi {{1}} and {{2}}, here is your order', 'a')),
    of(body('Hi {{1}} and {{2}}, here is your order', 'a', 'b')),
  ],
  [
    'sample.count',
    'components[0].example.body_text',
    of(body(HI, 'a', 'b')),
    of(body(`${HI} Bye {{1}}, see you`, 'a')),
  ],
  [
    'sample.missing',
    'components[1].example.header_text',
    beside(header('Hi {{1}}')),
    beside(header('Hi {{1}}', 'Ana')),
  ],
  [
    'sample.missing',
    'components[1].example.header_text_named_params',
    beside(header('Hi {{name}}', 'Ana')),
    beside(NAMED_HEADER),
  ],
  [
    'sample.missing',
    'components[1].example.header_handle',
    beside({ type: 'HEADER', format: 'IMAGE' }),
    beside(file('IMAGE')),
  ],
  [
    'sample.missing',
    'components[1].example.header_handle',
    beside({ type: 'HEADER', format: 'document' }),
    beside(file('document')),
  ],
  [
    'sample.missing',
    'components[1].example.header_handle',
    beside({ type: 'HEADER', format: 'VIDEO', example: { header_handle: [] } }),
    beside({ type: 'HEADER', format: 'LOCATION' }),
  ],
  [
    'sample.missing',
    'components[1].buttons[0].example',
    beside(buttons(link('https://shop.example/{{1}}'))),
    beside(buttons(link('https://shop.example/{{1}}', { example: ['7'] }))),
  ],
  [
    'sample.missing',
    'components[1].buttons[0].example',
    beside(buttons({ type: 'COPY_CODE' })),
    beside(buttons(code())),
  ],
  [
    'sample.missing',
    'components[1].buttons[0].example',
    beside(buttons(code([]))),
    beside(buttons(code(['25OFF']))),
  ],
  [
    'sample.personal',
    'components[0].example.body_text',
    of(body(HI, 'ana@example.com')),
    of(body(HI, 'Ana')),
  ],
  [
    'sample.personal',
    'components[0].example.body_text',
    of(body(HI, '+1 202 555 0147')),
    of(body(HI, '860198-230332')),
  ],
];

const COMPONENTS: Case[] = [
  ['component.missing', 'components', of(footer('Shop')), beside(footer('Shop'))],
  ['component.twice', 'components[1]', beside(PLAIN), beside(footer('Shop'))],
  [
    'component.twice',
    'components[2]',
    beside(footer('Shop'), { type: 'footer', text: 'Shop' }),
    beside(footer('Shop')),
  ],
  ['category.unfit', 'components[1].format', beside(file('GIF')), marketing(PLAIN, file('GIF'))],
  [
    'category.unfit',
    'components[1].format',
    beside({ type: 'HEADER', format: 'PRODUCT' }),
    marketing(PLAIN, { type: 'HEADER', format: 'PRODUCT' }),
  ],
  [
    'category.unfit',
    'components[1].type',
    template({ components: carousel(IMAGE_CARD, IMAGE_CARD).components }),
    carousel(IMAGE_CARD, IMAGE_CARD),
  ],
  [
    'category.unfit',
    'components[1].type',
    template({ components: offer('Soon over').components }),
    offer('Soon over'),
  ],
  ['category.unfit', 'components[1].buttons[0].type', beside(buttons(otp())), codeMessage(otp())],
];

const BUTTONS: Case[] = [
  [
    'buttons.count',
    'components[1].buttons',
    beside(buttons(...times(11, reply()))),
    beside(buttons(...times(10, reply()))),
  ],
  [
    'buttons.kind_count',
    'components[1].buttons',
    beside(buttons(...times(3, link()))),
    beside(buttons(...times(2, link()))),
  ],
  [
    'buttons.kind_count',
    'components[1].buttons',
    beside(buttons(phone(), phone())),
    beside(buttons(phone(), link())),
  ],
  [
    'buttons.kind_count',
    'components[1].buttons',
    beside(buttons(code(), code())),
    beside(buttons(code(), link())),
  ],
  [
    'buttons.kind_count',
    'components[1].buttons',
    beside(buttons({ type: 'CATALOG' }, { type: 'CATALOG' })),
    beside(buttons({ type: 'CATALOG' })),
  ],
  [
    'buttons.kind_count',
    'components[1].buttons',
    beside(buttons({ type: 'MPM' }, { type: 'mpm' })),
    beside(buttons({ type: 'MPM', text: 'View items' })),
  ],
  [
    'buttons.kind_count',
    'components[1].buttons',
    beside(buttons({ type: 'SPM' }, { type: 'SPM' })),
    beside(buttons({ type: 'SPM', text: 'View' })),
  ],
  [
    'buttons.grouping',
    'components[1].buttons',
    beside(buttons(reply(), link(), reply())),
    beside(buttons(reply(), reply(), link(), phone())),
  ],
  [
    'buttons.grouping',
    'components[1].buttons',
    beside(buttons(link(), reply(), link())),
    beside(buttons(link(), phone(), reply(), reply())),
  ],
  [
    'button.format',
    'components[1].buttons[0].text',
    beside(buttons(reply('Yes 👍'))),
    beside(buttons(reply('Yes!'))),
  ],
  [
    'button.format',
    'components[1].buttons[0].text',
    beside(buttons(reply('*Yes*'))),
    beside(buttons(reply('Yes'))),
  ],
  [
    'button.format',
    'components[1].buttons[0].text',
    beside(buttons(reply('Yes {{1}}'))),
    beside(buttons(reply('Yes {1}'))),
  ],
  [
    'button.format',
    'components[1].buttons[0].text',
    beside(buttons(reply('Yes\nNo'))),
    beside(buttons(reply('Yes / No'))),
  ],
  [
    'url.format',
    'components[1].buttons[0].url',
    beside(buttons(link('shop.example'))),
    beside(buttons(link('http://shop.example'))),
  ],
  [
    'url.format',
    'components[1].buttons[0].url',
    beside(buttons(link('tel:+1555'))),
    beside(buttons(link('HTTPS://shop.example'))),
  ],
  [
    'url.format',
    'components[1].buttons[0].url',
    beside(buttons(link('https://'))),
    beside(buttons(link('https://a.example'))),
  ],
  [
    'url.variable',
    'components[1].buttons[0].url',
    beside(buttons(link('https://a.example/{{1}}/b', { example: ['7'] }))),
    beside(buttons(link('https://a.example/b/{{1}}', { example: ['7'] }))),
  ],
  [
    'url.variable',
    'components[1].buttons[0].url',
    beside(buttons(link('https://a.example/{{1}}{{2}}', { example: ['7'] }))),
    beside(buttons(link('https://a.example?name={{customer_name}}', { example: '7' }))),
  ],
];

const CAROUSELS: Case[] = [
  ['carousel.cards', 'components[1].cards', carousel(IMAGE_CARD), carousel(IMAGE_CARD, IMAGE_CARD)],
  [
    'carousel.cards',
    'components[1].cards',
    carousel(...times(11, IMAGE_CARD)),
    carousel(...times(10, IMAGE_CARD)),
  ],
  ['field.missing', 'components[1].cards', carousel(), carousel(IMAGE_CARD, IMAGE_CARD)],
  [
    'carousel.unlike',
    'components[1].cards[1]',
    carousel(IMAGE_CARD, card(file('VIDEO'), buttons(reply()))),
    carousel(...times(2, card(file('VIDEO'), buttons(reply())))),
  ],
  [
    'carousel.unlike',
    'components[1].cards[1]',
    carousel(IMAGE_CARD, card(file('IMAGE'), buttons(link()))),
    carousel(...times(2, card(file('IMAGE'), buttons(link())))),
  ],
  [
    'carousel.unlike',
    'components[1].cards[1]',
    carousel(IMAGE_CARD, card(file('IMAGE'))),
    carousel(...times(2, card(file('IMAGE')))),
  ],
  [
    'carousel.unlike',
    'components[1].cards[2]',
    carousel(IMAGE_CARD, IMAGE_CARD, card(file('IMAGE'), PLAIN, buttons(reply()))),
    carousel(...times(3, card(file('IMAGE'), PLAIN, buttons(reply())))),
  ],
  [
    'text.long',
    'components[1].cards[0].components[1].text',
    carousel(card(file('IMAGE'), body(long(161))), card(file('IMAGE'), PLAIN)),
    carousel(card(file('IMAGE'), body(long(160))), card(file('IMAGE'), PLAIN)),
  ],
  [
    'carousel.beside',
    'components[2]',
    marketing(PLAIN, { type: 'CAROUSEL', cards: [IMAGE_CARD, IMAGE_CARD] }, footer('Shop')),
    carousel(IMAGE_CARD, IMAGE_CARD),
  ],
];
/** Broken in both cards, so that they are made alike. */
const CARDS: Case[] = [
  [
    'component.missing',
    'components[1].cards[0].components',
    carousel(...times(2, card(PLAIN))),
    carousel(...times(2, card(file('IMAGE'), PLAIN))),
  ],
  [
    'component.unfit',
    'components[1].cards[0].components[1]',
    carousel(...times(2, card(file('IMAGE'), footer('Shop')))),
    carousel(...times(2, card(file('IMAGE'), PLAIN))),
  ],
  [
    'header.unfit',
    'components[1].cards[0].components[0].format',
    carousel(...times(2, card(file('DOCUMENT')))),
    carousel(...times(2, card(file('video')))),
  ],
  [
    'header.unfit',
    'components[1].cards[0].components[0].format',
    carousel(...times(2, card(header('New')))),
    carousel(...times(2, card({ type: 'HEADER', format: 'PRODUCT' }, buttons({ type: 'SPM' })))),
  ],
  [
    'buttons.count',
    'components[1].cards[0].components[1].buttons',
    carousel(...times(2, card(file('IMAGE'), buttons(...times(3, reply()))))),
    carousel(...times(2, card(file('IMAGE'), buttons(...times(2, reply()))))),
  ],
  [
    'button.unfit',
    'components[1].cards[0].components[1].buttons[0].type',
    carousel(...times(2, card(file('IMAGE'), buttons(code())))),
    carousel(...times(2, card(file('IMAGE'), buttons(phone())))),
  ],
  [
    'sample.missing',
    'components[1].cards[0].components[0].example.header_handle',
    carousel(...times(2, card({ type: 'HEADER', format: 'IMAGE' }))),
    carousel(...times(2, card(file('IMAGE')))),
  ],
];

const OFFERS: Case[] = [
  ['text.long', 'components[1].limited_time_offer.text', offer(long(17)), offer(long(16))],
  ['field.missing', 'components[1].limited_time_offer.text', offer(''), offer('Soon over')],
  [
    'text.long',
    'components[0].text',
    marketing(body(long(601)), ...offer('A').components.slice(1)),
    marketing(body(long(600)), ...offer('A').components.slice(1)),
  ],
  ['component.unfit', 'components[2]', offer('Soon over', footer('Shop')), offer('Soon over', file('IMAGE'))],
  [
    'header.unfit',
    'components[2].format',
    offer('Soon over', header('New')),
    offer('Soon over', file('VIDEO')),
  ],
  [
    'text.long',
    'components[2].buttons[0].example',
    offer('Soon over', buttons(code(long(16)))),
    offer('Soon over', buttons(code(long(15)))),
  ],
  [
    'offer.code_order',
    'components[2].buttons',
    offer('Soon over', buttons(link(), code())),
    offer('Soon over', buttons(code(), link())),
  ],
  [
    'field.type',
    'components[1].limited_time_offer.has_expiration',
    marketing(PLAIN, {
      type: 'LIMITED_TIME_OFFER',
      limited_time_offer: { text: 'A', has_expiration: 'yes' },
    }),
    marketing(PLAIN, { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'A', has_expiration: true } }),
  ],
];

const AUTHENTICATION: Case[] = [
  ['authentication.text', 'components[0].text', authentication(PLAIN, buttons(otp())), codeMessage(otp())],
  [
    'authentication.text',
    'components[2].text',
    codeMessage(otp(), footer('Soon')),
    codeMessage(otp(), { type: 'FOOTER', code_expiration_minutes: 5 }),
  ],
  ['component.missing', 'components', authentication(buttons(otp())), codeMessage(otp())],
  ['component.unfit', 'components[2]', codeMessage(otp(), header('Code')), codeMessage(otp())],
  ['authentication.button', 'components', authentication({ type: 'BODY' }), codeMessage(otp())],
  ['authentication.button', 'components[1].buttons', codeMessage(reply()), codeMessage(otp())],
  [
    'authentication.button',
    'components[1].buttons',
    authentication({ type: 'BODY' }, buttons(otp(), otp())),
    codeMessage(otp()),
  ],
  [
    'field.missing',
    'components[1].buttons[0].otp_type',
    codeMessage({ type: 'OTP' }),
    codeMessage({ type: 'otp', otp_type: 'copy_code' }),
  ],
  [
    'value.unknown',
    'components[1].buttons[0].otp_type',
    codeMessage(otp({ otp_type: 'TWO_TAP' })),
    codeMessage(otp()),
  ],
  [
    'text.long',
    'components[1].buttons[0].text',
    codeMessage(otp({ text: long(26) })),
    codeMessage(otp({ text: long(25) })),
  ],
  [
    'text.long',
    'components[1].buttons[0].autofill_text',
    codeMessage(otp({ autofill_text: long(26) })),
    codeMessage(otp({ autofill_text: long(25) })),
  ],
  [
    'number.range',
    'components[2].code_expiration_minutes',
    codeMessage(otp(), { type: 'FOOTER', code_expiration_minutes: 0 }),
    codeMessage(otp(), { type: 'FOOTER', code_expiration_minutes: 1 }),
  ],
  [
    'number.range',
    'components[2].code_expiration_minutes',
    codeMessage(otp(), { type: 'FOOTER', code_expiration_minutes: 91 }),
    codeMessage(otp(), { type: 'FOOTER', code_expiration_minutes: 90 }),
  ],
  [
    'field.type',
    'components[0].add_security_recommendation',
    authentication({ type: 'BODY', add_security_recommendation: 'yes' }, buttons(otp())),
    authentication({ type: 'BODY', add_security_recommendation: true }, buttons(otp())),
  ],
  [
    'field.missing',
    'components[1].buttons[0].supported_apps',
    codeMessage(otp({ otp_type: 'ONE_TAP' })),
    oneTap(APP),
  ],
  [
    'authentication.apps',
    'components[1].buttons[0].supported_apps',
    oneTap(...times(6, APP)),
    oneTap(...times(5, APP)),
  ],
  [
    'authentication.package',
    'components[1].buttons[0].supported_apps[0].package_name',
    oneTap({ ...APP, package_name: 'shop' }),
    oneTap({ ...APP, package_name: 'com.shop' }),
  ],
  [
    'authentication.package',
    'components[1].buttons[0].supported_apps[0].package_name',
    oneTap({ ...APP, package_name: `a.${long(223)}` }),
    oneTap({ ...APP, package_name: `a.${long(222)}` }),
  ],
  [
    'authentication.package',
    'components[1].buttons[0].package_name',
    codeMessage(otp({ otp_type: 'ONE_TAP', ...APP, package_name: '7.a' })),
    codeMessage(otp({ otp_type: 'ONE_TAP', ...APP })),
  ],
  [
    'authentication.hash',
    'components[1].buttons[0].supported_apps[0].signature_hash',
    oneTap({ ...APP, signature_hash: 'K8a/AINcGX' }),
    oneTap({ ...APP, signature_hash: 'K8a/AINcG+=' }),
  ],
  [
    'authentication.hash',
    'components[1].buttons[0].supported_apps[0].signature_hash',
    oneTap({ ...APP, signature_hash: 'K8a-AINcGX7' }),
    oneTap(APP),
  ],
  [
    'authentication.terms',
    'components[1].buttons[0].zero_tap_terms_accepted',
    codeMessage(otp({ otp_type: 'ZERO_TAP', supported_apps: [APP] })),
    codeMessage(otp({ otp_type: 'ZERO_TAP', supported_apps: [APP], zero_tap_terms_accepted: true })),
  ],
];

const cases = Object.entries({
  ...{
    SHAPE,
    NAMES,
    TEXTS,
    VARIABLES,
    SAMPLES,
    COMPONENTS,
    BUTTONS,
    CAROUSELS,
    CARDS,
    OFFERS,
    AUTHENTICATION,
  },
}).flatMap(([group, list]) => list.map((each) => [group, ...each] as const));

const brief = (issues: readonly TemplateIssue[]) => issues.map(({ rule, path }) => `${rule} ${path}`);

test.each(cases)('%s: %s at %s', (group, rule, path, bad, good) => {
  const found = brief(issuesOfCreation(bad, null));
  // Both cards of a carousel break the rule.
  expect(group === 'CARDS' ? found.slice(0, 1) : found).toEqual([`${rule} ${path}`]);
  expect(brief(issuesOfCreation(good, null))).toEqual([]);
});

const NOW = Date.parse('2026-03-02T10:00:00Z');
const account = (more: Partial<KnownAccount> = {}): KnownAccount => ({
  now: NOW,
  templates: [],
  deleted: [],
  most: 250,
  ...more,
});
const known = (name: string, language: string, category = 'UTILITY') => ({ name, language, category });
const deleted = (language: string, at: number) => ({ name: 'order_update', language, at });

test.each<[TemplateRule, string, Partial<KnownAccount>, Partial<KnownAccount>]>([
  [
    'name.taken',
    'name',
    { templates: [known('order_update', 'en_US')] },
    { templates: [known('order_update', 'en')] },
  ],
  [
    'name.taken',
    'name',
    { templates: [known('order_update', 'en-us')] },
    { templates: [known('order', 'en_US')] },
  ],
  [
    'category.other',
    'category',
    { templates: [known('order_update', 'pt_BR', 'MARKETING')] },
    { templates: [known('order_update', 'pt_BR', 'utility')] },
  ],
  [
    'name.deleted',
    'name',
    { deleted: [deleted('en_US', NOW - 30 * DAY + 1)] },
    { deleted: [deleted('en_US', NOW - 30 * DAY)] },
  ],
  [
    'name.deleted',
    'name',
    { deleted: [deleted('pt_BR', NOW - DAY)] },
    { deleted: [{ ...deleted('pt_BR', NOW - DAY), name: 'order' }] },
  ],
  [
    'name.deleted',
    'name',
    { deleted: [deleted('en_US', NOW - DAY)], templates: [known('order_update', 'pt_BR')] },
    { deleted: [deleted('es', NOW - DAY)], templates: [known('order_update', 'pt_BR')] },
  ],
  [
    'account.full',
    '',
    { most: 1, templates: [known('order', 'en_US')] },
    { most: null, templates: [known('order', 'en_US')] },
  ],
])('an account: %s at %s', (rule, path, bad, good) => {
  expect(brief(issuesOfCreation(template(), account(bad)))).toEqual([`${rule} ${path}`]);
  expect(brief(issuesOfCreation(template(), account(good)))).toEqual([]);
});

const CHANGE = { components: [PLAIN] };
const edited = (more: Partial<EditedTemplate> = {}): EditedTemplate => ({
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  parameterFormat: 'POSITIONAL',
  edits: [],
  ...more,
});
/** Ten edits of which the last was two days ago. */
const TEN = Array.from({ length: 10 }, (_, index) => NOW - (2 + index) * DAY);

type Edit = [change: unknown, edited?: Partial<EditedTemplate>];
test.each<[TemplateRule, string, Edit, Edit]>([
  ['field.type', '', [[]], [CHANGE]],
  ['edit.state', '', [CHANGE, { status: 'PENDING' }], [CHANGE, { status: 'PAUSED' }]],
  ['edit.state', '', [CHANGE, { status: 'DISABLED' }], [CHANGE, { status: 'rejected' }]],
  ['edit.empty', '', [{}], [{ message_send_ttl_seconds: 60 }]],
  ['edit.empty', '', [{ components: null }], [CHANGE]],
  [
    'edit.category',
    'category',
    [{ category: 'MARKETING' }],
    [{ category: 'MARKETING' }, { status: 'REJECTED' }],
  ],
  ['value.unknown', 'category', [{ category: 'FUN' }], [{ category: 'utility' }]],
  ['edit.fixed', 'name', [{ ...CHANGE, name: 'order' }], [{ ...CHANGE, name: 'order_update' }]],
  ['edit.fixed', 'language', [{ ...CHANGE, language: 'en' }], [{ ...CHANGE, language: 'en_US' }]],
  ['edit.daily', '', [CHANGE, { edits: [NOW - DAY + 1] }], [CHANGE, { edits: [NOW - DAY] }]],
  ['edit.daily', '', [CHANGE, { edits: [NOW - HOUR] }], [CHANGE, { edits: [NOW - HOUR], status: 'PAUSED' }]],
  ['edit.monthly', '', [CHANGE, { edits: TEN }], [CHANGE, { edits: TEN.slice(1) }]],
  ['edit.monthly', '', [CHANGE, { edits: TEN }], [CHANGE, { edits: TEN.map((at) => at - 19 * DAY) }]],
  ['component.missing', 'components', [{ components: [footer('Shop')] }], [CHANGE]],
  [
    'number.range',
    'message_send_ttl_seconds',
    [{ message_send_ttl_seconds: -1 }],
    [{ message_send_ttl_seconds: 30 }],
  ],
  [
    'variable.mixed',
    'components[0].text',
    [
      {
        components: [
          { ...body(HI, 'Ana'), example: { body_text_named_params: [{ param_name: '1', example: 'A' }] } },
        ],
      },
      { parameterFormat: 'NAMED' },
    ],
    [
      { components: [named('Hello {{a}}, your order is on its way today.', ['a', 'A'])] },
      { parameterFormat: 'NAMED' },
    ],
  ],
])('an edit: %s at %s', (rule, path, [bad, before], [good, otherwise]) => {
  expect(brief(issuesOfEdit(bad, edited(before), NOW))).toEqual([`${rule} ${path}`]);
  expect(brief(issuesOfEdit(good, edited(otherwise), NOW))).toEqual([]);
});

test('says until when a name is locked and an edit has to wait', () => {
  const [locked] = issuesOfCreation(template(), account({ deleted: [deleted('en_US', NOW)] }));
  expect(locked).toMatchObject({ subcode: 2388023, values: { until: '2026-04-01T10:00:00.000Z' } });
  const [daily] = issuesOfEdit(CHANGE, edited({ edits: [NOW - HOUR] }), NOW);
  expect(daily?.values).toEqual({ until: '2026-03-03T09:00:00.000Z' });
  const [monthly] = issuesOfEdit(CHANGE, edited({ edits: TEN }), NOW);
  expect(monthly?.values).toEqual({ most: 10, until: '2026-03-21T10:00:00.000Z' });
});

test('the table: each rule has a case, a page of the platform, and a sentence in every language', () => {
  const text = [...cases.map(([, rule]) => rule)];
  const others = ['name.taken', 'category.other', 'name.deleted', 'account.full'];
  const ofEdits = Object.keys(RULES).filter((rule) => rule.startsWith('edit.'));
  expect(new Set([...text, ...others, ...ofEdits])).toEqual(new Set(Object.keys(RULES)));
  for (const { source } of Object.values(RULES)) expect(URL.canParse(source, DOCUMENTATION)).toBe(true);
  const issues = cases
    .flatMap(([, , , bad]) => issuesOfCreation(bad, null))
    .concat(
      issuesOfCreation(
        template(),
        account({
          most: 1,
          templates: [known('order_update', 'en_US', 'MARKETING')],
          deleted: [deleted('en_US', NOW)],
        }),
      ),
      issuesOfEdit({ name: 'a', language: 'b' }, edited({ status: 'PENDING' }), NOW),
      issuesOfEdit({ category: 'MARKETING' }, edited({ edits: [NOW, ...TEN] }), NOW),
    );
  expect(new Set(issues.map(({ rule }) => rule))).toEqual(new Set(Object.keys(RULES)));
  for (const { rule, values } of issues) {
    const said = SPOKEN.map((language) => say(language, { word: `template.${rule}`, values } as Fact));
    // Two languages may share a sentence: «Falta "name".»
    expect(new Set(said).size).toBeGreaterThan(1);
    expect(said.join()).not.toMatch(/undefined|\[object|NaN|null/);
  }
  expect(LANGUAGES).toEqual([...new Set(LANGUAGES)]);
});

test('the templates that the sandbox begins with break no rule', () => {
  for (const { name, language, category, components, parameter_format } of STARTER_TEMPLATES) {
    const given = { name: `${name}_2`, language, category, components, parameter_format };
    expect([
      name,
      brief(issuesOfCreation(given, null)).filter((each) => !each.startsWith('variable.punctuation')),
    ]).toEqual([name, []]);
  }
});

const DEALS = 'Shop now through {{1}} and use code {{2}} to get {{3}} off of all merchandise.';
const RESERVED =
  "*You're all set!*\n\nYour reservation for {{number_of_guests}} at Lucky Shrub Eatery on {{day}} is confirmed. See you then!";

/** Among them, lowercase kinds, a time to live below the documented one, and the app in the button itself. */
test.each([
  [
    'seasonal promotion',
    marketing(
      header('Our {{1}} is on!', 'Summer Sale'),
      body(DEALS, 'the end of August', '25OFF', '25%'),
      footer('Use the buttons below to manage your marketing subscriptions'),
      buttons(reply('Unsubscribe from Promos'), reply('Unsubscribe from All')),
    ),
  ],
  ['time to live', { ...marketing(body(DEALS, 'May', '25OFF', '25%')), message_send_ttl_seconds: 120 }],
  [
    'coupon reminder',
    marketing(
      header('Act fast, {{1}}!', 'Pablo'),
      body(
        'Just a quick reminder—your exclusive coupon code, {{1}}, *expires in only {{2}} days!* Use your code at checkout.\n\nHappy shopping! 😃',
        'SUMMER20',
        '10',
      ),
      buttons(link(), reply('Unsubscribe')),
    ),
  ],
  [
    'reservation',
    {
      ...of(
        file('IMAGE'),
        named(RESERVED, ['number_of_guests', '4'], ['day', 'Saturday']),
        buttons(link(), phone('+16467043595'), reply('Cancel reservation')),
      ),
      parameter_format: 'NAMED',
    },
  ],
  [
    'order number at the end',
    of(
      named(
        'Thank you, {{first_name}}! Your order number is {{order_number}}.',
        ['first_name', 'Pablo'],
        ['order_number', '860198-230332'],
      ),
    ),
  ],
  [
    'limited-time offer',
    lowercased(
      offer(
        'Expiring offer!',
        file('IMAGE'),
        buttons(
          code('CARIBE25'),
          link('https://a.example/offers?code={{1}}', { example: ['https://a.example/offers?ref=n3'] }),
        ),
      ),
    ),
  ],
  [
    'product carousel',
    marketing(
      {
        ...body('Rare succulents for sale! {{1}}, add these plants to your collection.'),
        example: { body_text: 'Pablo' },
      },
      {
        type: 'carousel',
        cards: times(2, card({ type: 'header', format: 'product' }, buttons({ type: 'spm', text: 'View' }))),
      },
    ),
  ],
  [
    'one-tap code',
    lowercased(
      codeMessage(otp({ otp_type: 'ONE_TAP', text: 'Copy Code', autofill_text: 'Autofill', ...APP })),
    ),
  ],
])("the example of the platform's pages is not refused: %s", (_, given) => {
  expect(templateRefusal(issuesOfCreation(given, null))).toBeNull();
});

test('a refusal names all that is refused, with the subcode of the first; what is likely only warns', () => {
  const issues = issuesOfCreation(
    { ...of(body('{{1}}, see https://bit.ly/7', 'ana@example.com')), name: 'Order', language: 'english' },
    null,
  );
  expect(templateRefusal(issues)).toMatchObject({
    status: 400,
    errorCode: 'invalid_template',
    error: {
      message: '(#100) Invalid parameter',
      code: 100,
      error_subcode: 2388046,
      error_data: {
        details:
          'Use only lowercase letters, digits and underscores in the name, at most 512 characters. (and 2 more: see error_data.fields)',
        fields: [
          { path: 'name', rule: 'name.format', message: expect.any(String) },
          {
            path: 'language',
            rule: 'language.unknown',
            message: 'The platform has no language "english". Use a code such as en_US or pt_BR.',
          },
          { path: 'components[0].text', rule: 'variable.edge', message: expect.any(String) },
        ],
      },
    },
  });
  expect(templateWarnings(issues).map(({ rule }) => rule)).toEqual([
    'variable.ratio',
    'sample.personal',
    'link.shortener',
  ]);
  const likely = issuesOfCreation(template({ name: 'hello_world' }), null);
  expect(templateRefusal(likely)).toBeNull();
  expect(templateWarnings(likely)).toEqual([
    {
      path: 'name',
      rule: 'name.sample',
      message: '"hello_world" is the name of a sample template of the platform. Choose another name.',
    },
  ]);
  expect(
    templateRefusal(issuesOfCreation(template({ language: 'english' }), null))?.error,
  ).not.toHaveProperty('error_subcode');
});

test('the same template has the same issues in lower case, and any other value is judged without an exception', () => {
  const seeds = Array.from({ length: 300 }, (_, seed) => seed);
  const verdicts = seeds.map((seed) => {
    const given = randomTemplate(seed);
    expect(given).toEqual(randomTemplate(seed));
    const found = issuesOfCreation(given, null);
    expect(brief(issuesOfCreation(lowercased(given), null))).toEqual(brief(found));
    issuesOfCreation(spoil(given, seed), account());
    issuesOfEdit(spoil(given, seed + 1), edited(), NOW);
    return found.some(({ level }) => level === 'refused');
  });
  // Enough of both, and of each kind.
  expect(verdicts.filter(Boolean).length).toBeGreaterThan(60);
  expect(verdicts.filter((isRefused) => !isRefused).length).toBeGreaterThan(60);
  const text = JSON.stringify(seeds.map(randomTemplate)).toUpperCase();
  for (const kind of [...KINDS.component.slice(0, 6), ...KINDS.header, ...KINDS.button.slice(0, 9)])
    expect(text).toContain(`"${kind}"`);
});
