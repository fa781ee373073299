import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** Queries a gateway's database directly, to see what is stored. */
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

/** Changes a gateway's database directly, like an older version or a user would. */
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
