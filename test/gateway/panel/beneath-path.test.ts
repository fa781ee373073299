import { createServer, request as ask } from 'node:http';
import { type Page } from 'playwright-core';
import { setForwardingUrl } from '../../../gateway/forwarding/destinations/destination-rows';
import { freePort } from '../../support/postgres';
import { openBrowser } from '../../support/panel/browser';
import { addPanelUser, PASSWORD } from '../../support/panel/visitor';
import { sqliteUrl, startScene, type Scene } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

/** As a proxy does that passes on what is beneath /chat/, without that; all else on the host is not the gateway's. */
function proxyTo(port: number, strange: string[]) {
  const server = createServer((from, to) => {
    const { url = '', method, headers } = from;
    if (!url.startsWith('/chat/')) {
      strange.push(url);
      return void to.writeHead(404).end();
    }
    const path = url.slice('/chat'.length);
    const passed = ask({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(to);
    });
    passed.on('error', () => to.destroy());
    to.on('close', () => passed.destroy());
    from.pipe(passed);
  });
  return server;
}

describe('the panel beneath a path of a host', () => {
  let scene: Scene;
  let page: Page;
  let close = async () => {};
  let url = '';
  const strange: string[] = [];

  beforeAll(async () => {
    const [port, ownPort] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}/chat`;
    scene = await startScene(await sqliteUrl(), {
      GATEWAY_PORT: String(ownPort),
      GATEWAY_PUBLIC_URL: url,
    });
    await addPanelUser(scene, 'ana');
    const proxy = proxyTo(ownPort, strange);
    await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
    const browser = await openBrowser();
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(15_000);
    close = async () => {
      await browser.close();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await scene.stop();
    };
  });
  afterAll(() => close());

  test('is logged in to, looked through and changed, without leaving the path', async () => {
    const line = await scene.line({ name: 'My shop' });
    await page.goto(`${url}/panel/messages?q=x`);
    // To the log-in and back.
    await page.getByLabel('Name').fill('ana');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(`${url}/panel/messages?q=x`);

    const seen = new Set<string>();
    for (const path of [
      '/panel',
      '/panel/lines',
      `/panel/lines/${line.id}`,
      '/panel/events',
      '/panel/profile',
      '/panel/nowhere',
    ]) {
      await page.goto(url + path);
      const addresses = await page.$$eval('[href], [src], form', (all) =>
        all.map(
          (one) => one.getAttribute('href') ?? one.getAttribute('src') ?? one.getAttribute('action') ?? '',
        ),
      );
      addresses.filter((address) => address.startsWith('/')).forEach((address) => seen.add(address));
    }
    expect(seen.size).toBeGreaterThan(10);
    expect([...seen].filter((address) => !address.startsWith('/chat/'))).toEqual([]);

    await page.goto(`${url}/panel/lines/${line.id}/edit`);
    await page.getByLabel('Name', { exact: true }).fill('My other shop');
    await page.getByRole('button', { name: 'Save the line' }).click();
    await page.waitForURL(`${url}/panel/lines/${line.id}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('My other shop');
  });

  test('shows what is live as it comes, with links that stay beneath the path', async () => {
    const line = await scene.line({ name: 'Live shop' });
    const rules = { refuseUrl: () => null } as never;
    const to = { url: 'http://127.0.0.1:9/hook', secret: null };
    await scene.change((world) => setForwardingUrl({ ...world, rules }, line.id, null, to));
    await page.goto(`${url}/panel/events`);
    const answered = textFrom('12025550188', 'Hello', 'wamid.live');
    expect(await notify({ url }, notification(answered, line.phoneNumberId))).toBe(200);
    const link = page.locator('[data-live] a[href*="/panel/events/evt_"]').first();
    await link.waitFor();
    expect(await link.getAttribute('href')).toMatch(/^\/chat\/panel\/events\/evt_/);
    await page.goto(`http://${new URL(url).host}/chat/`);
    expect(page.url()).toBe(`${url}/panel/overview`);
    expect(strange.filter((path) => path !== '/favicon.ico')).toEqual([]);
  });
});
