import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Scene } from '../scene';
import { axeFaults, loggedIn, type Visitor } from './visitor';

/** Axe runs once per width and once per colour scheme. */
const LOOKS = [
  { width: 1280, dark: false, axe: true },
  { width: 1280, dark: true, axe: false },
  { width: 360, dark: false, axe: false },
  { width: 360, dark: true, axe: true },
];

/** Counts tables that are wider than their frame or card and would be cut off. */
export const TABLES_CUT_OFF = `[...document.querySelectorAll('.table-frame')].filter((one) => one.scrollWidth > Math.min(one.clientWidth, one.closest('.card')?.clientWidth ?? Infinity)).length`;

/** Finds fields that make a phone zoom when they get the focus. */
const SMALL_FIELDS = `[...document.querySelectorAll('input:not([type=checkbox], [type=radio], [type=file], [type=hidden]), select, textarea')].filter((one) => innerWidth < 400 && parseFloat(getComputedStyle(one).fontSize) < 16).map((one) => one.outerHTML)`;

/** Set this folder to save screenshots of the pages. */
const PICTURES = process.env.PANEL_PICTURES;

/**
 * Adds a test for requirements on every page at 360 and 1280 pixels, light and dark: axe finds nothing, the
 * browser reports nothing, nothing is loaded from other hosts, and nothing is wider than the screen.
 * @param scene has a user `ana` with the password of `visitor.ts`
 * @param paths of pages, or functions that return one once the scene exists
 */
export function checkedPages(scene: () => Scene, paths: (string | (() => string))[]): void {
  test('are shown light and dark, on a phone and on a desk, as they should be', async () => {
    const ana = await loggedIn(scene());
    for (const path of paths) await checkPage(ana, typeof path === 'string' ? path : path());
    await ana.close();
  });
}

async function checkPage(ana: Visitor, path: string): Promise<void> {
  const { page } = ana;
  await ana.goto(path);
  for (const { width, dark, axe } of LOOKS) {
    const scheme = dark ? 'dark' : 'light';
    const seen = `${path} ${width} ${scheme}`;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    if (PICTURES) await picture(ana, `${path.replace(/\W+/g, '-')}-${width}-${scheme}`);
    if (axe) expect([seen, await axeFaults(page)]).toEqual([seen, []]);
    expect([seen, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([seen, width]);
    expect([seen, await page.evaluate(TABLES_CUT_OFF)]).toEqual([seen, 0]);
    expect([seen, await page.evaluate(SMALL_FIELDS)]).toEqual([seen, []]);
  }
  expect([path, await page.locator('h1').count()]).toEqual([path, 1]);
  expect([path, ana.complaints]).toEqual([path, []]);
}

async function picture({ page }: Visitor, name: string): Promise<void> {
  mkdirSync(PICTURES ?? '', { recursive: true });
  await page.screenshot({
    path: join(PICTURES ?? '', `panel${name}.png`.replace('panel-panel', 'panel')),
    fullPage: true,
  });
}
