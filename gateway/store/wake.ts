import { sql, type Kysely } from 'kysely';
import { type Schema } from './schema';

/** What one process tells the others: destinations for which something waits now, or which nobody owns any more. */
export interface Wake {
  waiting?: number[];
  ownerless?: number[];
}

/** PostgreSQL's channel for it. */
export const WAKE_CHANNEL = 'deliveries';

/** PostgreSQL takes messages of fewer than 8000 bytes. What does not fit tells everyone to look for himself. */
const LONGEST = 7000;

export function wakeText(wake: Wake): string {
  const text = JSON.stringify(wake);
  return text.length < LONGEST ? text : '{}';
}

/** Null: something may have changed, and nobody knows what. */
export function readWake(text: string | undefined): Wake | null {
  if (!text || text === '{}') return null;
  return JSON.parse(text) as Wake;
}

/** Told once the transaction is committed. Nobody is there to be told on SQLite. */
export async function notifyDispatchers(trx: Kysely<Schema>, wake: Wake): Promise<void> {
  if (!trx.getExecutor().adapter.supportsMultipleConnections) return;
  await sql`select pg_notify(${WAKE_CHANNEL}, ${wakeText(wake)})`.execute(trx);
}
