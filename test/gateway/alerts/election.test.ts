import { lookOnce, type LookDeps } from '../../../gateway/alerts/look';
import { outbox, type OutboxDeps } from '../../../gateway/alerts/outbox';
import { withSecret } from '../../../gateway/alerts/channels/webhook';
import { addChannel } from '../../../gateway/alerts/use-cases/add-channel';
import { addLine } from '../../support/add-line';
import { offline, type Offline } from '../../../gateway/cli/offline';
import { createHttpClient } from '../../../gateway/http/http-client';
import { lineRegistry } from '../../../gateway/lines/line-registry';
import { SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer } from '../../support/http-peer';
import { settings } from '../../support/test-gateway';
import { ACTOR, TERMS } from './support';

let now = Date.parse('2026-03-10T12:00:00.000Z');

/** One that looks and sends, and takes itself for the first: as two do for a moment when the first one ends. */
async function sentry(world: Offline) {
  const http = createHttpClient({ rules: world.rules, maxAnswerBytes: 1_000, brokenBody: 'ignored' });
  const lines = lineRegistry(world.store, world.vault, world.clock, { error: () => undefined });
  await lines.load();
  // What only other channels need is left out.
  const deps = {
    ...{ ...world, http, lines, clock: () => now, log: { warn: () => undefined } },
    watch: { seen: () => ({ conditions: [], unknown: new Set() }) },
    processId: () => 'the first',
    address: () => 'https://gateway.example.com',
    pathOf: () => '/panel/overview',
    alertsPath: '/panel/alerts',
  } as unknown as LookDeps & OutboxDeps;
  const box = outbox(deps);
  return {
    look: () => lookOnce(deps, () => undefined, false),
    send: box.sendDue,
    stop: () => http.close(),
  };
}

test.each(DATABASES)(
  'two gateways that look and send at the same moment open one incident, and tell of it once ($name)',
  async ({ createUrl }) => {
    const env = settings(await createUrl());
    const receiver = await startPeer();
    await offline(
      env,
      async (world) => {
        const given = { ...TERMS, kind: 'webhook', settings: withSecret({ url: receiver.url }) } as const;
        for (let channel = 0; channel < 3; channel++) await addChannel(world, ACTOR, null, given);
        const { row } = await addLine(world, {
          ...{ name: 'Lucky Shrub', phoneNumberId: '106540352242901', phoneNumber: '15550783881' },
          ...{
            wabaId: '102290129340301',
            accessToken: 'EAAx',
            appSecret: 'an-app-secret',
            windowMode: 'text',
          },
        });
        await world.store.lines.update(row.id, { access_token_sealed: null });
        await world.store.processes.keepAlive('the first', 'one', 3_600);
        await offline(env, async (other) => {
          const both = [await sentry(world), await sentry(other)];
          for (let round = 0; round < 4; round++, now += 10 * SECOND) {
            await Promise.all(both.map((one) => one.look()));
            await Promise.all(both.map((one) => one.send()));
          }
          await Promise.all(both.map((one) => one.stop()));
        });
        expect(await world.store.alerts.open()).toHaveLength(1);
        // To each of the three channels, under an id of its own.
        const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
        expect(ids).toHaveLength(3);
        expect(new Set(ids).size).toBe(3);
      },
      'first command',
    );
    await receiver.close();
  },
);
