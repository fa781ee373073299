import { Client } from 'pg';
import { boundSession } from '../../../gateway/store/postgres/session';
import { createDatabase } from '../../support/postgres';

test.each([
  ['off', 'on'],
  ['local', 'local'],
  ['remote_apply', 'remote_apply'],
])(
  'a commit is on disk before it is reported, also where the operator has said %s',
  async (said, expected) => {
    const client = new Client({ connectionString: await createDatabase() });
    await client.connect();
    await client.query(`set synchronous_commit = ${said}`);
    await boundSession(client);
    const { rows } = await client.query('show synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: expected }]);
    await client.end();
  },
);
