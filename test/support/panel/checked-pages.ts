import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser } from 'playwright-core';
import { type Scene } from '../scene';
import { openBrowser } from './browser';
import { axeFaults, loggedIn, type Visitor } from './visitor';

const LOOKS = [1280, 360].flatMap((width) => [false, true].map((dark) => ({ width, dark })));

/** A folder for pictures of the pages: where it is set, somebody wants to look at them. */
const PICTURES = process.env.PANEL_PICTURES;

/**
 * What every page has to stand, as tests: it is shown at 360 and 1280 pixels, light and dark, axe finds nothing, the
 * browser complains of nothing, nothing comes from another host, and nothing is wider than the screen.
 * @param scene with a user `ana` whose password is that of `visitor.ts`
 * @param paths of pages, or functions that tell one once the scene is there
 */
export function checkedPages(scene: () => Scene, paths: (string | (() => string))[]): void {
  let browser: Browser;
  let visitors: Visitor[];

  beforeAll(async () => {
    browser = await openBrowser();
    visitors = await Promise.all(LOOKS.map((look) => loggedIn(browser, scene(), look)));
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
  });

  test.each(paths)(
    'it is shown light and dark, on a phone and on a desk, as it should be: %s',
    async (given) => {
      const path = typeof given === 'string' ? given : given();
      for (const [index, one] of visitors.entries()) {
        const { width, dark } = LOOKS[index] ?? { width: 0, dark: false };
        const seen = `${path} ${width} ${dark ? 'dark' : 'light'}`;
        one.complaints.length = 0;
        await one.goto(path);
        if (PICTURES) await picture(one, `${path.replace(/\W+/g, '-')}-${width}-${dark ? 'dark' : 'light'}`);
        expect([seen, await axeFaults(one.page)]).toEqual([seen, []]);
        expect([seen, await one.page.evaluate('document.documentElement.scrollWidth')]).toEqual([
          seen,
          width,
        ]);
        expect([seen, await one.page.locator('h1').count()]).toEqual([seen, 1]);
        expect([seen, one.complaints]).toEqual([seen, []]);
      }
    },
    60_000,
  );
}

async function picture({ page }: Visitor, name: string): Promise<void> {
  mkdirSync(PICTURES ?? '', { recursive: true });
  await page.screenshot({
    path: join(PICTURES ?? '', `panel${name}.png`.replace('panel-panel', 'panel')),
    fullPage: true,
  });
}
