import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { send } from '../../nodes/MessagingGateway/actions/message/send.operation';
import { filesIn, npm, pack, ROOT, type Packed } from './support/packed';

let packed: Packed;
beforeAll(() => {
  packed = pack();
});
afterAll(() => packed.remove());

const readJson = (...path: string[]) =>
  JSON.parse(readFileSync(join(...path), 'utf8')) as Record<string, unknown>;

test('holds exactly what the sources make, the licence and the readme', () => {
  const made = ['nodes', 'credentials'].flatMap((folder) =>
    filesIn(join(ROOT, folder)).flatMap((file) => {
      const target = `dist/${folder}/${file}`;
      return file.endsWith('.ts')
        ? [target.replace(/\.ts$/, '.js'), target.replace(/\.ts$/, '.d.ts')]
        : [target];
    }),
  );
  const presets = send.presets!.operations.map(
    ({ value }) => `dist/nodes/MessagingGateway/__schema__/v1.0.0/message/${value}.json`,
  );
  expect(packed.files).toEqual([...made, ...presets, 'LICENSE', 'README.md', 'package.json'].sort());
});

test.each(['.', 'gateway'])('is not packed by npm pack alone, which builds nothing: %s', (folder) => {
  expect(() => npm(['pack'], join(ROOT, folder))).toThrow('use-npm-run-pack');
});

test('is not published by npm publish alone, which builds nothing either', () => {
  const registry = ['--registry', 'http://127.0.0.1:9', '--//127.0.0.1:9/:_authToken=none'];
  expect(() => npm(['publish', '--fetch-retries', '0', ...registry], ROOT)).toThrow('provenance');
});

test('holds no other kind of file', () => {
  const kinds = packed.files.map((file) =>
    file
      .replace(/^dist\/(nodes|credentials)\/(.*\/)?[^/]+?(\.d\.ts|\.js|\.svg)$/, 'dist/$1 *$3')
      .replace(/^dist\/nodes\/\w+\/\w+\.node\.json$/, 'dist/nodes *.node.json')
      .replace(/^dist\/nodes\/\w+\/__schema__\/.*\.json$/, 'dist/nodes __schema__/*.json'),
  );
  expect([...new Set(kinds)].sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist/credentials *.d.ts',
    'dist/credentials *.js',
    'dist/nodes *.d.ts',
    'dist/nodes *.js',
    'dist/nodes *.node.json',
    'dist/nodes *.svg',
    'dist/nodes __schema__/*.json',
    'package.json',
  ]);
});

test('names only files that it holds, and needs nothing at run time but n8n-workflow', () => {
  const manifest = readJson(packed.directory, 'package.json') as {
    n8n: { nodes: string[]; credentials: string[] };
    dependencies?: object;
    peerDependencies: object;
    license: string;
  };
  for (const file of [...manifest.n8n.nodes, ...manifest.n8n.credentials]) {
    expect(packed.files).toContain(file);
  }
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
  expect(manifest.license).toBe('MIT');
});

test('imports nothing but itself, n8n-workflow and node:crypto', () => {
  const imported = packed.files
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => {
      const code = readFileSync(join(packed.directory, file), 'utf8');
      return [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, module]) => module);
    });
  expect([...new Set(imported)].filter((module) => !module.startsWith('.')).sort()).toEqual([
    'n8n-workflow',
    'node:crypto',
  ]);
});

test('has an output schema for every operation, where n8n looks for it', () => {
  const folder = join(packed.directory, 'dist/nodes/MessagingGateway/__schema__');
  const operations = [
    'contact/getOptedOut',
    'contact/getWindow',
    'contact/optIn',
    'contact/optOut',
    'contact/pauseAutomation',
    'contact/resumeAutomation',
    'line/getStatus',
    'media/delete',
    'media/download',
    'media/upload',
    'message/get',
    'message/getAll',
    'message/markAsRead',
    'message/send',
    'message/sendAndWait',
    ...send.presets!.operations.map(({ value }) => `message/${value}`),
    'template/get',
    'template/getAll',
  ];
  for (const name of [
    'v1.0.0',
    'v1.1.0',
    'v1.2.0',
    ...operations.map((operation) => `v1.0.0/${operation}`),
  ]) {
    const path = join(folder, `${name}.json`);
    expect([name, existsSync(path)]).toEqual([name, true]);
    expect(readJson(path)).toMatchObject({ type: 'object', version: 1, properties: expect.any(Object) });
  }
});
