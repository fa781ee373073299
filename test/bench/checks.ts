import { adminTokenRegistry } from '../../gateway/admin-tokens/admin-token-registry';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type FastifyRequest } from 'fastify';
import type * as authenticateLineModule from '../../gateway/api/access/authenticate-line';
import type * as parseBodyModule from '../../gateway/api/http/parse-body';
import type * as tokenFailuresModule from '../../gateway/api/access/token-failures';
import type * as offlineModule from '../../gateway/cli/offline';
import type * as validateMessageModule from '../../gateway/cloud-api/validate/validate-message';
import { type TemplateMessage } from '../../gateway/cloud-api/validate/message-request';
import type * as lineRegistryModule from '../../gateway/lines/line-registry';
import type * as qualityModule from '../../gateway/lines/quality';
import type * as windowModule from '../../gateway/messages/customer-service-window';
import type * as idempotentSendModule from '../../gateway/sending/idempotent-send';
import type * as sendRatesModule from '../../gateway/sending/send-rates';
import type * as rateLimitModule from '../../gateway/primitives/rate-limit';
import type * as preflightModule from '../../gateway/templates/preflight';
import type * as templateRecordModule from '../../gateway/templates/template-record';
import { PHONE_NUMBER_ID } from '../support/test-gateway';
import { loadOn, median } from './load';
import { contactOf, CONTACTS, everybodyWrites } from './notifications';
import { keepOrderUpdate, ORDER_UPDATE } from './order-template';
import { cpuOf } from './processes';
import { type Scene } from './scene';
import { textOf } from './sends';

/** The gateway's compiled code, the same as in the measured process. */
const shipped = createRequire(join(__dirname, '../../gateway/build/main.js'));
const { authenticateLine } = shipped('./api/access/authenticate-line') as typeof authenticateLineModule;
const { parseBody } = shipped('./api/http/parse-body') as typeof parseBodyModule;
const { tokenFailures } = shipped('./api/access/token-failures') as typeof tokenFailuresModule;
const { offline } = shipped('./cli/offline') as typeof offlineModule;
const { validateMessage } = shipped('./cloud-api/validate/validate-message') as typeof validateMessageModule;
const { lineRegistry } = shipped('./lines/line-registry') as typeof lineRegistryModule;
const { refuseByQuality } = shipped('./lines/quality') as typeof qualityModule;
const { customerServiceWindows, refuseOutsideWindow } = shipped(
  './messages/customer-service-window',
) as typeof windowModule;
const { earlierAnswer, sendKey } = shipped('./sending/idempotent-send') as typeof idempotentSendModule;
const { rateLimitsInMemory } = shipped('./primitives/rate-limit') as typeof rateLimitModule;
const { sendRates } = shipped('./sending/send-rates') as typeof sendRatesModule;
const { preflight } = shipped('./templates/preflight') as typeof preflightModule;
const { templateRecord } = shipped('./templates/template-record') as typeof templateRecordModule;

const ROUNDS = 5;
/** Milliseconds per check and round. */
const SLICE = 40;
/** Complete sends per round. */
const SENDS = 1000;
const AT_ONCE = 32;

const TO = { messaging_product: 'whatsapp', recipient_type: 'individual', to: contactOf(0) };
const reply = (id: number) => ({ type: 'reply', reply: { id: `choice-${id}`, title: `Choice ${id}` } });
const row = (id: number) => ({
  id: `row-${id}`,
  title: `Row ${id}`,
  description: 'One of ten to choose from',
});

/** The most common kinds of message, and the largest possible list. */
const MESSAGES = {
  text: { ...TO, type: 'text', text: { preview_url: false, body: 'Your order arrives on Tuesday.' } },
  image: {
    ...TO,
    type: 'image',
    image: { link: 'https://example.com/shop/7781.jpg', caption: 'Your order' },
  },
  location: {
    ...TO,
    type: 'location',
    location: { latitude: 37.48, longitude: '-122.15', name: 'Our shop' },
  },
  template: {
    ...TO,
    type: 'template',
    template: ORDER_UPDATE,
  },
  buttons: {
    ...TO,
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Does Tuesday suit you?' },
      action: { buttons: [1, 2, 3].map(reply) },
    },
  },
  list: {
    ...TO,
    type: 'interactive',
    interactive: {
      type: 'list',
      body: { text: 'What would you like to do?' },
      action: {
        button: 'Choose',
        sections: [
          { title: 'Orders', rows: [1, 2, 3, 4, 5].map(row) },
          { title: 'Returns', rows: [6, 7, 8, 9, 10].map(row) },
        ],
      },
    },
  },
};

/** Checks for a text without an Idempotency-Key. */
const OF_A_TEXT = [
  'token and line',
  'rate of the line',
  'quality',
  'body, parsed',
  'body, text',
  'window',
  'messages to the contact',
];

/** @returns the problem that it found, or a promise of it; undefined or an empty list if there is none */
type Check = (index: number) => unknown;

/**
 * Measures each check in this process, one after the other, and complete sends in the gateway, which run the
 * same checks and everything else. Measures CPU time of all threads on both sides, in turn, so that a busy
 * machine affects both alike.
 */
export async function benchChecks(scene: Scene): Promise<string[]> {
  return offline(scene.env, async (world) => {
    const checks = await checksOf(world, scene.token);
    const took = new Map(Object.keys(checks).map((name) => [name, [] as number[]]));
    const sends: number[] = [];
    const load = loadOn(scene.gateway.url, AT_ONCE);
    try {
      await load.post(everybodyWrites());
      for (const check of Object.values(checks)) await microseconds(check); // warms up
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, check] of Object.entries(checks)) took.get(name)?.push(await microseconds(check));
        const before = cpuOf(scene.gateway.pid);
        const sent = await load.atFullSpeed(textOf(scene.token), SENDS, AT_ONCE);
        sends.push(((cpuOf(scene.gateway.pid) - before) * 1000) / sent);
      }
    } finally {
      await load.end();
    }
    return report(took, median(sends));
  });
}

async function checksOf(
  { store, vault, clock }: offlineModule.Offline,
  token: string,
): Promise<Record<string, Check>> {
  const lines = lineRegistry(store, vault, clock, console);
  await lines.load();
  const line = lines.byTid(PHONE_NUMBER_ID);
  if (!line) throw new Error('The line of the bench is missing');
  const now = new Date(clock()).toISOString();
  await keepOrderUpdate(store, line, now);
  const windows = customerServiceWindows(store, clock);
  CONTACTS.forEach((contact) => windows.opened(line.id, contact, clock()));
  const rates = sendRates({ lineRate: 100_000, pairLimit: 100_000 }, rateLimitsInMemory(clock));
  const request = {
    headers: { authorization: `Bearer ${token}` },
    params: { tid: PHONE_NUMBER_ID },
    query: {},
    socket: { remoteAddress: '127.0.0.1' },
  } as unknown as FastifyRequest;
  const authenticate = authenticateLine({
    lines,
    adminTokens: adminTokenRegistry(store, lines, clock),
    markUsed: () => {},
    tokenFailures: tokenFailures(20, rateLimitsInMemory(clock)),
  });
  const text = Buffer.from(JSON.stringify(MESSAGES.text));
  const template = MESSAGES.template.template as TemplateMessage;
  const stored = () => store.templates.find(line.id, template.name, template.language.code);
  const record = await stored();
  if (!record) throw new Error('The template of the bench was not stored');

  return {
    'token and line': () => authenticate(request),
    // Uses 100 lines, because this exceeds the rate of a single line.
    'rate of the line': async (index) => (await rates.takeLine(index % 100))?.refused,
    quality: () => refuseByQuality(line),
    'body, parsed': () => void parseBody(text),
    ...Object.fromEntries(
      Object.entries(MESSAGES).map(([name, message]) => [`body, ${name}`, () => validateMessage(message)]),
    ),
    'Idempotency-Key, looked up': async (index) =>
      (await earlierAnswer({ store, clock }, sendKey(line.id, `order ${index}`, text))) ?? undefined,
    window: async (index) => {
      const contact = contactOf(index);
      return refuseOutsideWindow(contact, await windows.lastInboundAt(line.id, contact), clock());
    },
    'template, looked up': async () => void (await stored()),
    'template, its parameters': () => preflight(template, templateRecord(record)),
    'messages to the contact': (index) => rates.takePair(line.id, contactOf(index)),
  };
}

/**
 * Returns the CPU time per check, measured over a slice of time.
 * @throws if the check finds a problem
 */
async function microseconds(check: Check): Promise<number> {
  const before = process.cpuUsage();
  const end = performance.now() + SLICE;
  let count = 0;
  while (performance.now() < end) {
    for (let turn = 0; turn < 20; turn++) {
      const found = check(count++);
      const wrong: unknown = found instanceof Promise ? await found : found;
      if (Array.isArray(wrong) ? wrong.length : wrong) throw new Error(JSON.stringify(wrong));
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function report(took: Map<string, number[]>, send: number): string[] {
  const row = (name: string, microsecondsTaken: number) =>
    [
      name.padEnd(28),
      microsecondsTaken.toFixed(2).padStart(10),
      `${((100 * microsecondsTaken) / send).toFixed(1)} %`.padStart(20),
    ].join('');
  const ofAText = OF_A_TEXT.reduce((sum, name) => sum + median(took.get(name) ?? []), 0);
  return [
    `Checks of a send: ${ROUNDS} rounds in turn, one at a time; medians`,
    '',
    `${''.padEnd(28)}${'µs CPU'.padStart(10)}${'of a whole send'.padStart(20)}`,
    ...[...took].map(([name, rounds]) => row(name, median(rounds))),
    row('all that a text needs', ofAText),
    row('whole send of a text', send),
    '',
    'Looked up: read from the database.',
  ];
}
