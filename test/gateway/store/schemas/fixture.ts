import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client } from 'pg';

export type Dialect = 'sqlite' | 'postgres';

/** What is to be found in a fixture. */
export interface Known {
  /** Milliseconds. */
  madeAt: number;
  env: Record<string, string>;
  token: string;
  /** Of a message, and what it was answered. */
  idempotencyKey: string;
  answer: string;
  /** Of the users ana and ben; null where there was no control panel yet. */
  password: string | null;
}

const ENDING = { sqlite: '.sqlite.sql.gz', postgres: '.postgres.sql.gz' };

export const fixtureFile = (name: string, dialect: Dialect): string =>
  join(__dirname, `${name}${ENDING[dialect]}`);

/** The names of all fixtures, the oldest first. */
export const fixtureNames = (): string[] =>
  readdirSync(__dirname).flatMap((file) =>
    file.endsWith(ENDING.sqlite) ? [file.slice(0, -ENDING.sqlite.length)] : [],
  );

/** SQL text; its first line is a comment with what is known of it. */
export const pack = (known: Known, sql: string): Buffer =>
  gzipSync(`-- ${JSON.stringify(known)}\n${sql}`, { level: 9 });

/** Brings a fixture into an empty database. */
export async function unpack(name: string, dialect: Dialect, url: string): Promise<Known> {
  const text = gunzipSync(readFileSync(fixtureFile(name, dialect))).toString();
  const end = text.indexOf('\n');
  if (dialect === 'sqlite') {
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec(`begin; ${text.slice(end)} commit`);
    database.close();
  } else {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(text.slice(end));
    await client.end();
  }
  return JSON.parse(text.slice('-- '.length, end)) as Known;
}
