import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '../../../../gateway/openapi/document';
import { ADMIN_API } from '../../../../gateway/openapi/admin-api';
import { adminToken } from '../../../support/admin-api';
import { startPeer, type HttpPeer } from '../../../support/http-peer';
import { rows } from '../../../support/rows';
import { phoneNumberNode, sceneOf, type Json } from '../../../support/scene';

const run = promisify(execFile);
const ROOT = join(__dirname, '../../../..');
const CUSTOMERS = 40;
const LINES = 2;
const phoneNumberId = (customer: number, line: number) =>
  `10654035224${String(customer * LINES + line).padStart(4, '0')}`;

/** Within the repository, where the script finds its packages. */
const CACHE = join(ROOT, 'node_modules/.cache');

describe('a client that is generated from the OpenAPI document', () => {
  const scene = sceneOf(undefined, { GATEWAY_TOKEN_RATE: 'off' });
  let folder: string;
  let receiver: HttpPeer;

  beforeAll(async () => {
    receiver = await startPeer();
    scene.upstream.answers.phoneNumbers = ({ url }) => ({
      body: {
        data: Array.from({ length: LINES }, (_, line) => ({
          id: phoneNumberId(Number(/1022901293(\d{5})/.exec(url)?.[1] ?? 0), line),
        })),
      },
    });
    scene.upstream.answers.phoneNumber = ({ url }) =>
      phoneNumberNode({
        id: /10654035224\d{4}/.exec(url)?.[0] ?? '',
        display_phone_number: '+1 555-078-3881',
      });
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
          lines: Array.from({ length: LINES }, (_nothing, number) => ({
            name: `Line ${index}.${number}`,
            phone_number_id: phoneNumberId(index, number),
            phone_number: '+1 555-078-3881',
            waba_id: `1022901293${String(index).padStart(5, '0')}`,
            access_token: 'upstream-access-token',
            app_secret: 'app-secret-of-this-line',
            webhook: `${receiver.url}/${index}/${number}`,
          })),
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
    // A package of its own, because the generator needs an older TypeScript.
    const bin = (name: string, of = '') => join(ROOT, of, 'node_modules/.bin', name);
    await run(bin('openapi-typescript', 'test/generated-client'), ['openapi.json', '-o', 'gateway.d.ts'], {
      cwd: folder,
    });
    await run(bin('tsc'), ['-p', folder], { cwd: folder }).catch(({ stdout }: { stdout: string }) => {
      throw new Error(`The client does not compile:\n${stdout}`);
    });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await receiver.close();
  });

  test('sets up 40 customers with two lines each by the script of the documents, which changes nothing when it runs again', async () => {
    const token = await adminToken(scene);
    const declare = async () => {
      const { stdout } = await run(process.execPath, ['declare.js'], {
        cwd: folder,
        env: { ...process.env, GATEWAY_URL: scene.gateway.url, GATEWAY_ADMIN_TOKEN: token },
      });
      return stdout.trim().split('\n');
    };
    const everything = async (): Promise<Json[][]> =>
      Promise.all(
        ['customers', 'lines', 'destinations', 'audit'].map((table) =>
          rows(scene.databaseUrl, `select * from ${table} order by 1`),
        ),
      );
    const secrets = await declare();
    expect(secrets).toHaveLength(CUSTOMERS * LINES);
    const before = await everything();
    expect(before.slice(0, 3).map(({ length }) => length)).toEqual([
      CUSTOMERS,
      CUSTOMERS * LINES,
      CUSTOMERS * LINES,
    ]);
    expect(await declare()).toEqual(['']);
    expect(await everything()).toEqual(before);
  });
});
