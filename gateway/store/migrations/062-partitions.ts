import { type Migration } from 'kysely/migration';

/**
 * Changes nothing. From this step on, programs can use tables of events that are divided into partitions, so the leader
 * may divide them once every process knows this step (`store/postgres/partitions.ts`).
 */
export const partitions: Migration = { up: async () => undefined };
