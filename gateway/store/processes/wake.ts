import { sql, type Kysely } from 'kysely';
import { isPostgres } from '../is-postgres';
import { type Schema } from '../schema';

/**
 * What one process tells the others about destinations. A process of an older version that does not know a
 * word checks everything.
 */
export interface Wake {
  /** Another process has recorded something for them (`arrivals`). */
  arrived?: number[];
  /** Something waits for them, or is due at another time, or may be sent again. */
  waiting?: number[];
  /** Destinations that have lost their owner. */
  ownerless?: number[];
}

/** PostgreSQL's channel for it: others that use the same database may have channels of their own. */
export const WAKE_CHANNEL = 'messaging_gateway_deliveries';

/**
 * PostgreSQL accepts messages of fewer than 8000 bytes. A longer one is replaced by a message to check
 * everything.
 */
const LONGEST = 7000;

export function wakeText(wake: Wake): string {
  const text = JSON.stringify(wake);
  return text.length < LONGEST ? text : '{}';
}

/** Null: something may have changed, but it is unknown what. */
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

/** Sent when the transaction is committed. On SQLite there is nobody to notify. */
export async function notifyDispatchers(trx: Kysely<Schema>, wake: Wake): Promise<void> {
  if (!isPostgres(trx)) return;
  await sql`select pg_notify(${WAKE_CHANNEL}, ${wakeText(wake)})`.execute(trx);
}
