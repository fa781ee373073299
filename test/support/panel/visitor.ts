import { readFileSync } from 'node:fs';
import { hash } from '@node-rs/argon2';
import { type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { type Role } from '../../../gateway/rights/roles';
import { insertUser } from '../../../gateway/users/manage-users';
import { type Scene } from '../scene';
import { openBrowser } from './browser';

export const PASSWORD = 'correct horse battery staple';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The least that argon2 can cost: comparing takes as long as the stored hash says, and hundreds of tests log in. */
let cheap: Promise<string> | undefined;

/** As `user add` does. */
export async function addPanelUser(scene: Scene, name: string, role: Role = 'owner'): Promise<void> {
  cheap ??= hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  const passwordHash = await cheap;
  await scene.change(({ store }) => insertUser({ store, clock: Date.now }, name, role, passwordHash));
}

/** One for all windows of a test file: it takes a second to start. */
let browser: Promise<Browser> | undefined;
const open = new Set<Visitor>();

afterAll(async () => {
  await (await browser)?.close();
});

/** After each test of a file that says so, its windows are closed; the browser complained of nothing in any of them. */
export function closingWindows(): void {
  afterEach(async () => {
    const left = [...open];
    await Promise.all(left.map((one) => one.close()));
    expect(left.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
}

/** A browser window. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** All that the browser complained of, and every request to another host: stays empty. */
  complaints: string[];
  goto(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface VisitorOptions {
  /** Of the user who is logged in. */
  name?: string;
  width?: number;
  dark?: boolean;
  script?: boolean;
  /** With a finger, not with a mouse. */
  touch?: boolean;
  timezone?: string;
  /** Of the browser, which the panel speaks where it can. */
  locale?: string;
}

/** A window in which nobody is logged in yet. */
export async function visitor(
  scene: { gateway: { url: string } },
  {
    width = 1280,
    dark = false,
    script = true,
    touch = false,
    timezone = 'UTC',
    locale = 'en-GB',
  }: VisitorOptions = {},
): Promise<Visitor> {
  browser ??= openBrowser();
  const context = await (
    await browser
  ).newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    javaScriptEnabled: script,
    hasTouch: touch,
    locale,
    timezoneId: timezone,
    bypassCSP: false,
  });
  const page = await context.newPage();
  waitForWholePages(page);
  // What is waited for comes at once, unless the machine is busy.
  page.setDefaultTimeout(60_000);
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
  const one: Visitor = {
    page,
    context,
    complaints,
    goto: async (path) => void (await page.goto(scene.gateway.url + path)),
    async close() {
      open.delete(one);
      await context.close();
    },
  };
  open.add(one);
  return one;
}

/**
 * A click or a key is over when the page that it leads to begins to arrive, and what counts elements or reads all of them
 * waits for none: on a busy machine it would find half a page. So the actions of all windows wait for the whole of it.
 */
function waitForWholePages(page: Page): void {
  const locators = Object.getPrototypeOf(page.locator('html')) as Locator & { waitsForPages?: boolean };
  if (locators.waitsForPages) return;
  locators.waitsForPages = true;
  for (const name of ['click', 'press'] as const) {
    const action = locators[name] as (this: Locator, ...given: unknown[]) => Promise<void>;
    locators[name] = async function (this: Locator, ...given: unknown[]) {
      await action.apply(this, given);
      await this.page().waitForLoadState('domcontentloaded');
    };
  }
}

/** The same, logged in as the user of that name: by the form of the log-in, which is not waited for to be painted. */
export async function loggedIn(
  scene: Scene,
  { name = 'ana', ...options }: VisitorOptions = {},
): Promise<Visitor> {
  const one = await visitor(scene, options);
  const { request } = one.context;
  const address = `${scene.gateway.url}/panel/log-in`;
  const form_token = formTokenIn(await (await request.get(address)).text());
  const answer = await request.post(address, {
    form: { name, password: PASSWORD, form_token },
    headers: { origin: scene.gateway.url },
    maxRedirects: 0,
  });
  expect([answer.status(), answer.headers().location]).toEqual([303, '/panel']);
  return one;
}

/** Of the first form of a page. */
export const formTokenIn = (html: string): string =>
  /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? '';

/** How high the place is in which a press in its middle hits it. */
export const reachOf = (target: Locator): Promise<number> =>
  target.evaluate((element) => {
    element.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = element.getBoundingClientRect();
    const isHit = (y: number) =>
      element.contains(element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2 + y));
    let [up, down] = [0, 0];
    while (up < 50 && isHit(-up - 1)) up++;
    while (down < 50 && isHit(down + 1)) down++;
    return up + 1 + down;
  });

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** What axe finds wrong with a page, in short. */
export async function axeFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate('window.axe !== undefined'))) await page.evaluate(AXE);
  const violations = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`,
  )) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
