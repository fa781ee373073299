import { readFileSync } from 'node:fs';
import { hash } from '@node-rs/argon2';
import { type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { type MemberRole, type Role } from '../../../gateway/rights/roles';
import { insertUser } from '../../../gateway/users/manage-users';
import { type Scene } from '../scene';
import { openBrowser } from './browser';

export const PASSWORD = 'correct horse battery staple';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** A password hash of the lowest possible cost, because hundreds of tests log in. */
let cheap: Promise<string> | undefined;

/**
 * Adds a user like `user add`.
 * @param customerIds the customers in which the user has the role; without them: in all
 */
export async function addPanelUser(
  scene: Scene,
  name: string,
  role: Role | null = 'owner',
  ...customerIds: number[]
): Promise<void> {
  cheap ??= hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  const passwordHash = await cheap;
  await scene.change(async ({ store }) => {
    const inAll = customerIds.length ? null : role;
    const user = await insertUser({ store, clock: Date.now }, name, inAll, passwordHash);
    for (const id of customerIds) await store.users.setMembership(user?.id ?? 0, id, role as MemberRole);
  });
}

/** Shared by all windows of a test file, because starting it takes a second. */
let browser: Promise<Browser> | undefined;
const open = new Set<Visitor>();

afterAll(async () => {
  await (await browser)?.close();
});

/** After each test, closes its windows and checks that the browser reported nothing. */
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
  /** Messages of the browser's console and requests to other hosts; must stay empty. */
  complaints: string[];
  goto(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface VisitorOptions {
  /** The name of the logged-in user. */
  name?: string;
  width?: number;
  dark?: boolean;
  script?: boolean;
  /** Whether to use touch instead of a mouse. */
  touch?: boolean;
  timezone?: string;
  /** The browser's language, which the panel uses if it is available. */
  locale?: string;
}

/** Opens a window without a logged-in user. */
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
  // Most waits end immediately; a busy machine needs this long.
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The browser itself reports every answer that is not a success.
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
 * Makes actions wait until the next page has loaded completely. Playwright ends a click when the page starts
 * to load, and methods that count or read all elements would see half a page.
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

/** Opens a window with a logged-in user. Posts the log-in form without rendering its page. */
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

/** Returns the token of a page's first form. */
export const formTokenIn = (html: string): string =>
  /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? '';

/** Returns the height of the area where a click in the element's middle column hits it. */
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

/** Returns axe's findings in short form. */
export async function axeFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate('window.axe !== undefined'))) await page.evaluate(AXE);
  const violations = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`,
  )) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
