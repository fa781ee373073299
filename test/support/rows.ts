import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** What a statement finds in a gateway's database: asked beside the gateway, so that it tells what is stored. */
export async function rows(databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Changes a gateway's database beside it, as nothing of its own does: as an older version did, or somebody by hand. */
export async function write(databaseUrl: string, sql: string): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length));
    try {
      database.exec('pragma busy_timeout = 5000');
      database.exec(sql);
    } finally {
      database.close();
    }
    return;
  }
  await rows(databaseUrl, sql);
}
