import { DATABASES } from '../../support/databases';
import { startPeer } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { call, startScene, type Scene } from '../../support/scene';

const PROXY = '127.0.0.1';

describe.each(DATABASES)('whom a request comes from ($name)', ({ createUrl }) => {
  let scene: Scene | undefined;
  afterEach(() => scene?.stop());

  /** @returns the statuses of as many requests without a token as one address may make, and of one more */
  async function ask(trusted: string, forwardedFor: (number: number) => string): Promise<number[]> {
    const opened = await startScene(await createUrl(), {
      GATEWAY_TRUSTED_PROXIES: trusted,
      GATEWAY_AUTH_FAILURE_RATE: '3',
    });
    scene = opened;
    const line = await opened.line();
    const statuses: number[] = [];
    for (let number = 1; number <= 4; number++) {
      const answer = await call(`${opened.gateway.url}/v22.0/${line.phoneNumberId}/status`, {
        headers: { 'x-forwarded-for': forwardedFor(number) },
      });
      statuses.push(answer.status);
    }
    return statuses;
  }

  test('a proxy that is trusted says', async () => {
    expect(await ask(PROXY, (number) => `203.0.113.${number}`)).toEqual([401, 401, 401, 401]);
  });

  test('a proxy is strange only if it is not trusted', async () => {
    // As whoever tries it on the machine itself.
    await ask(PROXY, () => PROXY);
    expect(scene?.gateway.logged()).not.toContain('a proxy that is not trusted');
    await scene?.stop();
    await ask('', () => PROXY);
    expect(scene?.gateway.logged()).toContain('a proxy that is not trusted');
  });

  test('the one next to the proxies, whatever else he says himself', async () => {
    expect(await ask(PROXY, (number) => `198.51.100.${number}, 203.0.113.7`)).toEqual([401, 401, 401, 429]);
  });

  test('several proxies in a row say', async () => {
    const statuses = await ask(`${PROXY}, 10.0.0.0/8`, (number) => `203.0.113.${number}, 10.1.2.3`);
    expect(statuses).toEqual([401, 401, 401, 401]);
  });

  test.each([
    ['nobody that is not trusted says', '10.0.0.0/8', (number: number) => `203.0.113.${number}`],
    ['nobody says where none is trusted', '', (number: number) => `203.0.113.${number}`],
    ['what is no address says nothing', PROXY, (number: number) => `someone-${number}`],
  ])('%s', async (_what, trusted, forwardedFor) => {
    expect(await ask(trusted, forwardedFor)).toEqual([401, 401, 401, 429]);
  });

  test('is in the audit', async () => {
    const receiver = await startPeer(() => ({ status: 200 }));
    scene = await startScene(await createUrl(), { GATEWAY_TRUSTED_PROXIES: PROXY });
    const { phoneNumberId, token } = await scene.line();
    const added = await call(`${scene.gateway.url}/v22.0/${phoneNumberId}/destinations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.7',
      },
      body: JSON.stringify({ url: receiver.url }),
    });
    await receiver.close();
    expect(added.status).toBe(201);
    const audited = await rows(scene.databaseUrl, 'select through, address from audit order by number');
    expect(audited.at(-1)).toEqual({ through: 'api', address: '203.0.113.7' });
  });
});
