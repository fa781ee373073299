import { PROCESS_ROLES, type ProcessRole } from '../../gateway/process-roles';
import { DATABASES } from '../support/databases';
import { createDatabase, freePort } from '../support/postgres';
import { settings, startTestGateway, type TestGateway } from '../support/test-gateway';

/** Paths of each role, and what a process with the role answers to a stranger. */
const PATHS: Record<ProcessRole, [path: string, status: number][]> = {
  api: [
    ['/v22.0/1', 401],
    ['/api/v22.0/1/messages', 405],
    ['/1', 401],
    ['/v1/lines', 401],
    ['/openapi.json', 200],
    ['/v1/docs', 200],
  ],
  inbound: [['/webhooks/platform', 403]],
  deliver: [],
  panel: [
    ['/panel/log-in', 200],
    ['/panel/nothing', 404],
    ['/', 302],
  ],
};
const EVERYWHERE: [path: string, status: number][] = [
  ['/healthz', 200],
  ['/readyz', 200],
  ['/metrics', 200],
  ['/nothing', 404],
];

describe('a process with one role', () => {
  const gateways: TestGateway[] = [];
  const urls = new Map<ProcessRole, string>();
  beforeAll(async () => {
    const env = settings(await createDatabase(), { GATEWAY_PUBLIC_URL: 'https://gateway.example.com' });
    for (const role of PROCESS_ROLES) {
      const port = await freePort();
      gateways.push(await startTestGateway({ ...env, GATEWAY_ROLES: role, GATEWAY_PORT: String(port) }));
      urls.set(role, `http://127.0.0.1:${port}`);
    }
  });
  afterAll(() => Promise.all(gateways.map((one) => one.stop())));

  const ask = async (role: ProcessRole, path: string) => {
    const answer = await fetch(`${urls.get(role)}${path}`, { redirect: 'manual' });
    return { status: answer.status, text: await answer.text() };
  };

  test.each(PROCESS_ROLES)(
    '%s serves its own paths, and says which setting the others need',
    async (role) => {
      for (const [path, status] of [...EVERYWHERE, ...PATHS[role]]) {
        const answer = await ask(role, path);
        expect([path, answer.status]).toEqual([path, status]);
        expect(answer.text).not.toMatch('GATEWAY_ROLES');
      }
      for (const other of PROCESS_ROLES.filter((one) => one !== role))
        for (const [path] of PATHS[other]) {
          const { status, text } = await ask(role, path);
          // n8n nodes take 404 for "deleted": they would forget a destination that stays.
          expect([path, status]).toEqual([path, 421]);
          const { error_code: code, error } = JSON.parse(text) as {
            error_code: string;
            error: { type: string; code: number; error_data: { details: string; action: string } };
          };
          expect([code, error.type, error.code]).toEqual(['role_missing', 'OAuthException', 2500]);
          expect(error.error_data.details).toMatch(`because its GATEWAY_ROLES does not include ${other}.`);
          expect(error.error_data.action).toMatch(`add ${other} to its GATEWAY_ROLES`);
        }
    },
  );

  test('makes the link for the first user only with the panel', () => {
    expect(gateways.map(({ roles, setUpUrl }) => [roles, setUpUrl !== null])).toEqual([
      ['api', false],
      ['inbound', false],
      ['deliver', false],
      ['panel', true],
    ]);
  });
});

describe('roles are refused', () => {
  const refused = async (env: Record<string, string>) => {
    const starting = startTestGateway({ ...env, GATEWAY_ROLES: 'api, deliver' });
    return starting.then(
      (gateway) => gateway.stop().then(() => 'started'),
      (error: Error) => error.message,
    );
  };
  const POSTGRES = 'postgres://nobody@localhost/nothing';

  test('on SQLite, with the sandbox, and without the address of the proxy in front', async () => {
    const [sqlite] = DATABASES;
    expect(await refused(settings((await sqlite?.createUrl()) ?? ''))).toMatch(
      /^GATEWAY_ROLES is api,deliver, .* but a SQLite database can have only one\. Remove GATEWAY_ROLES, or set/,
    );
    expect(await refused(settings(POSTGRES, { GATEWAY_UPSTREAM_URL: 'sandbox' }))).toMatch(
      /the sandbox of GATEWAY_UPSTREAM_URL runs inside one process\. Remove GATEWAY_ROLES, or set/,
    );
    expect(await refused(settings(POSTGRES))).toMatch(
      /Set GATEWAY_PUBLIC_URL to the address of the proxy in front/,
    );
  });

  test('but not if they are all, in any order', async () => {
    const [sqlite] = DATABASES;
    const env = settings((await sqlite?.createUrl()) ?? '', { GATEWAY_ROLES: 'panel deliver, api,inbound' });
    const gateway = await startTestGateway(env);
    expect(gateway.roles).toBe('api,inbound,deliver,panel');
    await gateway.stop();
  });
});
