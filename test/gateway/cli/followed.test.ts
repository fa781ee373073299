import { MINUTE } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { runCommand } from '../../support/gateway-process';
import { until } from '../../support/http-peer';
import { call, type Json } from '../../support/scene';
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
import { json, peer } from './support';

describe.each(DATABASES)('a command beside running gateways ($name)', ({ name, createUrl }) => {
  let env: Record<string, string>;
  let token: string;
  /** A SQLite file serves one. */
  const gateways: TestGateway[] = [];
  let messages = 0;
  /** By how much their clocks are ahead. */
  let ahead = 0;

  beforeAll(async () => {
    env = settings(await createUrl());
    for (let more = name === 'SQLite' ? 1 : 2; more > 0; more--)
      gateways.push(await startTestGateway(env, () => Date.now() + ahead));
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

  test('has had a destination wait for pauses: each message is then in one event, whoever took it', async () => {
    const receiver = await peer(() => ({ status: 200 }));
    const words = ['destination', 'add', PHONE_NUMBER_ID, '--url', receiver.url, '--events', 'messages'];
    const { id } = await json<{ id: number }>([...words, '--quiet-seconds', '60'], env);
    const contacts = Array.from({ length: 20 }, (_, index) => String(16505570000 + index));
    const turns = Array.from({ length: 6 }, (_, turn) => gateways[turn % gateways.length]);
    for (const [turn, gateway] of turns.entries())
      await Promise.all(
        contacts.map(async (contact) => {
          const said = textFrom(contact, String(turn), `wamid.${contact}.${turn}`);
          expect(await notify(gateway, notification(said))).toBe(200);
        }),
      );
    ahead = MINUTE;
    await until(() => receiver.received.length >= contacts.length);
    // Long enough for the other process to send a second time what it has grouped as well.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    ahead = 0;
    const came = receiver.received.map(({ body }) => {
      const { messages } = (JSON.parse(body) as Json).entry[0].changes[0].value;
      return messages.map((one: Json) => [one.from, one.text.body]);
    });
    const inOrder = came.sort(([[one]], [[other]]) => Number(one) - Number(other));
    expect(inOrder).toEqual(contacts.map((contact) => turns.map((_, turn) => [contact, String(turn)])));

    await run('destination', 'edit', String(id), '--quiet-seconds', '0');
    expect((await runCommand(['destination', 'list', PHONE_NUMBER_ID, '--json'], env)).stdout).toContain(
      `"quiet_seconds":null`,
    );
    await run('destination', 'remove', String(id));
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
