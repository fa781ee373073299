/**
 * Takes pictures of the nodes' panels in the real editor, to be looked at by a person:
 *
 *     npm run n8n                                        (in one terminal)
 *     npx tsx test/n8n/screenshots.ts [folder]           (in another; the folder is data/screenshots by default)
 *
 * Every workflow of that n8n is opened: one picture of its canvas and one of the panel of each of our nodes in it.
 * Needs Chromium (Debian: apt-get install chromium); `CHROMIUM` names another program. Not part of any test.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { openEditor } from './editor-client';
import { N8N_URL, readOwner, userFolderOf } from './n8n-home';
import { NEWEST_N8N } from './n8n-versions';

const OURS = 'n8n-nodes-messaging-gateway.';

/** Tall enough that a whole panel shows without scrolling. */
const VIEWPORT = { width: 1440, height: 1200 };

async function main(folder: string): Promise<void> {
  const owner = readOwner(userFolderOf(process.env.N8N_VERSION || NEWEST_N8N));
  if (!owner) throw new Error('There is no n8n to take pictures of. Start it first: npm run n8n');
  const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `${executablePath} is missing. Install Chromium (apt-get install chromium) or set CHROMIUM.`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const editor = await openEditor(N8N_URL, owner);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: VIEWPORT });
    await signIn(page, owner);
    for (const { id } of await editor.workflows()) {
      const workflow = await editor.workflow(id);
      await openInEditor(page, `/workflow/${id}`);
      await picture(page, folder, `${workflow.name} – canvas`);
      for (const node of workflow.nodes.filter(({ type }) => type.startsWith(OURS))) {
        await openInEditor(page, `/workflow/${id}/${node.id}`);
        await page.waitForSelector('[data-test-id="ndv"], [data-test-id="node-parameters"]', {
          timeout: 20_000,
        });
        await picture(page, folder, `${workflow.name} – ${node.name}`);
      }
    }
  } finally {
    await browser.close();
  }
}

/** The session's cookie is tied to the browser, so signing in happens in it. */
async function signIn(page: Page, owner: { email: string; password: string }): Promise<void> {
  await page.goto(`${N8N_URL}/signin`);
  await page.fill('input[type="email"], input[name="emailOrLdapLoginId"]', owner.email);
  await page.fill('input[type="password"]', owner.password);
  await page.click('[data-test-id="form-submit-button"], button[type="submit"]');
  await page.waitForURL((url) => !url.pathname.startsWith('/signin'));
}

async function openInEditor(page: Page, path: string): Promise<void> {
  await page.goto(N8N_URL + path);
  await page.waitForLoadState('networkidle');
}

async function picture(page: Page, folder: string, name: string): Promise<void> {
  await page.waitForTimeout(1500); // lists that the panel asks the gateway for
  const file = join(folder, `${name.replace(/[^\w–-]+/g, ' ').trim()}.png`);
  await page.screenshot({ path: file });
  process.stdout.write(`${file}\n`);
}

main(resolve(process.argv[2] ?? 'data/screenshots')).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
