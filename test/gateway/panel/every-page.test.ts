import { request, type IncomingMessage } from 'node:http';
import { PassThrough, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { h } from 'preact';
import { page } from '../../../gateway/panel/outcome';
import { type PanelRoute } from '../../../gateway/panel/panel-route';
import { PERMISSIONS_OF } from '../../../gateway/rights/roles';
import { pagesOf } from '../../../gateway/panel/routes';
import { isoTime, MINUTE } from '../../../gateway/time';
import { loaded } from '../../../gateway/panel/languages/texts';
import { DATABASES } from '../../support/databases';
import { MARKED, markFacts, unmarked } from '../../support/panel/marked';
import { startTraffic, type Traffic } from '../../support/panel/traffic';
import { closingWindows, formTokenIn, loggedIn } from '../../support/panel/visitor';
import { CONTACT } from '../../support/scene';
import { storeUsage } from '../../support/usage-days';

/** All that a page with everything that belongs to it may be, on the wire. */
const MOST = 20 * 1024;

const UNPACK: Record<string, () => Transform> = { br: createBrotliDecompress, gzip: createGunzip };

let scene: Traffic;
let cookie: string;
let dead: string;
closingWindows();

beforeAll(async () => {
  // The sandbox keeps its file beside the database.
  const sqlite = await DATABASES.find(({ name }) => name === 'SQLite')?.createUrl();
  scene = await startTraffic(sqlite ?? '', { GATEWAY_UPSTREAM_URL: 'sandbox' });
  dead = await scene.dead(3);
  const owed = (destination_id: number, index: number) => ({
    deliveries: [{ destination_id, lane: `x${index}`, due_at: isoTime(scene.clock.now) }],
  });
  await scene.events(
    10,
    Array.from({ length: 80 }, (_, index) => owed(index % 2 ? scene.open : scene.paused, index)),
  );
  const at = (minutes: number) => isoTime(scene.clock.now - minutes * MINUTE);
  await scene.change(({ store }) =>
    store.write({
      kind: 'notification',
      events: [],
      windows: [],
      messages: Array.from({ length: 80 }, (_, index) => ({
        line_id: scene.shop.id,
        wamid: `wamid.${'x'.repeat(40)}${index}`,
        contact: `1202555${String(index).padStart(4, '0')}`,
        type: 'text',
        accepted_at: at(index),
        ...(index % 3
          ? { sent_at: at(index), delivered_at: at(index) }
          : { failed_at: at(index), failure: '[]' }),
      })),
    }),
  );
  await scene.change(({ store }) =>
    storeUsage(
      store,
      Array.from({ length: 40 }, (_, index) => ({
        ...{ line_id: (index % 10) + 1, day: `2026-03-0${(index % 9) + 1}`, template: `sale_${index}` },
        ...{ category: 'marketing', type: 'regular', country: 'BR', sent: 90 + index, delivered: 80 + index },
        ...{ read: index, failed: index, received: 7, charged: 60 + index },
      })),
    ),
  );
  for (let index = 0; index < 10; index++)
    await scene.line({ name: `Shop ${index}`, phoneNumberId: `20654035224290${index}` });
  // Alerts about it lead to its settings, which a viewer may not open.
  const bare = await scene.line({ name: 'Shop 11', phoneNumberId: '206540352242911', accessToken: null });
  await scene.change(({ store }) =>
    store.alerts.openIncidents([
      {
        ...{ kind: 'line_credentials', subject: String(bare.id), line_id: bare.id, waba_id: null },
        ...{ process: null, severity: 'critical', title: 'Shop 11 has no access token', waiting: null },
        ...{ text: 'Nothing can be sent through it.', over: '', action: '' },
        ...{ path: `/panel/lines/${bare.id}/edit`, since: at(9), opened_at: at(9) },
      },
    ]),
  );
  for (let index = 0; index < 80; index++)
    await fetch(`${scene.gateway.sandboxUrl}/sandbox/contacts/${CONTACT}/messages`, {
      method: 'POST',
      body: JSON.stringify({ text: `Is my order ${index} ready?`, line: scene.shop.phoneNumberId }),
    });
  const components = [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Hello {{1}}' },
    {
      type: 'BUTTONS',
      buttons: ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE'].map((type) => ({ type })),
    },
  ];
  const languages = ['en_US', 'de'].map((language) => ({ language, components }));
  await scene.change(({ store }) =>
    store.templateDrafts.insert({
      ...{ name: 'order_shipped', category: 'UTILITY', customer_id: null, revision: 1, updated_by: 'ana' },
      ...{ content: JSON.stringify({ parameter_format: 'positional', languages }) },
      ...{ created_at: at(9), updated_at: at(9) },
    }),
  );
  const one = await loggedIn(scene);
  cookie = (await one.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
});
afterAll(() => scene.stop());

interface Loaded {
  /** Head and body, as they came. */
  bytes: number;
  text: string;
  headers: IncomingMessage['headers'];
}

/** Asks as a browser does. @param isAll says of a stream, which does not end, when there is no more to come */
function load(
  path: string,
  {
    headers = {},
    isAll = () => false,
  }: { headers?: Record<string, string>; isAll?: (text: string) => boolean } = {},
): Promise<Loaded> {
  return new Promise((resolve, reject) => {
    const asked = request(scene.gateway.url + path, {
      agent: false,
      headers: { cookie, 'accept-encoding': 'gzip, deflate, br, zstd', ...headers },
    });
    asked.on('error', reject).on('response', (answer) => {
      const { headers, socket, statusCode } = answer;
      if (statusCode !== 200) return reject(new Error(`${path}: ${statusCode}`));
      const body = answer.pipe(UNPACK[headers['content-encoding'] ?? '']?.() ?? new PassThrough());
      body.setEncoding('utf8');
      let text = '';
      const done = () => resolve({ bytes: socket.bytesRead, text, headers });
      body.on('error', reject).on('end', done);
      body.on('data', (chunk: string) => {
        text += chunk;
        if (!isAll(text)) return;
        done();
        asked.destroy();
      });
    });
    asked.end();
  });
}

/** What a page tells of its live parts, as its script does. */
const liveParts = (html: string): string[] =>
  [...html.matchAll(/id="([\w-]+)" data-live="(\w+)"/g)].map(([, id, mark]) => `${id}.${mark}`);
const withShown = (path: string, shown: string[]): string =>
  `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ shown: shown.join() })}`;

/** A page, what it names, and the live parts that come behind it at once. */
async function weightOf(path: string, language: string): Promise<number> {
  const spoken = { 'accept-language': language };
  const page = await load(path, { headers: spoken });
  const assets = [...page.text.matchAll(/(?:href|src)="(\/panel\/assets\/[^"]+)"/g)].map(
    ([, href = '']) => href,
  );
  const loaded = await Promise.all(assets.map((href) => load(href)));
  expect(assets).toHaveLength(3);
  const live = liveParts(page.text);
  if (live.length) {
    const headers = { ...spoken, accept: 'text/event-stream' };
    const isAll = (text: string) => text.includes(': current');
    loaded.push(await load(withShown(path, live), { headers, isAll }));
  }
  return [page, ...loaded].reduce((sum, { bytes }) => sum + bytes, 0);
}

const PAGES: (string | (() => string))[] = [
  '/panel/overview',
  '/panel/start',
  '/panel/lines',
  '/panel/lines/new',
  () => `/panel/lines/${scene.shop.id}`,
  () => `/panel/lines/${scene.shop.id}/edit`,
  () => `/panel/lines/${scene.shop.id}/destinations/new`,
  () => `/panel/lines/${scene.shop.id}/destinations/${scene.open}`,
  '/panel/lines/1/opt-outs',
  '/panel/lines/1/number',
  '/panel/lines/1/number/chat-start',
  '/panel/lines/1/number/qr',
  '/panel/lines/1/number/blocked',
  '/panel/lines/1/number/registration',
  '/panel/lines/1/send?kind=template',
  '/panel/lines/1/send?kind=list',
  '/panel/tokens',
  '/panel/tokens/1/rotate',
  '/panel/admin-tokens',
  '/panel/admin-tokens/new',
  '/panel/templates',
  '/panel/templates/drafts/1?check=1',
  () => `/panel/templates/review/${scene.shop.id}`,
  '/panel/templates/import',
  '/panel/templates/drafts/1/board',
  '/panel/messages',
  () => `/panel/messages/${scene.shop.id}/wamid.${'x'.repeat(40)}1`,
  '/panel/conversations',
  () => `/panel/conversations/${scene.shop.id}/${CONTACT}`,
  '/panel/search?q=order',
  '/panel/events',
  () => `/panel/events?line=${scene.shop.id}`,
  () => `/panel/messages?line=${scene.shop.id}`,
  () => `/panel/events/${dead}`,
  () => `/panel/phone/${scene.shop.id}/${CONTACT}`,
  '/panel/alerts',
  '/panel/alerts/rules',
  '/panel/alerts/channels',
  '/panel/alerts/channels/new/email',
  '/panel/users',
  '/panel/users/new',
  '/panel/invitations/new',
  '/panel/providers',
  '/panel/providers/new',
  '/panel/audit',
  '/panel/usage',
  '/panel/usage/compared',
  '/panel/rate-cards',
  '/panel/rate-cards/new',
  '/panel/backups',
  '/panel/profile',
];
const pathOf = (page: string | (() => string)) => (typeof page === 'string' ? page : page());

test.each(PAGES)('it takes 20 KB at most until a page is there with all its parts: %s', async (given) => {
  const path = pathOf(given);
  for (const language of ['en', 'pt', 'es']) {
    let weight = await weightOf(path, language);
    // A live part that changed between the two, such as a time in minutes, was sent twice.
    for (let again = 0; weight > MOST && again < 4; again++) weight = await weightOf(path, language);
    if (process.env.PAGE_WEIGHTS) process.stderr.write(`${weight} ${language} ${path}\n`);
    expect([language, Math.max(weight, MOST)]).toEqual([language, MOST]);
  }
});

/** What people have called things, and words that are the same in every language. */
const DATA = new RegExp(
  [
    /\S+@\S+|Messaging Gateway|Meta|WhatsApp|n8n|curl|HTTP|API|GIF|URL|NDJSON|JSON|CSV|UTC|\bms\b/,
    /English|Português \(Brasil\)|Español|[A-Z]\w+\/[\w/ -]+/,
    /<script>.*|My shop|Shop \d|Test line|Contact \d{4}|\b[Aa]na\b|\bben\b|…[\w-]{4}/,
    /https?:\/\/\S+|127\.0\.0\.1:\d+|\/?\bcrm\b|smtp\.\S+|wamid\.\S+|evt_\w+|x{20,}/,
    /Is my order \d+ ready\?|Hello|Nothing but failures|[a-z]+_[a-z]+|en_US/,
    /\d+ de [a-z]{3}\. de \d{4}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** The routes to which what stands within a page's `main` leads: links, and forms that are posted. */
function offered(path: string, html: string): PanelRoute[] {
  const main = /<main[^]*<\/main>/.exec(html)?.[0] ?? '';
  const forms = [...main.matchAll(/<form[^>]*method="post"[^>]*>[^]*?<\/form>/g)].map(([form]) => form);
  const targets = (text: string, name: string) =>
    [...text.matchAll(new RegExp(` ${name}="(/panel[^"?#]*)`, 'g'))].map(([, target = '']) => target);
  const posted = forms.flatMap((form) => [
    ...targets(form, 'formaction'),
    targets(/^<form[^>]*>/.exec(form)?.[0] ?? '', 'action')[0] ?? path,
  ]);
  const routeTo = (method: string, target: string) =>
    pagesOf({ sandboxUrl: scene.gateway.sandboxUrl })
      .filter((one) => one.method === method)
      .filter(({ url }) => new RegExp(`^/panel${url.replace(/:\w+/g, '[^/]+')}$`).test(target))
      .sort((one, other) => one.url.split(':').length - other.url.split(':').length)
      .slice(0, 1);
  return [
    ...targets(main, 'href').flatMap((target) => routeTo('GET', target)),
    ...posted.flatMap((target) => routeTo('POST', target)),
  ];
}

test('a viewer is offered nothing, on any page, that is refused to viewers', async () => {
  const { context } = await loggedIn(scene, { name: 'ben', script: false });
  const ofBen = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const ofOwners: string[] = [];
  for (const path of PAGES.map(pathOf)) {
    const page = await fetch(scene.gateway.url + path, { headers: { cookie: ofBen } });
    const isRefused = ({ permission }: PanelRoute) =>
      permission !== 'own' && permission !== 'anyone' && !PERMISSIONS_OF.viewer.has(permission);
    ofOwners.push(
      ...offered(path, (await load(path)).text)
        .filter(isRefused)
        .map(({ url }) => url),
    );
    if (page.status === 403) continue;
    const html = await page.text();
    expect([path, html.includes('verify-token')]).toEqual([path, false]);
    const refused = offered(path, html).filter(isRefused);
    expect([path, page.status, refused.map(({ method, url }) => `${method} ${url}`)]).toEqual([
      path,
      200,
      [],
    ]);
  }
  expect(new Set(ofOwners).size).toBeGreaterThan(20);
});

test.each(PAGES)('no two elements have one id, so that each label names its own field: %s', async (given) => {
  const { text } = await load(pathOf(given));
  const ids = [...text.matchAll(/<[^>]* id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('the longer words of other languages, and addresses, fit a phone', async () => {
  const { page, context, goto } = await loggedIn(scene, { width: 360 });
  const line = `/panel/lines/${scene.shop.id}`;
  for (const language of ['pt', 'es']) {
    await context.addCookies([{ name: 'panel-look', value: `..${language}`, url: scene.gateway.url }]);
    for (const path of [
      '/panel/overview',
      line,
      `${line}/destinations/${scene.paused}`,
      `${line}/opt-outs`,
      '/panel/templates',
      '/panel/alerts/channels/new/telegram',
      `/panel/conversations/${scene.shop.id}/${CONTACT}`,
    ]) {
      await goto(path);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect([language, path, wide]).toEqual([language, path, 360]);
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  const self = await page.locator('.side-places .whoami a').boundingBox();
  const logOut = await page.getByRole('button', { name: 'Cerrar sesión' }).boundingBox();
  expect(logOut?.y).toBeLessThan((self?.y ?? 0) + (self?.height ?? 0));
});

test.each([390, 430])('pages of facts and lists are no wider than a phone of %d pixels', async (width) => {
  const { page, goto } = await loggedIn(scene, { width, script: false });
  const line = `/panel/lines/${scene.shop.id}`;
  for (const path of [
    '/panel/overview',
    line,
    `${line}/destinations/${scene.paused}`,
    '/panel/events',
    `/panel/events/${dead}`,
  ]) {
    await goto(path);
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
    const narrow = await page.evaluate(
      `[...document.querySelectorAll('.facts.tiles dd')].filter((one) => one.offsetWidth < 120).map((one) => one.textContent)`,
    );
    expect([path, narrow]).toEqual([path, []]);
  }
});

test('a name without a space pushes no column out of the list of events', async () => {
  const before = await scene.change(({ store }) => store.lines.find(scene.shop.id));
  await scene.shop.edit({ name: 'W'.repeat(64) });
  const { page, goto } = await loggedIn(scene, { script: false });
  await goto('/panel/events');
  const table = await page.locator('#deliveries table').boundingBox();
  const cell = await page.locator('#deliveries tbody td').last().boundingBox();
  for (const box of [table, cell]) expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThan(1280);
  await scene.shop.edit({ name: before?.name ?? '' });
});

describe('in a language whose every text is marked', () => {
  let unmarkFacts: () => void;
  beforeAll(() => {
    loaded.set('pt', MARKED);
    unmarkFacts = markFacts();
  });
  afterAll(() => {
    loaded.delete('pt');
    unmarkFacts();
  });

  test.each(PAGES)('a page has no text that cannot be translated: %s', async (given) => {
    const { text } = await load(pathOf(given), { headers: { 'accept-language': 'pt' } });
    expect(text).toContain('<html lang="pt-BR"');
    // What was found is a part of what somebody wrote.
    const left = unmarked(text.replaceAll(/<\/?mark>/g, '')).map((one) => one.replace(DATA, ''));
    expect([...new Set(left)].filter((one) => /\p{L}{2}/u.test(one))).toEqual([]);
  });
});

test('a page whose head has no title for the tab is refused', () => {
  expect(() => page(h('div', {}) as never, h('div', {}))).toThrow('The head of a page needs a title.');
});

test('a form token is written in another way each time, and each of them counts', async () => {
  const forms = await Promise.all(['/panel/profile', '/panel/profile'].map((path) => load(path)));
  const [one = '', other = ''] = forms.map(({ text }) => formTokenIn(text));
  expect(one).not.toBe(other);
  const stream = await load('/panel/events', {
    headers: { accept: 'text/event-stream' },
    isAll: (text) => text.includes('form_token') && text.endsWith('\n\n'),
  });
  const streamed = formTokenIn(stream.text.replaceAll('\\"', '"'));
  expect([one, other]).not.toContain(streamed);
  const post = async (token: string) => {
    const answer = await fetch(`${scene.gateway.url}/panel/users`, {
      method: 'POST',
      headers: { cookie, origin: scene.gateway.url },
      body: new URLSearchParams({ form_token: token, name: '', role: 'viewer' }),
    });
    return answer.status;
  };
  for (const token of [one, other, streamed]) expect([token, await post(token)]).toEqual([token, 422]);
  const foreign = Buffer.from(one, 'base64url').reverse().toString('base64url');
  for (const token of [foreign, one.slice(0, 43), `${one}AAAA`, ''])
    expect([token, await post(token)]).toEqual([token, 403]);
});

test('of its live parts a page is first sent what it does not show yet, and all once it connects again', async () => {
  const shown = liveParts((await load('/panel/events')).text);
  expect(shown.length).toBeGreaterThan(1);
  const sent = async (parts: string[], headers: Record<string, string> = {}) => {
    const { text } = await load(withShown('/panel/events', parts), {
      headers: { accept: 'text/event-stream', ...headers },
      isAll: (all) => all.includes(': current'),
    });
    return [...text.matchAll(/^data: \{"id":"([\w-]+)"/gm)].map(([, id]) => id);
  };
  expect(await sent(shown)).toEqual([]);
  expect(await sent(shown.map((part) => part.replace(/^deliveries\..*/, 'deliveries.0')))).toEqual([
    'deliveries',
  ]);
  expect(await sent(shown, { 'last-event-id': '1' })).toHaveLength(shown.length);
});

test('what takes nothing compressed is sent nothing compressed', async () => {
  for (const accept of ['text/html', 'text/event-stream']) {
    const { headers, text } = await load('/panel/events', {
      headers: { accept, 'accept-encoding': 'identity' },
      isAll: (all) => all.includes('event: part'),
    });
    expect([headers['content-encoding'], text.includes('</')]).toEqual([undefined, true]);
  }
});
