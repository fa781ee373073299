import { Client } from 'pg';

/**
 * Lets a PostgreSQL database tell the time of a model run: processes judge by it who of them is alive. SQLite, which
 * has one process, is asked for no time.
 * @param url of an empty database, to which nobody is connected yet
 */
export async function databaseTime(url: string, now: () => number) {
  if (url.startsWith('sqlite:')) return { tell: async () => undefined, close: async () => undefined };
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`
    create table model_time (now timestamptz not null);
    insert into model_time values (now());
    create function public.clock_timestamp() returns timestamptz language sql volatile
      as 'select now from public.model_time';
    do $$ begin
      execute format('alter database %I set search_path = public, pg_catalog', current_database());
    end $$`);
  return {
    /** Sets it to the present of the model. */
    tell: async () => void (await client.query('update model_time set now = $1', [new Date(now())])),
    close: () => client.end(),
  };
}
