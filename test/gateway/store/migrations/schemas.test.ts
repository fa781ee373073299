import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { readConfig } from '../../../../gateway/config';
import { lineList } from '../../../../gateway/cli/lines/line';
import { openStore } from '../../../../gateway/store/store';
import { createVault } from '../../../../gateway/store/vault';
import { HOUR } from '../../../../gateway/time';
import { DATABASES } from '../../../support/databases';
import { startPeer } from '../../../support/http-peer';
import { formTokenIn } from '../../../support/panel/visitor';
import { startUpstream, textTo } from '../../../support/scene';
import { PHONE_NUMBER_ID, settings, startTestGateway } from '../../../support/test-gateway';
import { fixtureNames, unpack } from '../schemas/fixture';

const CONTACT = '16505551234';

/** What is there only as long as a process lives, or a replay lasts. */
const OF_PROCESSES = ['processes', 'owners', 'rates', 'replays'];

/** So many wait together for what a gateway that was killed leaves behind. */
const AT_ONCE = 6;

const groups = (names: string[]): [string, string[]][] =>
  Array.from({ length: Math.ceil(names.length / AT_ONCE) }, (_, group) => {
    const some = names.slice(group * AT_ONCE, (group + 1) * AT_ONCE);
    return [some.join(', '), some];
  });

describe.each(DATABASES)('a database of an earlier version ($name)', ({ name, createBareUrl }) => {
  const dialect = name === 'SQLite' ? 'sqlite' : 'postgres';
  /** The schema of a database that is made anew. */
  let ofToday: string[];

  beforeAll(async () => {
    const url = await createBareUrl();
    await (await openStore(url)).close();
    const fresh = await openRows(url);
    ofToday = await fresh.schema();
    await fresh.close();
  });

  test.each(groups(fixtureNames()))('%s are opened, brought up to date and served', async (_, fixtures) => {
    await Promise.all(fixtures.map((fixture) => isServed(fixture)));
  });

  async function isServed(fixture: string): Promise<void> {
    const url = await createBareUrl();
    const known = await unpack(fixture, dialect, url);
    const receiver = await startPeer();
    const rows = await openRows(url);
    await rows.run(`update destinations set url = '${receiver.url}' where url like '%/failing'`);
    const owed = await rows.strings(
      `select event_id as value from deliveries where state = 'pending' and destination_id in
         (select id from destinations where url = '${receiver.url}') order by event_id`,
    );
    const before = await rows.counts();
    const isOfToday = isDeepStrictEqual(await rows.schema(), ofToday);
    const upstream = await startUpstream();
    const env = settings(url, { ...known.env, GATEWAY_UPSTREAM_URL: upstream.url });
    // Shortly after it was made: windows are open, keys are remembered.
    const elapsed = Date.now() - known.madeAt - HOUR;
    const gateway = await startTestGateway(env, () => Date.now() - elapsed);
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${known.token}`,
          'content-type': 'application/json',
          'idempotency-key': known.idempotencyKey,
        },
      });
    try {
      const upgraded =
        /"from":"\d{3}-[\w-]+","to":"\d{3}-[\w-]+","msg":"the database was brought up to date"/;
      expect(upgraded.test(gateway.logged())).toBe(!isOfToday);
      // What it owed goes out, once.
      const received = await receiver.untilReceived(owed.length);
      expect(received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(owed);

      const repeated = await ask('/messages', { method: 'POST', body: JSON.stringify(textTo(CONTACT)) });
      expect([repeated.status, await repeated.text()]).toEqual([200, known.answer]);
      expect(upstream.asked('messages', PHONE_NUMBER_ID)).toEqual([]);
      const message = await ask(`/messages/wamid.${CONTACT}`);
      expect(await message.json()).toMatchObject({ state: 'delivered' });
      expect(await (await ask('/templates')).text()).toContain('order_update');
      expect(await (await ask(`/window/${CONTACT}`)).json()).toMatchObject({ open: true });
      if (known.password !== null) expect((await logIn(gateway.url, known.password)).status).toBe(303);
    } catch (error) {
      throw new Error(`Of ${fixture}`, { cause: error });
    } finally {
      await gateway.stop();
      await Promise.all([receiver.close(), upstream.close()]);
    }

    const store = await openStore(url);
    expect((await store.audit.verify(createVault(known.env.GATEWAY_SECRET_KEY ?? ''))).faults).toEqual([]);
    await store.close();
    const after = await rows.counts();
    const lost = Object.entries(before).filter(
      ([table, count]) => !OF_PROCESSES.includes(table) && (after[table] ?? 0) < count,
    );
    expect(lost).toEqual([]);
    expect(await rows.schema()).toEqual(ofToday);
    await rows.close();
  }

  test('from before customers shows its users everything that they saw', async () => {
    const url = await createBareUrl();
    const { env, password } = await unpack('42-question-tokens', dialect, url);
    const rows = await openRows(url);
    const hash = `(select password_hash from users where name = 'ana')`;
    await rows.run(`update users set password_hash = ${hash} where name = 'cleo'`);
    const addresses = await rows.strings(
      `select 'lines/' || id as value from lines
         union all select 'events/' || id from events
         union all select 'messages/' || line_id || '/' || wamid from messages
         union all select 'conversations/' || line_id || '/' || contact from windows
         union all select 'lines/' || line_id || '/destinations/' || id from destinations where removed_at is null and origin <> 'question'`,
    );
    const lists = [
      'overview',
      'lines',
      'events',
      'messages',
      'conversations',
      'alerts',
      'templates',
      'start',
      'alerts/rules',
    ];
    const ofOwners = ['users', 'audit', 'backups', 'lines/1/edit', 'customers'];
    const gateway = await startTestGateway(settings(url, env));
    try {
      for (const [name, other] of [
        ['ana', 200],
        ['cleo', 403],
      ] as const) {
        const { cookie } = await logIn(gateway.url, password ?? '', name);
        const open = (path: string) =>
          fetch(`${gateway.url}/panel/${path}`, { headers: { cookie }, redirect: 'manual' });
        const answers = async (paths: string[]) =>
          Promise.all(paths.map(async (path) => `${(await open(path)).status} ${path}`));
        expect(await answers([...lists, ...addresses])).toEqual(
          [...lists, ...addresses].map((path) => `200 ${path}`),
        );
        expect(await answers(ofOwners)).toEqual(ofOwners.map((path) => `${other} ${path}`));
        for (const [path, text] of [
          ['lines', 'My shop'],
          [`conversations/1/${CONTACT}`, 'Is my order ready?'],
        ] as const)
          expect(await (await open(path)).text()).toContain(text);
      }
    } finally {
      await gateway.stop();
    }
    const roles = `select name || ' ' || role as value from users order by name`;
    expect(await rows.strings(roles)).toEqual(['ana operator', 'ben operator', 'cleo viewer']);
    expect(await rows.strings('select user_id as value from memberships')).toEqual([]);
    await rows.close();
  });

  test('is left as it is by commands, which say what to do', async () => {
    const url = await createBareUrl();
    const { env } = await unpack(fixtureNames()[0] ?? '', dialect, url);
    const rows = await openRows(url);
    const before = await rows.schema();
    await expect(lineList([], settings(url, env))).rejects.toThrow(
      'The database is of an older version of this program. Start the gateway first: that brings it up to date. Then repeat this command.',
    );
    expect(await rows.schema()).toEqual(before);
    await rows.close();
  });

  test('goes on forwarding messages from the phone app to who received them as account events', async () => {
    const url = await createBareUrl();
    const { env } = await unpack(fixtureNames()[0] ?? '', dialect, url);
    const rows = await openRows(url);
    await rows.run(`update destinations set events = '["sent","account"]'`);
    await (await startTestGateway(settings(url, env))).stop();
    expect(new Set(await rows.strings('select events as value from destinations'))).toEqual(
      new Set(['["sent","account","echoes"]']),
    );
    await rows.close();
  });

  test('is refused where it is of a later version, and left as it is', async () => {
    const url = await createBareUrl();
    await (await openStore(url)).close();
    const rows = await openRows(url);
    await rows.run(`insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')`);
    const sentence =
      'The database is of a newer version of this program, which took the step 999-later. Run that version or a later one, or put back a backup from before the upgrade.';
    await expect(startTestGateway(settings(url))).rejects.toThrow(sentence);
    await expect(lineList([], settings(url))).rejects.toThrow(sentence);
    expect(readConfig(settings(url)).GATEWAY_DATABASE_URL).toBe(url);
    await rows.close();
  });
});

async function logIn(
  url: string,
  password: string,
  name = 'ana',
): Promise<{ status: number; cookie: string }> {
  const cookieOf = ({ headers }: Response) =>
    headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
  const form = await fetch(`${url}/panel/log-in`);
  const cookie = cookieOf(form);
  const form_token = formTokenIn(await form.text());
  const answer = await fetch(`${url}/panel/log-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: url },
    body: new URLSearchParams({ name, password, form_token }),
  });
  return { status: answer.status, cookie: cookieOf(answer) };
}

interface Rows {
  run(sql: string): Promise<void>;
  /** Of the column `value`. */
  strings(sql: string): Promise<string[]>;
  /** How many rows each table has. */
  counts(): Promise<Record<string, number>>;
  /** Every column and every index, however they came to be; sorted. */
  schema(): Promise<string[]>;
  close(): Promise<void>;
}

/** Reads a database without the program. */
async function openRows(url: string): Promise<Rows> {
  const { all, close, catalogue } = url.startsWith('sqlite:') ? openSqlite(url) : await openPostgres(url);
  return {
    run: async (sql) => void (await all(sql)),
    strings: async (sql) => (await all(sql)).map(({ value }) => String(value)),
    async counts() {
      const tables = await all(catalogue.tables);
      const counts = tables.map(({ name }) => `select '${name}' as name, count(*) as rows from ${name}`);
      const counted = await all(counts.join(' union all '));
      return Object.fromEntries(counted.map(({ name, rows }) => [name, Number(rows)]));
    },
    schema: async () => (await all(catalogue.parts)).map((part) => JSON.stringify(part)).sort(),
    close,
  };
}

type Row = Record<string, unknown>;

function openSqlite(url: string) {
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  return {
    all: async (sql: string): Promise<Row[]> => database.prepare(sql).all(),
    close: async () => database.close(),
    catalogue: {
      tables: `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`,
      parts: `select t.name as of, c.name, c.type, c."notnull", c.dflt_value, c.pk from sqlite_schema t, pragma_table_info(t.name) c
                where t.type = 'table' union all select tbl_name, sql, null, null, null, null from sqlite_schema where type = 'index'`,
    },
  };
}

async function openPostgres(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    all: async (sql: string): Promise<Row[]> => (await client.query<Row>(sql)).rows,
    close: () => client.end(),
    catalogue: {
      tables: `select table_name as name from information_schema.tables where table_schema = 'public'`,
      parts: `select table_name as of, column_name as name, data_type, is_nullable, column_default from information_schema.columns
                where table_schema = 'public' union all select tablename, indexdef, null, null, null from pg_indexes where schemaname = 'public'`,
    },
  };
}
