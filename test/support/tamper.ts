import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** Changes the database like somebody who can write to it and does not have the secret key. */
export async function tamper(url: string, statements: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec(statements);
    return database.close();
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statements);
  await client.end();
}
