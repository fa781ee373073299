import { setTimeout as wait } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { type ClientBase } from 'pg';
import { SECOND } from '../../time';
import { registryTable } from './registry';
import { type Schema } from '../schema';
import { isGatewayOn } from '../sqlite/lock';

/**
 * Lets each process publish the registry revision that it has read, and lets another one wait until all have read it.
 */
export interface Followers {
  /** Publishes that this process has read this revision of the registry. */
  followed(revision: number): Promise<void>;
  /**
   * Resolves when every running gateway has read the current registry.
   * @param patience in milliseconds
   * @returns false if a gateway has not read it in this time
   */
  untilFollowed(patience?: number): Promise<boolean>;
}

/** A gateway that has not read a change after this time has stopped or cannot reach the database. */
const PATIENCE = 10 * SECOND;
const LOOK_AGAIN = SECOND / 50;

async function untilAllHave(
  db: Kysely<Schema>,
  patience: number | undefined,
  haveAllRead: (revision: number) => Promise<boolean>,
): Promise<boolean> {
  const revision = await registryTable(db).revision();
  for (
    const began = performance.now();
    performance.now() - began < (patience ?? PATIENCE);
    await wait(LOOK_AGAIN)
  )
    if (await haveAllRead(revision)) return true;
  return false;
}

/**
 * The single gateway of a SQLite file stores the revision that it has read. If it isn't running, there is nothing to
 * wait for.
 */
export const sqliteFollowers = (db: Kysely<Schema>, path: string): Followers => ({
  async followed(revision) {
    await db.updateTable('registry').set({ followed: revision }).execute();
  },
  untilFollowed: (patience) =>
    untilAllHave(db, patience, async (revision) => {
      const { followed } = await db.selectFrom('registry').select('followed').executeTakeFirstOrThrow();
      return followed === null || followed >= revision || !isGatewayOn(path);
    }),
});

/** The class of the advisory locks with which processes publish their revision. The second key is the revision. */
const FOLLOWED_LOCKS = 1_735_878_252;

/**
 * On PostgreSQL each process holds a shared advisory lock for its revision, on its listening connection. The lock
 * ends with the process in every case and needs no cleanup.
 */
export function postgresFollowers(db: Kysely<Schema>) {
  let held: number | null = null;
  let connected: Pick<ClientBase, 'query'> | null = null;
  const locked = (revision: number) => `select pg_advisory_lock_shared(${FOLLOWED_LOCKS}, ${revision})`;
  return {
    /**
     * Publishes the revision on this connection from now on.
     * @throws if the connection breaks
     */
    async sayOn(connection: Pick<ClientBase, 'query'>): Promise<void> {
      connected = connection;
      if (held !== null) await connection.query(locked(held));
    },
    async followed(revision: number): Promise<void> {
      const before = held;
      held = revision;
      const letGo =
        before === null || before === revision
          ? ''
          : `, pg_advisory_unlock_shared(${FOLLOWED_LOCKS}, ${before})`;
      // Not awaited: if the connection is broken, the next one publishes the revision when it listens.
      connected?.query(locked(revision) + letGo).catch(() => undefined);
    },
    untilFollowed: (patience?: number) =>
      untilAllHave(db, patience, async (revision) => {
        const { rows } = await sql`select 1 from pg_locks
          where locktype = 'advisory' and classid = ${FOLLOWED_LOCKS} and objsubid = 2
            and database = (select oid from pg_database where datname = current_database())
            and objid::text::bigint < ${revision} limit 1`.execute(db);
        return !rows.length;
      }),
  };
}
