import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '../../../../gateway/openapi/document';
import { ADMIN_API } from '../../../../gateway/openapi/admin-api';
import { adminToken } from '../../../support/admin-api';
import { rows } from '../../../support/rows';
import { sceneOf, type Json } from '../../../support/scene';

const run = promisify(execFile);
const ROOT = join(__dirname, '../../../..');
const CUSTOMERS = 40;

/** Within the repository, where the script finds its packages. */
const CACHE = join(ROOT, 'node_modules/.cache');

describe('a client that is generated from the OpenAPI document', () => {
  const scene = sceneOf(undefined, { GATEWAY_TOKEN_RATE: 'off' });
  let folder: string;

  beforeAll(async () => {
    mkdirSync(CACHE, { recursive: true });
    folder = mkdtempSync(join(CACHE, 'management-api-'));
    const inFolder = (name: string, text: string) => writeFileSync(join(folder, name), text);
    inFolder('package.json', '{"type": "module"}');
    inFolder('openapi.json', JSON.stringify(openApiDocument(ADMIN_API, null)));
    const [, script = ''] =
      /```ts\n([^]*?)```/.exec(readFileSync(join(ROOT, 'docs/management-api.md'), 'utf8')) ?? [];
    inFolder('declare.ts', script);
    inFolder(
      'customers.json',
      JSON.stringify(
        Array.from({ length: CUSTOMERS }, (_, index) => ({
          external_id: `crm-${index}`,
          name: `Customer ${index}`,
        })),
      ),
    );
    inFolder(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
          ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: ['node'] },
          skipLibCheck: true,
        },
        include: ['*.ts'],
      }),
    );
    const bin = (name: string) => join(ROOT, 'node_modules/.bin', name);
    await run(bin('openapi-typescript'), ['openapi.json', '-o', 'gateway.d.ts'], { cwd: folder });
    await run(bin('tsc'), ['-p', folder], { cwd: folder }).catch(({ stdout }: { stdout: string }) => {
      throw new Error(`The client does not compile:\n${stdout}`);
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('sets up 40 customers with the script of the documents, which changes nothing when it runs again', async () => {
    const token = await adminToken(scene);
    const declare = async () => {
      const { stdout } = await run(process.execPath, ['declare.js'], {
        cwd: folder,
        env: { ...process.env, GATEWAY_URL: scene.gateway.url, GATEWAY_ADMIN_TOKEN: token },
      });
      return stdout.trim().split('\n');
    };
    const everything = async (): Promise<Json[]> =>
      Promise.all(
        ['customers', 'lines', 'destinations', 'audit'].map((table) =>
          rows(scene.databaseUrl, `select * from ${table} order by 1`),
        ),
      );
    const first = await declare();
    expect(first).toHaveLength(CUSTOMERS);
    const before = await everything();
    expect(before.slice(0, 1).map((found) => found.length)).toEqual([CUSTOMERS]);
    expect(await declare()).toEqual(first);
    expect(await everything()).toEqual(before);
  });
});
