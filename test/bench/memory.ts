import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { MINUTE, SECOND } from '../../gateway/time';
import { loadOn } from './load';
import { CONTACTS, contactOf, everybodyWrites, notificationRequest } from './notifications';
import { sizesOf, type Options } from './options';
import { addOperator, logIn } from './panel';
import { memoryOf } from './processes';
import { type Scene } from './scene';
import { loadNow } from './stand';
import { PHONE_NUMBER_ID } from '../support/test-gateway';

/** Minutes of load and of rest after it; events, sends and pages a second. */
const USUAL = { minutes: 20, rest: 10, events: 400, sends: 200, pages: 4 };

const PAGES = ['messages', 'events', 'overview', 'search?q=order', 'templates', 'events?state=dead', 'usage'];

/** Measures the resident memory of a gateway under a mixed load of events, sends, lists and searches, and at rest after it. */
export async function benchMemory(scene: Scene, options: Options): Promise<string[]> {
  const sizes = sizesOf(options, USUAL);
  const { gateway, token, env } = scene;
  await addOperator(env);
  const cookie = `panel=${await logIn(gateway.url)}`;
  const load = loadOn(gateway.url, 64);
  const lines = [
    `Memory in MB, ${sizes.events} events, ${sizes.sends} sends and ${sizes.pages} pages a second (${loadNow()})`,
    '',
  ];
  const tell = (when: string) =>
    lines.push(`${when.padEnd(30)} ${memoryOf(gateway.pid).toFixed(0).padStart(5)}`);
  await load.post(everybodyWrites());
  await wait(10 * SECOND);
  tell('at rest');
  for (let minute = 1; minute <= sizes.minutes; minute++) {
    await Promise.all([
      load.atRate((index) => notificationRequest(`wamid.${minute}-${index}`, index), sizes.events, MINUTE),
      load.atRate((index) => send(token, `${minute}-${index}`, index), sizes.sends, MINUTE),
      read(gateway.url, cookie, sizes.pages * 60),
    ]);
    tell(`minute ${minute} of load`);
  }
  await load.end();
  for (let minute = 1; minute <= sizes.rest; minute++) {
    await wait(MINUTE);
    tell(`minute ${minute} of rest`);
  }
  return lines;
}

/** Every second send has an Idempotency-Key. */
const send = (token: string, name: string, index: number) => ({
  path: `/v22.0/${PHONE_NUMBER_ID}/messages`,
  headers: {
    ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(index % 2 && { 'idempotency-key': name }),
  },
  body: JSON.stringify({
    ...{ messaging_product: 'whatsapp', to: contactOf(index % CONTACTS.length), type: 'text' },
    text: { body: `Your order ${name} is ready.` },
  }),
});

/** Opens pages at a steady rate for a minute. */
async function read(url: string, cookie: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const next = wait(MINUTE / count);
    const { body, statusCode } = await request(`${url}/panel/${PAGES[index % PAGES.length]}`, {
      headers: { cookie },
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${PAGES[index % PAGES.length]}: ${statusCode}`);
    await next;
  }
}
