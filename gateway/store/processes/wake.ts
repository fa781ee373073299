import { sql, type Kysely } from 'kysely';
import { isPostgres } from '../is-postgres';
import { type Schema } from '../schema';

/**
 * A notification between processes about destinations. A process of an older version that does not know a key checks
 * everything.
 */
export interface Wake {
  /** Destinations for which another process recorded deliveries (`arrivals`). */
  arrived?: number[];
  /** Destinations with waiting deliveries, changed due times or a resume. */
  waiting?: number[];
  /** Destinations that have lost their owner. */
  ownerless?: number[];
}

/** PostgreSQL's notification channel, named so as not to conflict with other programs on the database. */
export const WAKE_CHANNEL = 'messaging_gateway_deliveries';

/**
 * PostgreSQL accepts fewer than 8000 bytes. A longer message is replaced by one that makes processes check
 * everything.
 */
const LONGEST = 7000;

export function wakeText(wake: Wake): string {
  const text = JSON.stringify(wake);
  return text.length < LONGEST ? text : '{}';
}

/** Null if the changes are unknown. */
export function readWake(text: string | undefined): Wake | null {
  try {
    const wake = JSON.parse(text ?? '') as Wake | null;
    const lists = [wake?.arrived, wake?.waiting, wake?.ownerless].filter((list) => list !== undefined);
    // Other users of the database can send any text on the channel.
    return lists.length && lists.every((list) => Array.isArray(list) && list.every(Number.isSafeInteger))
      ? wake
      : null;
  } catch {
    return null;
  }
}

/** Sent at the commit of the transaction. On SQLite there is no other process to notify. */
export async function notifyDispatchers(trx: Kysely<Schema>, wake: Wake): Promise<void> {
  if (!isPostgres(trx)) return;
  await sql`select pg_notify(${WAKE_CHANNEL}, ${wakeText(wake)})`.execute(trx);
}
