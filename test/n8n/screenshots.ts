/**
 * Takes pictures of every state of the nodes' panels in the real editor, to be looked at by a person:
 *
 *     npx tsx test/n8n/screenshots.ts FOLDER [NAME…]
 *
 * With names, only of those states of `panel-states.ts` (`credential` and `canvas` are two more). Each is taken in a
 * wide window and in a narrow one. It starts a gateway and an n8n of its own. Not part of any test.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openBrowser } from '../support/panel/browser';
import { signIn } from './editor-page';
import { panelStates } from './panel-states';
import { openScene, type Scene } from './scene';

/** Tall enough that a whole panel shows without scrolling. */
const WINDOWS = [
  { width: 1280, height: 1200 },
  { width: 900, height: 1200 },
];

/** Lists that the panel asks the gateway for. */
const SETTLES_MS = 2000;

async function main(folder: string, names: string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const scene = await openScene('screenshots');
  const browser = await openBrowser();
  try {
    const pages = await pagesOf(scene, names);
    for (const viewport of WINDOWS) {
      const page = await browser.newPage({ viewport });
      await signIn(page, scene);
      for (const { name, path, shows } of pages) {
        await page.goto(scene.n8n.url + path, { waitUntil: 'domcontentloaded' });
        await page.waitForSelector(shows);
        await page.waitForTimeout(SETTLES_MS);
        const file = join(folder, `${viewport.width} ${name}.png`);
        await page.screenshot({ path: file });
        process.stdout.write(`${file}\n`);
      }
      await page.close();
    }
  } finally {
    await browser.close();
    await scene.close();
  }
}

async function pagesOf(scene: Scene, names: string[]) {
  const nodes = panelStates(scene).map((node, index) => ({
    ...node,
    position: [(index % 6) * 220, Math.floor(index / 6) * 180] as [number, number],
  }));
  const { id } = await scene.editor.createWorkflow({ name: 'Panels', nodes, connections: {} });
  const all = [
    { name: 'canvas', path: `/workflow/${id}`, shows: '[data-test-id="canvas-node"]' },
    {
      name: 'credential',
      path: `/home/credentials/${scene.credential.id}`,
      shows: '[data-test-id="credential-edit-dialog"]',
    },
    ...nodes.map((node) => ({
      name: node.name,
      path: `/workflow/${id}/${node.id}`,
      shows: '[data-test-id="ndv"], [data-test-id="node-parameters"]',
    })),
  ];
  const unknown = names.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`There is no state called ${unknown.join(', ')}.`);
  return names.length > 0 ? all.filter(({ name }) => names.includes(name)) : all;
}

main(resolve(process.argv[2] ?? 'data/screenshots'), process.argv.slice(3)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
