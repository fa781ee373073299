/**
 * Takes pictures of the nodes' panels in the real editor, to be looked at by a person:
 *
 *     npm run n8n                                        (in one terminal)
 *     npx tsx test/n8n/screenshots.ts [folder]           (in another; the folder is data/screenshots by default)
 *
 * Every workflow of that n8n is opened: one picture of its canvas and one of the panel of each of our nodes in it, and
 * one of the form of each of our credentials. All of them twice: in a wide window and in a narrow one.
 * Needs Chromium (Debian: apt-get install chromium); `CHROMIUM` names another program. Not part of any test.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { openEditor, type EditorClient, type Owner } from './editor-client';
import { CREDENTIAL_TYPE } from './example-workflows';
import { N8N_URL, readOwner, userFolderOf } from './n8n-home';
import { NEWEST_N8N } from './n8n-versions';

const OURS = 'n8n-nodes-messaging-gateway.';

/** Tall enough that a whole panel shows without scrolling. */
const WINDOWS = [
  { width: 1440, height: 1200 },
  { width: 900, height: 1200 },
];

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
    for (const viewport of WINDOWS) {
      const page = await browser.newPage({ viewport });
      await signIn(page, owner);
      await pictures(page, editor, (name) => join(folder, `${viewport.width} ${name}.png`));
    }
  } finally {
    await browser.close();
  }
}

/** @param fileOf the file for the picture of that name */
async function pictures(page: Page, editor: EditorClient, fileOf: (name: string) => string): Promise<void> {
  for (const { id, name, type } of await editor.credentials()) {
    if (type !== CREDENTIAL_TYPE) continue;
    await openInEditor(page, `/home/credentials/${id}`);
    await picture(page, fileOf(`credential – ${plain(name)}`));
  }
  for (const { id } of await editor.workflows()) {
    const workflow = await editor.workflow(id);
    const called = plain(workflow.name);
    await openInEditor(page, `/workflow/${id}`);
    await picture(page, fileOf(`${called} – canvas`));
    for (const node of workflow.nodes.filter(({ type }) => type.startsWith(OURS))) {
      await openInEditor(page, `/workflow/${id}/${node.id}`);
      await page.waitForSelector('[data-test-id="ndv"], [data-test-id="node-parameters"]', {
        timeout: 20_000,
      });
      await picture(page, fileOf(`${called} – ${plain(node.name)}`));
    }
  }
}

/** Without what a file's name cannot hold. */
const plain = (name: string): string => name.replace(/[^\w–-]+/g, ' ').trim();

/** The session's cookie is tied to the browser, so signing in happens in it. */
async function signIn(page: Page, owner: Owner): Promise<void> {
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

async function picture(page: Page, file: string): Promise<void> {
  await page.waitForTimeout(1500); // lists that the panel asks the gateway for
  await page.screenshot({ path: file });
  process.stdout.write(`${file}\n`);
}

main(resolve(process.argv[2] ?? 'data/screenshots')).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
