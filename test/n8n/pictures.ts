import { join } from 'node:path';
import { type Locator, type Page } from 'playwright-core';
import { openBrowser } from '../support/panel/browser';
import { signIn } from './editor-page';
import { exampleWorkflow } from './example-workflows';
import { panelStates } from './panel-states';
import { openScene } from './scene';

/** Around the nodes of a workflow: what leads into them, what leads on from them, and their names, in pixels. */
const AROUND = { left: 50, right: 130, top: 25, bottom: 75 };

/** The head and the padding of a dialog, around what it shows, in pixels. */
const OF_A_DIALOG = { head: 112, padding: 24 };

/** Takes the nodes' pictures in the real editor. @param folder where they are put @returns their files */
export async function takeNodePictures(folder: string): Promise<string[]> {
  const scene = await openScene('pictures');
  const browser = await openBrowser();
  const file = (name: string) => join(folder, `${name}.png`);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1200 } });
    await signIn(page, scene);
    const open = (path: string) => page.goto(scene.n8n.url + path, { waitUntil: 'domcontentloaded' });

    await open(`/home/credentials/${scene.credential.id}`);
    await page.getByText('Connection tested successfully').waitFor();
    const { head, padding } = OF_A_DIALOG;
    const dialog = await boxOf(page, page.locator('[data-test-id="credential-edit-dialog"]'));
    await page.screenshot({
      path: file('credential'),
      clip: { x: dialog.x - padding, y: dialog.y - head, width: dialog.width + 2 * padding, height: 700 },
    });

    const trigger = panelStates(scene).find(({ name }) => name === 'trigger with filters');
    if (!trigger) throw new Error('There is no trigger with filters among the states of panels');
    const draft = { name: 'Trigger', nodes: [trigger], connections: {} };
    const { id } = await scene.editor.createWorkflow(draft);
    await open(`/workflow/${id}/${trigger.id}`);
    const fields = page.locator('[data-test-id="node-parameters"], .parameter-input-list-wrapper');
    // As far as the hours of the filters.
    await page.screenshot({
      path: file('trigger'),
      clip: { ...(await boxOf(page, fields.first())), height: 1030 },
    });

    const answering = exampleWorkflow('answer-contacts', scene.credential);
    answering.nodes = answering.nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
    const { id: example } = await scene.editor.createWorkflow(answering);
    await open(`/workflow/${example}`);
    const nodes = page.locator('[data-test-id="canvas-node"]');
    await nodes.first().waitFor();
    await settled(page);
    await page.screenshot({ path: file('workflow'), clip: await around(nodes) });
    return [file('credential'), file('trigger'), file('workflow')];
  } finally {
    await browser.close();
    await scene.close();
  }
}

/** Where it is, once it is there and at rest. */
async function boxOf(page: Page, shown: Locator) {
  await shown.waitFor();
  await settled(page);
  const box = await shown.boundingBox();
  if (!box) throw new Error(`Nothing is to be seen of ${String(shown)}`);
  return box;
}

/** What the editor asks the gateway for comes, and what moves comes to rest. */
const settled = (page: Page): Promise<void> => page.waitForTimeout(2000);

async function around(nodes: Locator) {
  const boxes = await Promise.all((await nodes.all()).map((node) => node.boundingBox()));
  const seen = boxes.filter((box) => box !== null);
  const x = Math.min(...seen.map((box) => box.x)) - AROUND.left;
  const y = Math.min(...seen.map((box) => box.y)) - AROUND.top;
  return {
    x,
    y,
    width: Math.max(...seen.map((box) => box.x + box.width)) + AROUND.right - x,
    height: Math.max(...seen.map((box) => box.y + box.height)) + AROUND.bottom - y,
  };
}
