import { Kysely } from 'kysely';
import { type Client, type Pool } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { type Clock } from '../../time';
import { groupCommit } from '../commit/group-commit';
import { writability } from '../commit/write-health';
import { rowsOfWrite, sizeOfWrite, type Write, type WriteResult } from '../commit/writes';
import { type Database } from '../database';
import { postgresFollowers } from '../processes/followers';
import { registryTable } from '../processes/registry';
import { notifyDispatchers } from '../processes/wake';
import { type Schema } from '../schema';
import { arrivalWakes } from './arrival-wakes';
import { ASK_TIME, databaseClock } from './clock';
import { RepeatingPostgresDialect } from './dialect';
import { listenToPostgres } from './listen';
import { onOwnConnection } from './own-connection';
import { divideEvents } from './partitions';
import { openPool } from './pool';
import { sharedRates, type SharedRates } from './rates';
import {
  boundSession,
  planByIndex,
  planByIndexInAnySession,
  prepareStatements,
  useAnySession,
} from './session';
import { postgresSockets } from './sockets';
import { commitWrites, isFaultOfData } from './writes';

/**
 * Connections per process besides the listening one: general queries, panel lists, frequent writes with rate limits,
 * and queues.
 */
const MOST_CONNECTIONS = 6;
const MOST_LOOKS = 3;
const MOST_FOR_WRITES = 3;
const MOST_FOR_QUEUES = 3;

/** @param session URL of connections that keep their session; another than `url` if that leads to a pooler that does not */
export function openPostgres(url: string, machine: Clock, processName: string, session = url): Database {
  const [general, ofWriting, ofReading] =
    session === url
      ? [boundSession, planByIndex, prepareStatements]
      : [useAnySession, planByIndexInAnySession, useAnySession];
  const [to, toSession] = [parseIntoClientConfig(url), parseIntoClientConfig(session)];
  const clock = databaseClock(machine);
  const sockets = postgresSockets();
  const pool = openPool(to, sockets, MOST_CONNECTIONS, general);
  const ofLooks = openPool(to, sockets, MOST_LOOKS, general);
  const ofWrites = openPool(to, sockets, MOST_FOR_WRITES, ofWriting, true, () => doubtWrites());
  const ofQueues = openPool(to, sockets, MOST_FOR_QUEUES, ofReading);
  const on = (one: Pool) => new Kysely<Schema>({ dialect: new RepeatingPostgresDialect({ pool: one }) });
  const [db, looks, queues] = [on(pool), on(ofLooks), on(ofQueues)];
  const { noted, canWrite, doubtWrites } = writability(() => registryTable(db).touch());
  const commits = groupCommit<Write, WriteResult>({
    commit: noted((writes) => commitWrites(ofWrites, wakes.tell, writes)),
    sizeOf: sizeOfWrite,
    rowsOf: rowsOfWrite,
    isFaultOfData,
    transactionsInFlight: 2,
  });
  const wakes = arrivalWakes(pool);
  const rates: SharedRates[] = [];
  const closing = new AbortController();
  async function keepTime(connection: Pick<Client, 'query'>): Promise<void> {
    const asked = machine();
    const { rows } = await connection.query<{ now: number }>(ASK_TIME);
    clock.heard(asked, rows[0]?.now ?? asked);
  }
  const { sayOn, ...followers } = postgresFollowers(db);
  const listening = listenToPostgres(toSession, sockets, keepTime, sayOn, processName);
  return {
    dialect: 'postgres',
    db,
    looks,
    queues,
    write: commits.write as Database['write'],
    canWrite,
    doubtWrites,
    waiting: () =>
      [commits, ...rates].reduce(
        (all, one) => {
          const { writes, bytes } = one.waiting();
          return { writes: all.writes + writes, bytes: all.bytes + bytes };
        },
        { writes: 0, bytes: 0 },
      ),
    freeSpace: async () => null,
    usedSpace: async () => null,
    scrub: async () => true,
    divideEvents: () => onOwnConnection(session, 0, (one) => divideEvents(one, clock.now()), closing.signal),
    listen: listening.toRegistry,
    ...followers,
    onWake: listening.toWakes,
    wake: (wake) => notifyDispatchers(db, wake),
    holdProcessName: listening.holdProcessName,
    clock: clock.now,
    ready: () => keepTime(pool),
    rateLimits(by) {
      const shared = sharedRates(ofWrites, by);
      rates.push(shared);
      return shared.limits;
    },
    async close() {
      closing.abort();
      listening.stop();
      await Promise.all([commits, ...rates].map((one) => one.drained()));
      await wakes.drained();
      await Promise.all([db, looks, queues].map((one) => one.destroy()));
      // Kysely does not end a pool that was never used.
      await Promise.all([pool, ofLooks, ofWrites, ofQueues].map((one) => (one.ending ? null : one.end())));
    },
  };
}
