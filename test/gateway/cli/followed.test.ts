import { DATABASES } from '../../support/databases';
import { runCommand } from '../../support/gateway-process';
import { call } from '../../support/scene';
import { rows } from '../../support/rows';
import {
  addTestLine,
  notification,
  notify,
  PHONE_NUMBER_ID,
  settings,
  startTestGateway,
  textFrom,
  type TestGateway,
} from '../../support/test-gateway';
import { json } from './support';

/** Each command is a process of its own. */
jest.setTimeout(60_000);

describe.each(DATABASES)('a command beside running gateways ($name)', ({ name, createUrl }) => {
  let env: Record<string, string>;
  let token: string;
  /** A SQLite file serves one. */
  const gateways: TestGateway[] = [];
  let messages = 0;

  beforeAll(async () => {
    env = settings(await createUrl());
    for (let more = name === 'SQLite' ? 1 : 2; more > 0; more--) gateways.push(await startTestGateway(env));
    token = (await addTestLine(env)).token;
    await Promise.all(gateways.map((gateway) => gateway.refresh()));
  });
  afterAll(() => Promise.all(gateways.map((gateway) => gateway.stop())));

  const run = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await runCommand(words, env);
    expect([code, stderr]).toEqual([0, '']);
  };
  /** A contact writes, at each gateway. */
  const write = async (): Promise<void> => {
    for (const gateway of gateways) {
      const written = notification(textFrom('16505551234', 'Hello', `wamid.${++messages}`));
      expect(await notify(gateway, written)).toBe(200);
    }
  };
  const owed = async (destination: number): Promise<number> => {
    const found = await rows(
      env.GATEWAY_DATABASE_URL ?? '',
      `select event_id from deliveries where destination_id = ${destination}`,
    );
    return found.length;
  };
  const statuses = (of = token) =>
    Promise.all(
      gateways.map(async ({ url }) => {
        const headers = { authorization: `Bearer ${of}` };
        return (await call(`${url}/v22.0/${PHONE_NUMBER_ID}/status`, { headers })).status;
      }),
    );
  const everywhere = (status: number) => gateways.map(() => status);

  test('has added a destination when it ends: what comes from then on is owed to it', async () => {
    const destinations: number[] = [];
    for (let tries = 0; tries < 2; tries++) {
      const { id } = await json<{ id: number }>(
        ['destination', 'add', PHONE_NUMBER_ID, '--url', 'http://127.0.0.1:9/'],
        env,
      );
      await write();
      destinations.push(await owed(id));
    }
    expect(destinations).toEqual([gateways.length, gateways.length]);
  });

  test('has edited, or removed, a destination when it ends', async () => {
    const { id } = await json<{ id: number }>(
      ['destination', 'add', PHONE_NUMBER_ID, '--url', 'http://127.0.0.1:9/'],
      env,
    );
    await run('destination', 'edit', String(id), '--events', 'failed');
    await write();
    expect(await owed(id)).toBe(0);
    await run('destination', 'edit', String(id), '--events', 'messages');
    await write();
    expect(await owed(id)).toBe(gateways.length);
    await run('destination', 'remove', String(id));
    await write();
    expect(await owed(id)).toBe(gateways.length);
  });

  test('has made a token when it ends, and revoked one', async () => {
    const made = await json<{ token: string }>(['token', 'create', PHONE_NUMBER_ID], env);
    expect(await statuses(made.token)).toEqual(everywhere(200));
    const { tokens } = await json<{ tokens: { id: number; last_four: string }[] }>(
      ['token', 'list', PHONE_NUMBER_ID],
      env,
    );
    const added = tokens.find((one) => made.token.endsWith(one.last_four));
    await run('token', 'revoke', String(added?.id));
    expect(await statuses(made.token)).toEqual(everywhere(401));
  });

  test('has edited a line when it ends', async () => {
    for (const [isOn, status] of [
      ['false', 403],
      ['true', 200],
    ] as const) {
      await run('line', 'edit', PHONE_NUMBER_ID, '--api-enabled', isOn);
      expect(await statuses()).toEqual(everywhere(status));
    }
  });
});
