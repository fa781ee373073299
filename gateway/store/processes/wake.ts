import { sql, type Kysely } from 'kysely';
import { isPostgres } from '../is-postgres';
import { type Schema } from '../schema';

/** What one process tells the others of destinations. One of an older version that does not know a word looks at all. */
export interface Wake {
  /** Another process has recorded something for them (`arrivals`). */
  arrived?: number[];
  /** Something waits for them, or is due at another time, or may be sent again. */
  waiting?: number[];
  /** Nobody owns them any more. */
  ownerless?: number[];
}

/** PostgreSQL's channel for it: others that use the same database may have channels of their own. */
export const WAKE_CHANNEL = 'messaging_gateway_deliveries';

/** PostgreSQL takes messages of fewer than 8000 bytes. What does not fit tells everyone to look for himself. */
const LONGEST = 7000;

export function wakeText(wake: Wake): string {
  const text = JSON.stringify(wake);
  return text.length < LONGEST ? text : '{}';
}

/** Null: something may have changed, and nobody knows what. */
export function readWake(text: string | undefined): Wake | null {
  try {
    const wake = JSON.parse(text ?? '') as Wake | null;
    const lists = [wake?.arrived, wake?.waiting, wake?.ownerless].filter((list) => list !== undefined);
    // Anybody on the database may say anything there.
    return lists.length && lists.every((list) => Array.isArray(list) && list.every(Number.isSafeInteger))
      ? wake
      : null;
  } catch {
    return null;
  }
}

/** Told once the transaction is committed. Nobody is there to be told on SQLite. */
export async function notifyDispatchers(trx: Kysely<Schema>, wake: Wake): Promise<void> {
  if (!isPostgres(trx)) return;
  await sql`select pg_notify(${WAKE_CHANNEL}, ${wakeText(wake)})`.execute(trx);
}
