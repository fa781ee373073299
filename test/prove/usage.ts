import { type BookRow } from '../../gateway/sandbox/billing/book';
import { createServer, request as forward } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pino from 'pino';
import { Agent, request } from 'undici';
import { startSandbox } from '../../gateway/sandbox/server';
import { type Template } from '../../gateway/sandbox/templates/starter-templates';
import { HOUR, MINUTE } from '../../gateway/time';
import { runCommand } from '../support/gateway-process';
import { until } from '../support/http-peer';
import { rows, write } from '../support/rows';
import { APP_SECRET, VERIFY_TOKEN, WABA_ID } from '../support/test-gateway';
import { counted, seconds } from './account';
import { launch, settingsOf, urlOf } from './gateway';
import { addLines, type PlacedLine } from './lines';
import { type Proof } from './proof';
import { contactsOf, type Contact } from './usage-contacts';
import { dump, faultsOf, usageOf, type Attempt, type Written } from './usage-account';

const BEHIND = join(__dirname, 'programs/gateway-behind.cjs');

/** Time zones of business accounts as the platform names them: Los Angeles, São Paulo, Kolkata, Auckland. */
const TIME_ZONES = ['1', '25', '71', '100'];
/** Many, so that rebuilding lasts until a kill comes. */
const LINES_OF_ACCOUNT = 3;
/**
 * The clocks jump by this time between two stages: days end in each zone, and a restart, which rebuilds those of the
 * last 24 hours, does not reach back to them.
 */
const JUMP = 49 * HOUR;
/** Milliseconds from acceptance to each status of the sandbox; those of the path `late` come ten times later. */
const STATUS_DELAYS = { sent: 20, delivered: 60, read: 120 };
const AT_ONCE = 8;
/** The part of a stage's sends after which nothing is killed and the statuses are held back. */
const LAST_FROM = 0.8;
/** The rounds that rebuild days come every minute. */
const SETTLED_WITHIN = 4 * MINUTE;

const template = (name: string, category: Template['category'], id: string): Template => ({
  ...{ name, category, id, language: 'en_US', status: 'APPROVED', parameter_format: 'POSITIONAL' },
  quality_score: { score: 'GREEN', date: 1_767_603_600 },
  rejected_reason: 'NONE',
  components: [{ type: 'BODY', text: 'Thank you for your order.' }],
});
const TEMPLATES = [
  template('order_ready', 'UTILITY', '1094370815520101'),
  template('spring_sale', 'MARKETING', '1094370815520102'),
  template('log_in_code', 'AUTHENTICATION', '1094370815520103'),
];

const ofTemplate = (name: string) => ({
  kind: 'template',
  template: name,
  content: { type: 'template', template: { name, language: { code: 'en_US' } } },
});
const MESSAGES = [
  { kind: 'text', template: '', content: { type: 'text', text: { body: 'Your order is ready.' } } },
  {
    kind: 'location',
    template: '',
    content: { type: 'location', location: { latitude: 38.72, longitude: -9.14 } },
  },
  ...TEMPLATES.map(({ name }) => ofTemplate(name)),
];

type Sizes = { sends: number; stages: number; kills: number };

export const usage: Proof<Sizes> = {
  name: 'usage',
  proves:
    "kill -9 at any moment, days that end in between, and doubled, lost, late and reordered statuses leave each day's usage equal to the platform's own book, and a rebuild from nothing makes the same rows",
  on: ['SQLite', 'PostgreSQL'],
  sizes: { sends: 10_000, stages: 3, kills: 12 },

  async run(stage) {
    const { sizes, random } = stage;
    const env: Record<string, string> = await settingsOf(stage);
    const contacts = contactsOf(TIME_ZONES.length * LINES_OF_ACCOUNT);
    // Begins two minutes after an hour: no day ends while a stage lasts, only between stages.
    const jumps = (sizes.stages - 1) * JUMP;
    let behind = jumps + ((Date.now() - jumps) % HOUR) - 2 * MINUTE;
    const behindAtFirst = behind;
    let lines: PlacedLine[] = [];
    const relay = await startRelay(urlOf(env));
    stage.atEnd(relay.close);
    const sandbox = await startSandbox({
      host: '127.0.0.1',
      port: 0,
      lines: () =>
        lines.map(({ phoneNumberId }, index) => ({
          phoneNumberId,
          displayPhoneNumber: `+1 555-078-38${81 + index}`,
          verifiedName: 'Proof',
          wabaId: accountOf(index),
          accessToken: 'upstream-access-token',
        })),
      templates: TEMPLATES,
      callback: {
        url: `${relay.url}/webhooks/platform`,
        appSecret: APP_SECRET,
        verifyToken: VERIFY_TOKEN,
      },
      statusDelays: STATUS_DELAYS,
      callbackWaits: [50, 100, 200],
      now: () => new Date(Date.now() - behindAtFirst),
      log: pino({ level: 'silent' }),
    });
    stage.atEnd(() => sandbox.close());
    env.GATEWAY_UPSTREAM_URL = sandbox.url;
    const control = controlOf(sandbox.url);
    lines = await addLines(
      env,
      Array.from({ length: TIME_ZONES.length * LINES_OF_ACCOUNT }, () => []),
    );
    for (const [index, { phoneNumberId }] of lines.entries()) {
      const waba = accountOf(index);
      await write(stage.databaseUrl, `update lines set waba_id = '${waba}' where id = ${index + 1}`);
      await control('account', { line: phoneNumberId, timezone_id: TIME_ZONES[index % TIME_ZONES.length] });
    }
    for (const { address, path } of contacts)
      await control(`contacts/${address}`, { path, ...(path === 'failed' && { code: 131026 }) });

    const start = () => launch(stage, { ...env, CLOCK_BEHIND: String(behind) }, BEHIND);
    let gateway = start();
    await gateway.listening;
    // A new time zone marks all days, as nothing later may.
    await until(async () => {
      const [found] = await rows(
        stage.databaseUrl,
        'select count(*) as missing from lines where time_zone is null',
      );
      return Number(found?.missing) === 0;
    }, MINUTE);
    const sends: Attempt[] = [];
    const wrote: Written[] = [];
    const refusals = new Map<string, number>();
    const agent = new Agent({ connections: AT_ONCE, pipelining: 1 });
    stage.atEnd(() => agent.destroy());
    let kills = 0;

    for (let round = 0; round < sizes.stages; round++) {
      const at = Date.now() - behind;
      // Texts are only delivered to contacts who wrote in the last 24 hours.
      await Promise.all(
        contacts.map(({ address, line }) =>
          control(`contacts/${address}/messages`, {
            text: 'Hello',
            line: lines[line]?.phoneNumberId ?? '',
          }),
        ),
      );
      wrote.push(...contacts.map((contact) => ({ contact, at })));
      const before = answered();
      const toSend = Math.round((sizes.sends * (round + 1)) / sizes.stages) - before;
      const sending = sendUntil(before + LAST_FROM * toSend, at);
      const killsHere = Math.ceil(sizes.kills / sizes.stages);
      for (let kill = 1; kill <= killsHere; kill++) {
        await until(() => answered() >= before + (LAST_FROM * toSend * kill) / (killsHere + 1), 5 * MINUTE);
        await wait(random() * 100);
        await killAndStart();
      }
      await sending;
      await until(async () => (await received()) === wrote.length, 5 * MINUTE);
      const isLast = round === sizes.stages - 1;
      // The network holds back what the platform tells about the last sends.
      if (!isLast) relay.hold();
      await sendUntil(before + toSend, at);
      stage.tell(`${answered()} sends answered, ${kills} kills`);
      if (isLast) break;
      // All statuses happen before the days end.
      await wait(20 * STATUS_DELAYS.read);
      await killAndStart(JUMP);
      // Each day is rebuilt once more after its end. This kill comes when the first ones are.
      const { settled } = await progress();
      await until(async () => (await progress()).settled !== settled, MINUTE);
      await untilRebuilding();
      await killAndStart();
      await until(async () => (await progress()).marks === 0, 4 * MINUTE);
      // Only now come these statuses, for days that are rebuilt, and then two kills. Their marks alone tell of them.
      relay.release();
      await until(() => relay.passed() > 0, MINUTE);
      await killAndStart();
      await untilRebuilding();
      await killAndStart();
    }

    function answered(): number {
      return sends.filter(({ isAnswered }) => isAnswered).length;
    }

    async function sendUntil(count: number, at: number): Promise<void> {
      const one = async () => {
        while (answered() < count) await send(at);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    }

    /** How many messages from contacts the gateway has recorded. */
    async function received(): Promise<number> {
      const [found] = await rows(
        stage.databaseUrl,
        "select count(*) as count from events where subject = 'message'",
      );
      return Number(found?.count);
    }

    async function killAndStart(jump = 0): Promise<void> {
      await gateway.end('SIGKILL');
      kills++;
      behind -= jump;
      if (jump) await control('clock', { advance: `${jump / HOUR}h` });
      gateway = start();
      await gateway.listening;
    }

    /** Waits until the first marks are gone, or all. */
    async function untilRebuilding(): Promise<void> {
      let most = 0;
      await until(async () => {
        const { marks } = await progress();
        most = Math.max(most, marks);
        return marks < most || marks === 0;
      }, MINUTE);
    }

    /** The day up to which days were rebuilt after their end, and how many marks of other days are left. */
    async function progress(): Promise<{ settled: string; marks: number }> {
      const [found] = await rows(
        stage.databaseUrl,
        'select usage_settled as settled, (select count(*) from usage_marks) as marks from registry',
      );
      return { settled: String(found?.settled), marks: Number(found?.marks) };
    }

    async function send(at: number): Promise<void> {
      const contact = contacts[Math.floor(random() * contacts.length)] as Contact;
      const possible = MESSAGES.filter((one) => !contact.isUserId || one.template !== 'log_in_code');
      const message = possible[Math.floor(random() * possible.length)] as (typeof MESSAGES)[number];
      const attempt = { contact, message, at, isAnswered: false, isCut: false };
      const { phoneNumberId, token } = lines[contact.line] as PlacedLine;
      try {
        const { statusCode, body } = await agent.request({
          origin: urlOf(env),
          path: `/v22.0/${phoneNumberId}/messages`,
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            messaging_product: 'whatsapp',
            [contact.isUserId ? 'recipient' : 'to']: contact.address,
            ...message.content,
          }),
        });
        const text = await body.text();
        attempt.isAnswered = statusCode === 200;
        if (!attempt.isAnswered) addTo(refusals, `${statusCode} ${text}`);
      } catch (error) {
        const { code = String(error) } = error as { code?: string };
        attempt.isCut = code !== 'ECONNREFUSED';
        if (!attempt.isCut) await wait(20);
      }
      if (attempt.isAnswered || attempt.isCut) sends.push(attempt);
    }

    const compare = async (): Promise<string[]> => {
      const found = await rows(
        stage.databaseUrl,
        'select id, phone_number_id, time_zone from lines order by id',
      );
      const { rows: book } = (await control('book')) as { rows: BookRow[] };
      return faultsOf({
        days: await usageOf(stage.databaseUrl, 'usage_days'),
        months: await usageOf(stage.databaseUrl, 'usage_months'),
        book,
        lines: found.map(({ id, phone_number_id, time_zone }) => ({
          id: Number(id),
          phoneNumberId: String(phone_number_id),
          zone: time_zone === null ? 'UTC' : String(time_zone),
        })),
        sends,
        wrote,
      });
    };
    const begun = performance.now();
    let faults = await compare();
    await until(async () => (faults = await compare()).length === 0, SETTLED_WITHIN).catch(() => undefined);
    const settled = performance.now() - begun;

    const [left] = await rows(stage.databaseUrl, 'select count(*) as marks from usage_marks');
    const before = await dump(stage.databaseUrl);
    for (const table of ['usage_days', 'usage_months'])
      await write(stage.databaseUrl, `delete from ${table}`);
    // Two at once, beside the gateway: none may miss what another writes.
    const rebuilds = await Promise.all([1, 2].map(() => runCommand(['usage', 'rebuild'], env)));
    await gateway.end();
    const after = await dump(stage.databaseUrl);
    for (const { code, stderr } of rebuilds) if (code !== 0) faults.push(`usage rebuild: ${stderr}`);
    if (after !== before) faults.push(`usage rebuild makes other rows: ${firstDifference(before, after)}`);
    if (refusals.size) faults.push(`Sends were refused: ${counted(refusals)}`);
    return {
      figures: {
        'sends answered': sends.filter(({ isAnswered }) => isAnswered).length,
        'sends cut by a kill': sends.filter(({ isCut }) => isCut).length,
        'messages from contacts': wrote.length,
        'kill -9': kills,
        rows: before.split('\n').length,
        'last send → rows equal the book': seconds(settled),
        'marks left': Number(left?.marks),
      },
      faults,
    };
  },
};

/** Passes notifications on to the gateway, like the network between: a held one is repeated until it is released. */
async function startRelay(gateway: string) {
  let isHeld = false;
  let passedOn = 0;
  const server = createServer((incoming, outgoing) => {
    if (isHeld) return void outgoing.writeHead(503).end();
    const { method, headers, url = '' } = incoming;
    const passed = forward(`${gateway}${url}`, { method, headers }, (answer) => {
      passedOn += Number(answer.statusCode === 200);
      outgoing.writeHead(answer.statusCode ?? 502);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      passedOn = 0;
    },
    /** How many notifications the gateway has accepted since the release. */
    passed: () => passedOn,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const accountOf = (line: number): string => String(BigInt(WABA_ID) + BigInt(line % TIME_ZONES.length));

/** Requests to the sandbox's control routes: a GET without a body. */
const controlOf = (url: string) => async (path: string, body?: object) => {
  const answer = await request(`${url}/sandbox/${path}`, {
    ...(body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as unknown;
};

const addTo = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

function firstDifference(before: string, after: string): string {
  const [old, now] = [before, after].map((text) => text.split('\n'));
  const index = now?.findIndex((row, at) => row !== old?.[at]) ?? -1;
  return `${old?.[index]} became ${now?.[index]}`;
}
