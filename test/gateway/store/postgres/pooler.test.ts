import { join } from 'node:path';
import { sql, type Kysely } from 'kysely';
import { offline } from '../../../../gateway/cli/offline';
import { insertDestination } from '../../../../gateway/forwarding/destinations/destination-rows';
import { type Schema } from '../../../../gateway/store/schema';
import { openStore } from '../../../../gateway/store/store';
import { TEMPLATES, temporaryFolder } from '../../../support/databases';
import { startPeer } from '../../../support/http-peer';
import { createDatabase } from '../../../support/postgres';
import { rows } from '../../../support/rows';
import { call, imageTo, startScene } from '../../../support/scene';
import { notification, notify, settings, startTestGateway, textFrom } from '../../../support/test-gateway';
import { startTransactionPooler, type TransactionPooler } from '../../../support/transaction-pooler';

let pooler: TransactionPooler | null = null;
afterEach(async () => {
  await pooler?.close();
  pooler = null;
});

/** @returns URL of a database through a pooler in transaction mode */
async function pooled(url: string, size = 3): Promise<string> {
  pooler = await startTransactionPooler(url, size);
  return pooler.url;
}

const opened = (url: string, session?: string) =>
  openStore(url, 'gateway', Date.now, 'a process', session).then(
    (store) => store.close(),
    (error: Error) => error.message,
  );

test.each([
  ['', /^GATEWAY_DATABASE_URL leads to a pooler.+Set GATEWAY_DATABASE_SESSION_URL to/],
  ['?application_name=session', /^GATEWAY_DATABASE_SESSION_URL leads to a pooler/],
])(
  'a gateway behind a pooler in transaction mode asks for the address of PostgreSQL itself: %s',
  async (more, sentence) => {
    // A pooler for each, because one whose clients have just gone has fewer connections to choose from.
    const url = await pooled(await createDatabase());
    expect(await opened(url, url + more)).toMatch(sentence);
  },
);

test('both addresses must lead to one database, which must not lose commits', async () => {
  const direct = await createDatabase();
  const url = await pooled(direct);
  expect(await opened(url, await createDatabase())).toContain('lead to different databases');
  expect(await opened(url, 'postgres://127.0.0.1:1/none')).toMatch(
    /^GATEWAY_DATABASE_SESSION_URL cannot be used: .*ECONNREFUSED/,
  );
  await pooler?.close();
  await rows(direct, `alter database ${new URL(direct).pathname.slice(1)} set synchronous_commit = off`);
  expect(await opened(await pooled(direct), direct)).toContain(
    'ALTER DATABASE name SET synchronous_commit = on',
  );
});

test('an address with several hosts is refused by the name of its setting', async () => {
  const direct = await createDatabase();
  expect(await opened(direct, 'postgres://gateway@one,two/gateway')).toMatch(
    /^GATEWAY_DATABASE_SESSION_URL names several hosts/,
  );
});

test('commands on a SQLite database do not use the address of a PostgreSQL', async () => {
  const env = settings(`sqlite:${join(temporaryFolder(), 'gateway.db')}`, {
    GATEWAY_DATABASE_SESSION_URL: await createDatabase(),
  });
  expect(await offline(env, async ({ store }) => store.dialect, 'first command')).toBe('sqlite');
});

const shown = async (db: Kysely<Schema>, setting: string): Promise<unknown> =>
  (await sql<{ value: string }>`select current_setting(${setting}) as value`.execute(db)).rows[0]?.value;

test('settings reach each transaction through a pooler, and end with it', async () => {
  const direct = await createDatabase();
  const url = await pooled(direct, 1);
  const store = await openStore(url, 'gateway', Date.now, 'a process', direct);
  const timeout = 'idle_in_transaction_session_timeout';
  const within = await store.db.transaction().execute((trx) => shown(trx, timeout));
  expect([within, await shown(store.db, timeout)]).toEqual(['8s', '0']);
  await store.close();
});

test('two gateways behind a pooler in transaction mode receive, send, forward and list', async () => {
  const direct = await createDatabase(undefined, process.env[TEMPLATES.postgres]);
  const url = await pooled(direct);
  const env = { GATEWAY_DATABASE_URL: url, GATEWAY_DATABASE_SESSION_URL: direct };
  const receiver = await startPeer();
  const scene = await startScene(direct, { ...env, GATEWAY_PROCESS_NAME: 'one' });
  const other = await startTestGateway(
    { ...scene.gateway.env, GATEWAY_PROCESS_NAME: 'other' },
    () => scene.clock.now,
  );
  const line = await scene.line();
  await scene.change((world) => insertDestination(world, line.id, { url: receiver.url, origin: 'operator' }));
  await other.refresh();
  const gateways = [scene.gateway, other];

  const contacts = Array.from({ length: 12 }, (_, number) => `1650555${1000 + number}`);
  const texts = contacts.map((contact) => Array.from({ length: 6 }, (_, number) => `${contact} ${number}`));
  await Promise.all(
    texts.map(async (own, position) => {
      for (const [number, text] of own.entries()) {
        const written = textFrom(contacts[position] ?? '', text, `wamid.${text}`);
        const to = gateways[(position + number) % 2] ?? scene.gateway;
        expect(await notify(to, notification(written, line.phoneNumberId))).toBe(200);
      }
    }),
  );
  await receiver.untilReceived(texts.flat().length);
  const arrived = receiver.received.map(({ body }) => /1650555\d{4} \d/.exec(body)?.[0] ?? '');
  expect(contacts.map((contact) => arrived.filter((text) => text.startsWith(contact)))).toEqual(texts);

  const sends = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      call(`${gateways[number % 2]?.url}/v22.0/${line.phoneNumberId}/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${line.token}`,
          'content-type': 'application/json',
          'idempotency-key': `key ${number % 4}`,
        },
        body: JSON.stringify(imageTo(contacts[number % 4] ?? '')),
      }),
    ),
  );
  expect(sends.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
  expect(line.sent()).toHaveLength(4);
  const store = await openStore(url, 'first command', Date.now, 'reader', direct);
  expect((await store.eventList.page({}, null, 100)).rows).toHaveLength(texts.flat().length);
  await store.close();
  await other.stop();
  await scene.stop();
  await receiver.close();
});
