/**
 * `npm run pictures`: takes the panel's pictures in `docs/` anew, of a quick start in which somebody has written and two
 * days have passed, and those of the nodes in a real n8n.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Page } from 'playwright-core';
import type * as eventIdModule from '../gateway/store/event-id';
import { takeNodePictures } from './n8n/pictures';
import { startProcess, type GatewayProcess } from './support/gateway-process';
import { until } from './support/http-peer';
import { openBrowser } from './support/panel/browser';

const DOCS = join(__dirname, '../docs');
const HOUR = 3_600_000;
const PASSWORD = 'correct horse battery staple';
const CONTACT = '12025550147';
/** The sandbox's contact whom nothing reaches. */
const UNREACHED = '15551131026';

const { eventIdBefore } = createRequire(join(__dirname, '../gateway/build/main.js'))(
  './store/event-id',
) as typeof eventIdModule;

/** Each picture: its name, the page that it shows, the heading by which that is known, and its height. */
const PICTURES = [
  { name: 'panel-overview', path: '/panel/overview', heading: 'Overview', height: 820 },
  { name: 'panel-message', path: null, heading: 'Message to Contact 1026', height: 820 },
  { name: 'panel-send', path: '/panel/lines/1/send?kind=buttons', heading: 'Send a message', height: 920 },
  { name: 'panel-phone', path: '/panel/phone', heading: 'Sandbox phone', height: 960 },
];

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-pictures-'));
  const gateway = await startProcess({ GATEWAY_PORT: '0' }, { words: ['quick-start'], cwd: folder });
  const browser = await openBrowser();
  try {
    await until(() => gateway.stdout().includes('Press Ctrl-C to stop.'));
    letTwoDaysPass(join(folder, 'data', 'gateway.db'));
    const failed = await converse(gateway);
    const page = await browser.newPage({ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' });
    await setUp(page, /http\S+set-up\?key=\S+/.exec(gateway.stdout())?.[0] ?? '');
    for (const { name, path, heading, height } of PICTURES) {
      await page.setViewportSize({ width: 1280, height });
      await page.goto(gateway.url + (path ?? `/panel/messages/1/${encodeURIComponent(failed)}`));
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      if (name === 'panel-send') await write(page);
      const isCut = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      if (isCut) throw new Error(`${name} is wider than its window.`);
      const file = join(DOCS, `${name}.png`);
      await page.screenshot({ path: file });
      process.stdout.write(`${file}\n`);
    }
  } finally {
    await browser.close();
    await gateway.end('SIGKILL');
    rmSync(folder, { recursive: true });
  }
  for (const file of await takeNodePictures(DOCS)) process.stdout.write(`${file}\n`);
}

async function write(page: Page): Promise<void> {
  await page
    .locator('#field-question')
    .fill('Hello Ana! Your order *A-1042* is on its way. Will you be at home on _Friday_?');
  await page.getByLabel('Button 1').fill('Yes, I will');
  await page.getByLabel('Button 2').fill('Another day');
  await page.getByLabel('Footer').fill('Demo Shop');
}

/** More by day than by night, and now and then one that fails. */
function letTwoDaysPass(file: string): void {
  const db = new DatabaseSync(file);
  const message = db.prepare(
    `insert into messages (line_id, wamid, contact, type, accepted_at, failed_at) values (1, ?, ?, 'text', ?, ?)`,
  );
  const event = db.prepare(
    `insert into events (id, line_id, subject, kind, identity, contact, body, received_at) values (?, 1, 'message', 'text', ?, ?, '{}', ?)`,
  );
  let number = 0;
  for (let hoursAgo = 1; hoursAgo < 48; hoursAgo++) {
    const hour = Date.now() - hoursAgo * HOUR;
    const busy = 30 + Math.round(20 * Math.sin((new Date(hour).getUTCHours() - 6) / 4));
    for (let one = 0; one < busy; one++) {
      const at = hour + one * 1000;
      const time = new Date(at).toISOString();
      const id = String(++number).padStart(16, '0');
      const contact = `1202555${String(number % 10_000).padStart(4, '0')}`;
      message.run(`wamid.${id}`, contact, time, number % 150 ? null : time);
      event.run(`${eventIdBefore(at)}${id}`, id, contact, time);
    }
  }
  db.close();
}

/** @returns the id of a message that failed */
async function converse(gateway: GatewayProcess): Promise<string> {
  const token = /gwl_[\w-]{49}/.exec(gateway.stdout())?.[0] ?? '';
  const line = `${gateway.url}/v22.0/109351478203615`;
  const ask = async (url: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const told = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${url}: ${JSON.stringify(told)}`);
    return told;
  };
  const send = (to: string, type: string, part: object) =>
    ask(`${line}/messages`, { to, type, [type]: part });
  /** Until the gateway has heard of it. */
  const write = async (contact: string, what: object) => {
    await ask(`${gateway.sandboxUrl}/sandbox/contacts/${contact}/messages`, what);
    await until(async () => (await ask(`${line}/window/${contact}`)).open === true);
  };

  await write(UNREACHED, { text: 'Is my order on its way?' });
  const failed = await send(UNREACHED, 'text', { body: 'It comes on Friday.' });
  // Last, so that the phone opens with it.
  await write(CONTACT, { text: 'Hello! Is my order A-1042 on its way?' });
  const buttons = [
    { type: 'reply', reply: { id: 'yes', title: 'Yes, please' } },
    { type: 'reply', reply: { id: 'no', title: 'Another day' } },
  ];
  await send(CONTACT, 'interactive', {
    type: 'button',
    header: { type: 'text', text: 'Your order A-1042' },
    body: { text: 'Hello Ana, your *chair* is ready. Shall we deliver it on _Friday_?' },
    footer: { text: 'Demo Shop' },
    action: { buttons },
  });
  await write(CONTACT, { button: 'yes' });
  await send(CONTACT, 'text', {
    body: 'Friday it is. See https://example.com/orders/A-1042',
    preview_url: true,
  });
  // Statuses come within moments.
  await new Promise((resolve) => setTimeout(resolve, 4000));
  return String(failed.chat_message_id);
}

async function setUp(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.locator('input[name=name]').fill('ana');
  for (const field of ['password', 'again']) await page.locator(`input[name=${field}]`).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.waitForURL('**/panel/start');
}

void main();
