import files from 'node:fs/promises';
import Fastify from 'fastify';
import { type Browser, type Page } from 'playwright-core';
import { docsRoutes } from '../../../gateway/openapi/docs';
import { OPERATIONS, TAGS } from '../../../gateway/api/operations';
import { startPeer } from '../../support/http-peer';
import { openBrowser } from '../../support/panel/browser';
import { axeFaults } from '../../support/panel/visitor';
import { call, CONTACT, expectRefusal, lineOf, sceneOf, sqliteUrl, startScene } from '../../support/scene';

const scene = sceneOf();
const line = lineOf(scene);

const get = (path: string, headers: Record<string, string> = {}) =>
  call(scene.gateway.url + path, { headers });

/** One that was free a moment ago. */
async function freePort(): Promise<{ port: string }> {
  const peer = await startPeer();
  await peer.close();
  return new URL(peer.url);
}

describe('the description of the API', () => {
  test('The machine-readable description is version 1.0.0 of the interface description, format OpenAPI 3.0.3.', async () => {
    const { status, headers, body } = await get('/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect([body.openapi, body.info.version]).toEqual(['3.0.3', '1.0.0']);
    expect(Object.keys(body.paths)).toContain('/v22.0/{tid}/messages');
  });

  test('names the public address where that is set', async () => {
    const publicUrl = 'https://gateway.example.com/messages';
    const { port } = await freePort();
    const other = await startScene(await sqliteUrl(), {
      GATEWAY_PUBLIC_URL: publicUrl,
      GATEWAY_PORT: port,
    });
    const { body } = await call(`http://127.0.0.1:${port}/openapi.json`);
    expect(body.servers).toEqual([{ url: `${publicUrl}/api` }, { url: publicUrl }]);
    await other.stop();
  });
});

describe('the page that draws it', () => {
  test.each([
    '/docs',
    '/docs/page.js',
    '/docs/page.css',
    '/docs/swagger-ui.css',
    '/docs/swagger-ui-bundle.js',
  ])('is served from this host alone, under a strict policy: %s', async (path) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    if (path === '/docs') {
      expect(text).not.toMatch(/<script(?! src="docs\/)|<style|\sstyle=|\son\w+=|https?:/);
      for (const [, file] of text.matchAll(/(?:src|href)="([^"]+)"/g))
        expect([file, (await get(`/${file}`)).status]).toEqual([file, 200]);
    }
  });

  test('leads back to the control panel', async () => {
    const { text } = await get('/docs');
    expect(text).toMatch(/<a href="panel">.*Control panel<\/a>/);
  });

  test('is asked for again, and sent again only where it has changed', async () => {
    const { headers } = await get('/docs/swagger-ui.css');
    expect(headers.get('cache-control')).toBe('public, no-cache');
    const tag = headers.get('etag') ?? '';
    const again = await get('/docs/swagger-ui.css', { 'if-none-match': tag });
    expect([again.status, again.text]).toEqual([304, '']);
    const among = await get('/docs/swagger-ui.css', {
      'if-none-match': `"one"${' '.repeat(8000)} ,\t${tag} `,
    });
    expect(among.status).toBe(304);
    expect((await get('/docs/swagger-ui.css', { 'if-none-match': '"another"' })).status).toBe(200);
  });

  test('is read again where it could not be read once', async () => {
    const reading = jest.spyOn(files, 'readFile').mockRejectedValueOnce(new Error('Too many open files'));
    const app = Fastify().get('/docs/:file', docsRoutes(null).file);
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const statuses = [];
    for (let times = 0; times < 3; times++)
      statuses.push((await fetch(`${address}/docs/swagger-ui.css`)).status);
    expect(statuses).toEqual([500, 200, 200]);
    expect(reading).toHaveBeenCalledTimes(2);
    reading.mockRestore();
    await app.close();
  });

  test('is compressed for those who take that', async () => {
    const packed = await get('/docs/swagger-ui-bundle.js', { 'accept-encoding': 'gzip' });
    const plain = await get('/docs/swagger-ui-bundle.js', { 'accept-encoding': 'identity' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(plain.text.length / 2);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(packed.text).toBe(plain.text);
  });

  test.each([
    '/docs/nothing.js',
    '/docs/..%2fpackage.json',
    '/docs/constructor',
    '/docs/swagger-ui.css/x',
    '/docs/',
  ])('has no other files: %s', async (path) => {
    expectRefusal(await get(path), 404, 'not_found', 2500);
  });

  test('cannot be written to', async () => {
    for (const path of ['/docs', '/docs/page.js', '/openapi.json'])
      expectRefusal(
        await call(scene.gateway.url + path, { method: 'POST' }),
        405,
        'method_not_allowed',
        2500,
      );
  });
});

describe('the page in a browser', () => {
  let browser: Browser;
  let page: Page;
  /** Requests to other hosts, and everything that the browser complains of. */
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 360, height: 800 } });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && origin !== scene.gateway.url) complaints.push(request.url());
    });
    await page.goto(`${scene.gateway.url}/docs`);
    await page.waitForSelector('.opblock');
  });
  afterAll(() => browser.close());

  test('shows every operation and how to begin, on a narrow screen too', async () => {
    const shown = await page.locator('.opblock-summary-description').allTextContents();
    // By heading, and in the order of the paths.
    const paths = Object.groupBy(OPERATIONS, ({ path }) => path);
    const all = Object.values(paths).flatMap((operations = []) => operations);
    const ordered = Object.keys(TAGS).flatMap((tag) => all.filter((operation) => operation.tag === tag));
    expect(shown).toEqual(ordered.map(({ summary }) => summary));
    expect(await page.locator('.info').textContent()).toContain('Send your first message');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  test('sends a first message, with the token that is entered', async () => {
    await line.wrote(CONTACT, 1);
    await page.click('.auth-wrapper .authorize');
    await page.fill('.auth-container input', line.token);
    await page.click('.auth-container button[type=submit]');
    await page.click('.auth-container .btn-done');
    await page.click('.opblock-summary-control >> nth=0');
    await page.click('.try-out__btn');
    await page.fill('tr[data-param-name=tid] input', line.phoneNumberId);
    await page.selectOption('.opblock-section-request-body .examples-select-element', 'image');
    await page.click('.execute');
    const answer = page.locator('.live-responses-table tbody .response-col_status');
    expect(await answer.textContent()).toBe('200');
    expect(line.sent()).toHaveLength(1);
  });

  test.each([
    ['/docs', 'light', 'sendMessage'],
    ['/docs', 'dark', 'sendMessage'],
    ['/v1/docs', 'light', 'getMe'],
    ['/v1/docs', 'dark', 'getMe'],
  ] as const)('axe finds nothing, with an operation open: %s, %s', async (path, colorScheme, operation) => {
    const own = await browser.newPage({ colorScheme, bypassCSP: true });
    await own.goto(`${scene.gateway.url}${path}`);
    await own.locator(`[id$=-${operation}] .opblock-summary-control`).click();
    await own.locator('.opblock-body .response').first().waitFor();
    expect(await axeFaults(own)).toEqual([]);
    // The address of an operation opens it all the same.
    expect(new URL(own.url()).hash).toContain(operation);
    await own.close();
  });

  test('/docs renders it, with no asset loaded from another host, and breaks no policy', () => {
    expect(complaints).toEqual([]);
  });
});
