import { openStore } from '../../../../gateway/store/store';
import { DATABASES } from '../../../support/databases';
import { rows } from '../../../support/rows';
import { fixtureNames, unpack } from '../schemas/fixture';

/** With a million rows, rewriting or indexing one of these would stop sends and events for seconds. */
const BIG = ['events', 'deliveries', 'attempts', 'messages', 'sent_bodies', 'windows', 'aliases'];

describe.each(DATABASES)('the upgrade from the last version ($name)', ({ name, createBareUrl }) => {
  const dialect = name === 'SQLite' ? 'sqlite' : 'postgres';
  const names = BIG.map((table) => `'${table}'`).join(', ');
  /** Each table and index with where it is stored, which a rewrite changes. */
  const stored =
    dialect === 'sqlite'
      ? `select name, rootpage as place from sqlite_schema where tbl_name in (${names}) order by name`
      : `select relname as name, pg_relation_filenode(oid) as place from pg_class where oid in
           (select t.oid from pg_class t where t.relname in (${names}) union all
            select indexrelid from pg_index join pg_class t on t.oid = indrelid where t.relname in (${names})) order by relname`;

  test('rewrites no table of messages and events, and adds no index to them', async () => {
    const url = await createBareUrl();
    await unpack(fixtureNames().at(-1) ?? '', dialect, url);
    const before = await rows(url, stored);
    await (await openStore(url, 'gateway')).close();
    expect(await rows(url, stored)).toEqual(before);
  });
});
