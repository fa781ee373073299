import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type BrowserContext } from 'playwright-core';
import type * as offlineModule from '../../gateway/cli/offline';
import { eventIdBefore } from '../../gateway/store/event-id';
import { HOUR, isoTime, MINUTE } from '../../gateway/time';
import type * as manageUsersModule from '../../gateway/users/manage-users';
import type * as passwordModule from '../../gateway/users/password';
import { openBrowser } from '../support/panel/browser';
import { notification, settings, textFrom } from '../support/test-gateway';
import { median } from './load';
import { startShipped, type Shipped } from './scene';
import { benchUsage } from './usage';

const FEW = 100;
const MANY = 100_000;
/** Factor by which the browser is slowed down, to act like a phone. */
const SLOWER = 4;
const ROUNDS = 15;
const PASSWORD = 'correct horse battery staple';

const shipped = createRequire(join(__dirname, '../../gateway/build/main.js'));
const { offline } = shipped('./cli/offline') as typeof offlineModule;
const { insertUser } = shipped('./users/manage-users') as typeof manageUsersModule;
const { hashPassword } = shipped('./users/password') as typeof passwordModule;

const PAGES = [
  ...['start', 'overview', 'lines', 'lines/1', 'lines/1/edit', 'tokens', 'templates', 'messages'],
  ...['events', 'phone', 'users', 'audit', 'profile'],
];
const LISTS = [
  ...[
    'events',
    'events?destination=1',
    'events?state=delivered',
    'events?state=dead',
    'events?state=waiting',
  ],
  ...['events?state=canceled', 'events?cause=timeout', 'events?cause=http_error'],
  ...['events?state=dead&cause=http_error', 'events?state=waiting&cause=timeout', 'overview', 'lines'],
];

/**
 * Measures loading and painting of each page, compared with an empty page on the same machine. Also measures
 * pages that read deliveries, with few and many of them in turn.
 */
export async function benchPanel(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-panel-'));
  const started: Shipped[] = [];
  const start = async (count: number): Promise<Shipped> => {
    const path = join(folder, `${count}.db`);
    const env = settings(`sqlite:${path}`, { GATEWAY_UPSTREAM_URL: 'sandbox', GATEWAY_LOG_IN_LIMIT: 'off' });
    // Nothing listens at this address, so pending deliveries stay pending.
    const one = await startShipped(env, 'http://127.0.0.1:9/hook', [], () => store(path, count));
    await addOperator(env);
    started.push(one);
    return one;
  };
  try {
    const [few, many] = [await start(FEW), await start(MANY)];
    return [
      ...(await pages(many)),
      '',
      `With ${FEW} and ${MANY} deliveries stored, ms a page (median of ${ROUNDS})`,
      '',
      ...(await lists(few, many)),
      '',
      ...(await benchUsage()),
    ];
  } finally {
    await Promise.all(started.map(({ gateway }) => gateway.end()));
    rmSync(folder, { recursive: true });
  }
}

type Serving = Pick<Shipped, 'gateway'>;

/** Adds the user who opens the lists. */
/** @param customerId also adds `ben`, an agent of this customer */
export const addOperator = (env: Record<string, string>, customerId?: number): Promise<void> =>
  offline(
    env,
    async (world) => {
      const hash = await hashPassword(PASSWORD);
      await insertUser(world, 'ana', 'owner', hash);
      if (customerId === undefined) return;
      const ben = await insertUser(world, 'ben', null, hash);
      await world.store.users.setMembership(ben?.id ?? 0, customerId, 'agent');
    },
    'first command',
  );

async function pages({ gateway }: Shipped): Promise<string[]> {
  const bare = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Bare</title><h1>Bare</h1><p>One heading, one line of text.');
  });
  await new Promise<void>((ready) => bare.listen(0, '127.0.0.1', ready));
  const { port } = bare.address() as AddressInfo;
  const browser = await openBrowser();
  const lines = [
    `Pages, first paint in ms (median of ${ROUNDS}) and KB over the wire, first and later visits`,
    '',
  ];
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addCookies([{ name: 'panel', value: await logIn(gateway.url), url: gateway.url }]);
    for (const [name, url] of [
      ['a bare page', `http://127.0.0.1:${port}/`],
      ...PAGES.map((path) => [`/panel/${path}`, `${gateway.url}/panel/${path}`]),
    ] as [string, string][]) {
      const seen = await visits(context, url);
      const [first] = seen;
      const later = seen.slice(1);
      lines.push(
        `${name.padEnd(20)} ${median(later.map(({ paint }) => paint))
          .toFixed(0)
          .padStart(
            4,
          )} ms, ${kilobytes(first?.bytes)} KB, then ${kilobytes(median(later.map(({ bytes }) => bytes)))} KB`,
      );
    }
  } finally {
    await browser.close();
    bare.close();
  }
  return lines;
}

export const kilobytes = (bytes = 0): string => (bytes / 1024).toFixed(1).padStart(5);

/** Visits a page repeatedly; the first visit has an empty cache. */
export async function visits(
  context: BrowserContext,
  url: string,
  rounds = ROUNDS,
): Promise<{ paint: number; bytes: number }[]> {
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.clearBrowserCache');
  await network.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const seen = [];
  for (let round = 0; round <= rounds; round++) {
    bytes = 0;
    const answer = await page.goto(url);
    if (!answer?.ok() || page.url().includes('/log-in')) throw new Error(`${url} led to ${page.url()}`);
    const paint = await page.evaluate<number>(`new Promise((resolve) => new PerformanceObserver((list) => {
      for (const one of list.getEntriesByName('first-contentful-paint')) resolve(one.startTime);
    }).observe({ type: 'paint', buffered: true }))`);
    seen.push({ paint, bytes });
  }
  await page.close();
  return seen;
}

/**
 * Measures each list in both gateways, in milliseconds, and the second as a multiple of the first. Both need
 * the user of `addOperator`.
 */
export async function lists(few: Serving, many: Serving): Promise<string[]> {
  const all = await Promise.all(
    [few, many].map(async ({ gateway }) => ({ url: gateway.url, cookie: await logIn(gateway.url) })),
  );
  const lines: string[] = [];
  for (const list of LISTS) {
    const took = all.map(() => [] as number[]);
    for (let round = 0; round < ROUNDS; round++)
      for (const [index, { url, cookie }] of all.entries()) {
        const began = performance.now();
        const answer = await fetch(`${url}/panel/${list}`, { headers: { cookie: `panel=${cookie}` } });
        await answer.text();
        if (answer.status !== 200) throw new Error(`${list}: ${answer.status}`);
        took[index]?.push(performance.now() - began);
      }
    const [less = 0, more = 0] = took.map(median);
    lines.push(
      `${list.padEnd(38)} ${less.toFixed(1).padStart(6)} ${more.toFixed(1).padStart(6)}  ÷ ${(more / less).toFixed(2)}`,
    );
  }
  return lines;
}

/** @returns the session key */
export async function logIn(url: string, name = 'ana'): Promise<string> {
  const keyOf = (answer: Response) =>
    /(?:^|, )panel=([\w-]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const page = await fetch(`${url}/panel/log-in`);
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(await page.text()) ?? [];
  const answer = await fetch(`${url}/panel/log-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `panel=${keyOf(page)}`, origin: url },
    body: new URLSearchParams({ name, password: PASSWORD, form_token }),
  });
  if (answer.status !== 303) throw new Error(`The log-in was answered ${answer.status}`);
  return keyOf(answer);
}

/**
 * Inserts events of the last hours by SQL: of 100, 2 failed, 2 are pending and 5 arrived at the second
 * attempt.
 */
export function store(path: string, count: number): void {
  const at = Date.now() - 3 * HOUR;
  const body = JSON.stringify(notification(textFrom('16505550000', 'Is my order ready?', 'wamid.x')));
  const database = new DatabaseSync(path);
  database.exec('pragma synchronous = off');
  database.exec('begin');
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  const id = `'${eventIdBefore(at)}' || printf('%016d', n)`;
  const state = `case when n % 50 = 0 then 'dead' when n % 50 = 1 then 'pending' else 'delivered' end`;
  const attempts = `case when n % 20 = 3 then 2 else 1 end`;
  database.exec(`insert into events
    (id, line_id, subject, kind, identity, contact, wamid, phone_number_id, waba_id, body, received_at) ${numbers}
    select ${id}, 1, 'message', 'text', 'message:x:' || n, '1650555' || (n % 10000), 'wamid.' || n,
      '106540352242922', '102290129340398', '${body.replaceAll("'", "''")}', '${isoTime(at)}' from numbers`);
  database.exec(`insert into deliveries
    (destination_id, event_id, lane, state, attempts, due_at, finished_at) ${numbers}
    select 1, ${id}, '1650555' || (n % 10000), ${state}, ${attempts}, '${isoTime(Date.now() + 10 * HOUR)}',
      case when n % 50 = 1 then null else '${isoTime(at + MINUTE)}' end from numbers`);
  database.exec(`insert into attempts
    (destination_id, event_id, number, started_at, duration_ms, http_status, outcome, answer) ${numbers}
    select 1, ${id}, ${attempts}, '${isoTime(at)}', 12, 500,
      case when n % 50 = 0 then 'http_error' when n % 50 = 1 then 'timeout' else 'delivered' end, '' from numbers`);
  database.exec(`insert into attempts
    (destination_id, event_id, number, started_at, duration_ms, http_status, outcome, answer) ${numbers}
    select 1, ${id}, 1, '${isoTime(at)}', 12, null, 'timeout', '' from numbers where n % 20 = 3`);
  database.exec('commit');
  database.close();
}
