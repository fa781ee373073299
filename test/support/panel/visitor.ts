import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { type Role } from '../../../gateway/store/schema';
import { addUser } from '../../../gateway/users/manage-users';
import { hashPassword } from '../../../gateway/users/password';
import { type Scene } from '../scene';

export const PASSWORD = 'correct horse battery staple';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** As `user add` does. */
export async function addPanelUser(scene: Scene, name: string, role: Role = 'operator'): Promise<void> {
  const hash = await hashPassword(PASSWORD);
  await scene.change(({ store }) => addUser({ store, clock: Date.now }, name, role, hash));
}

/** A browser window of somebody who is logged in. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** All that the browser complained of, and every request to another host: stays empty. */
  complaints: string[];
  goto(path: string): Promise<void>;
  close(): Promise<void>;
}

interface VisitorOptions {
  name?: string;
  width?: number;
  dark?: boolean;
  script?: boolean;
}

/** A window in which nobody is logged in yet. */
export async function visitor(
  browser: Browser,
  scene: Scene,
  { width = 1280, dark = false, script = true }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    javaScriptEnabled: script,
    locale: 'en-GB',
    timezoneId: 'UTC',
    bypassCSP: false,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Of an answer that is no success the browser says so itself.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isAnswer) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== scene.gateway.url) complaints.push(request.url());
  });
  return {
    page,
    context,
    complaints,
    goto: async (path) => void (await page.goto(scene.gateway.url + path)),
    close: () => context.close(),
  };
}

/** The same, logged in as the user of that name. */
export async function loggedIn(
  browser: Browser,
  scene: Scene,
  { name = 'ana', ...options }: VisitorOptions = {},
): Promise<Visitor> {
  const one = await visitor(browser, scene, options);
  await one.goto('/panel/log-in');
  await one.page.getByLabel('Name').fill(name);
  await one.page.getByLabel('Password').fill(PASSWORD);
  await one.page.getByRole('button', { name: 'Log in' }).click();
  await one.page.waitForURL((url) => !url.pathname.startsWith('/panel/log-in'));
  return one;
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** What axe finds wrong with a page, in short. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`,
  )) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
