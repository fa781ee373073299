import { DatabaseSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { type Schema } from '../../../../gateway/store/schema';
import { backlogReport } from '../../../../gateway/store/reports/backlog';
import { conversationList } from '../../../../gateway/store/reports/conversation-list';
import { deliveryList } from '../../../../gateway/store/reports/delivery-list';
import { eventList } from '../../../../gateway/store/reports/event-list';
import { historyTables } from '../../../../gateway/store/reports/history';
import { messageList } from '../../../../gateway/store/reports/message-list';
import { withinReach } from '../../../../gateway/store/within-reach';
import { textSearch } from '../../../../gateway/messages/text-search';
import { deliveryTable } from '../../../../gateway/store/tables/deliveries';
import { optOutTable } from '../../../../gateway/store/tables/opt-outs';
import { windowTable } from '../../../../gateway/store/tables/windows';
import { DATABASES } from '../../../support/databases';
import { at } from '../support';

/** How SQLite goes about the statements of a call, in a database that has no statistics: the gateway makes none. */
async function plansOf(call: (db: Kysely<Schema>) => Promise<unknown>): Promise<string[]> {
  const asked: string[] = [];
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new SqliteIntrospector(of),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => void asked.push(query.sql),
  });
  await call(db);
  const url = await DATABASES[0]?.createUrl();
  const database = new DatabaseSync(String(url).replace(/^sqlite:/, ''));
  try {
    return asked.flatMap((sql) =>
      database
        .prepare(`explain query plan ${sql}`)
        .all(...Array<null>(sql.split('?').length - 1).fill(null))
        .map(({ detail }) => String(detail)),
    );
  } finally {
    database.close();
  }
}

test.each([
  [
    'all names of a contact of a line',
    (db: Kysely<Schema>) => windowTable(db).identitiesOf(1, ['16505551234'], (name) => [name]),
    ['aliases_contact (contact=?)', 'aliases_identity (identity=?)'],
  ],
  [
    'who of them opted out',
    (db: Kysely<Schema>) => optOutTable(db).of(1, ['16505551234']),
    ['(line_id=? AND contact=?)'],
  ],
  [
    'what is due too late',
    (db: Kysely<Schema>) => deliveryTable(db).bringForward(at(0), at(1)),
    ['deliveries_pending (destination_id=? AND due_at>?)'],
  ],
])('%s is found by an index, on a line that has millions of others', async (_, call, indexes) => {
  const plans = (await plansOf(call)).filter((plan) => /^(SCAN|SEARCH) (?!destinations)/.test(plan));
  expect(plans).toEqual(indexes.map((index) => expect.stringContaining(index)));
});

/** Tables with a row for each event or message, or more. */
const LARGE = ['events', 'messages', 'deliveries', 'attempts', 'sent_bodies'];

/** Large tables that are read in full. A co-routine with the name of a table is scanned too, once for each use. */
const scansIn = (plans: string[]): string[] =>
  LARGE.flatMap((table) => {
    const count = (pattern: RegExp) => plans.filter((plan) => pattern.test(plan)).length;
    const routines = count(new RegExp(`^(CO-ROUTINE|MATERIALIZE) ${table}$`));
    return count(new RegExp(`^SCAN ${table}\\b`)) > routines ? [table] : [];
  });

const LINES = { lines: [1, 2, 3], customers: [1] };
/** All of these lines with content, some, and none. */
const CONTENTS = [[1, 2, 3], [2], []];
/** The driver answers no rows, which a count does not expect. */
const counting = (counts: Promise<unknown>): Promise<unknown> => counts.catch(() => null);

const DAY_BEFORE = { at: at(-86_400), eventId: 'evt_01' };
const NOW = { at: at(0), eventId: 'evt_02' };
const text = textSearch('order');
if (!text) throw new Error('no text to search for');

test.each<[string, (db: Kysely<Schema>) => Promise<unknown>]>([
  ['events', (db) => eventList(db, true).page({}, null, 50)],
  ['events of a day', (db) => eventList(db, true).page({ from: 'evt_01', to: 'evt_02' }, null, 50)],
  ['events of a contact', (db) => eventList(db, true).page({ contacts: ['16505551234'] }, null, 50)],
  ['events with a text', (db) => eventList(db, true).page({ text }, null, 50)],
  ['the oldest events', (db) => eventList(db, true).page({}, null, 50, true)],
  ['messages', (db) => messageList(db).page({}, null, 50)],
  ['failed messages', (db) => messageList(db).page({ state: 'failed' }, null, 50)],
  ['messages to a contact', (db) => messageList(db).page({ contacts: ['16505551234'] }, null, 50)],
  ['messages with a text', (db) => messageList(db).withText({ text }, null, 50)],
  [
    'conversations, last written by the contact',
    (db) => conversationList(db, () => true).written({}, null, 50),
  ],
  ['conversations, last written by the line', (db) => conversationList(db, () => true).sent({}, null, 50)],
  ['deliveries', (db) => deliveryList(db, true).page({ destinationIds: [1, 2] }, null, 50)],
  [
    'deliveries given up',
    (db) => deliveryList(db, true).page({ destinationIds: [1], state: 'dead' }, null, 50),
  ],
  ['counts of a day', (db) => counting(historyTables(db).counts(DAY_BEFORE, NOW))],
  ['the backlog', (db) => counting(backlogReport(db).inAll())],
])('%s of some lines are read by the indexes of these lines', async (_, call) => {
  for (const content of CONTENTS) {
    const plans = await plansOf((db) => call(withinReach(db, { ...LINES, content })));
    expect(plans).not.toEqual([]);
    expect([scansIn(plans), plans]).toEqual([[], plans]);
  }
});

test('a contact is found by its index, whatever content the reader may see', async () => {
  const find = (db: Kysely<Schema>) => eventList(db, true).page({ contacts: ['16505551234'] }, null, 50);
  for (const content of CONTENTS.slice(0, 2)) {
    const plans = await plansOf((db) => find(withinReach(db, { ...LINES, content })));
    expect(plans).toContainEqual(expect.stringMatching(/^SEARCH events .*\bcontact=\?/));
  }
});

test('a subquery is narrowed once', async () => {
  const asked: string[] = [];
  await plansOf(async (db) => {
    const seen = withinReach(db, { ...LINES, content: LINES.lines });
    const latest = seen.selectFrom('events').select('id').orderBy('id', 'desc').limit(50);
    asked.push(seen.selectFrom(latest.as('latest')).selectAll().compile().sql);
  });
  // One for each line, and one for their business accounts.
  expect(asked.map((query) => query.match(/from "events"/g)?.length)).toEqual([LINES.lines.length + 1]);
});

test('a list that an index does not cover is found by this test', async () => {
  const plans = await plansOf((db) =>
    db.selectFrom('events').selectAll().where('kind', '=', 'text').execute(),
  );
  expect(scansIn(plans)).toEqual(['events']);
});
