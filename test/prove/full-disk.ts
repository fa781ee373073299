import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { createDatabase, postgresServer, type PostgresServer } from '../support/postgres';
import { outage } from './outage';
import { endAtOnce, lookAfter } from './look-after';
import { mountOwnDisk } from './own-disk';
import { type Proof } from './proof';
import { setUnderLoad } from './under-load';

/**
 * Size of the disk in MB. A gateway on SQLite resumes once 256 MB are free, and its database grows in each
 * round.
 */
const ROOM = 448;

export const fullDisk: Proof<{ seconds: number; rate: number; rounds: number }> = {
  name: 'full-disk',
  proves:
    'on a disk that is full, events are refused and none that was acknowledged is lost; once there is room all goes on by itself (P15)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { seconds: 10, rate: 200, rounds: 3 },

  async run(stage) {
    const isSqlite = stage.ground === 'SQLite';
    const { folder: disk } = mountOwnDisk(stage, isSqlite ? ROOM : 220);
    let server: PostgresServer | null = null;
    let databaseUrl = `sqlite:${join(disk, 'gateway.db')}`;
    if (!isSqlite) {
      const own = await postgresServer({
        folder: join(disk, 'postgres'),
        persistent: true,
        flags: ['-c', 'max_wal_size=64MB'],
      });
      await own.start();
      stage.atEnd(() => endAtOnce(own));
      server = own;
      databaseUrl = await createDatabase(own.url);
    }
    const load = await setUnderLoad({ ...stage, databaseUrl }, stage.sizes.rate);
    await wait(2000);

    const figures: Record<string, string | number> = {};
    const faults: string[] = [];
    const ballast = join(disk, 'ballast');
    for (let round = 1; round <= stage.sizes.rounds; round++) {
      stage.tell(`round ${round}: the disk is filled`);
      let filling: NodeJS.Timeout | undefined;
      const result = await outage({
        name: `round ${round}`,
        ...load,
        goAway() {
          fill(ballast);
          // Also fills the space that the database frees meanwhile.
          filling = setInterval(() => fill(ballast), 100);
        },
        async comeBack() {
          clearInterval(filling);
          rmSync(ballast);
          if (server) await lookAfter(server);
        },
        lasts: stage.sizes.seconds * 1000,
        // Some writes may succeed in space that the database frees.
        isGentle: true,
      });
      clearInterval(filling);
      Object.assign(figures, result.figures);
      faults.push(...result.faults);
      await wait(1000);
    }
    const end = await load.finish();
    if (!load.producer.refusals.size) faults.push('Nothing was ever refused: the disk was not full');
    return { figures: { ...end.figures, ...figures }, faults: [...faults, ...end.faults] };
  },
};

/** Writes until the disk is full to the last byte. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 16)) {
      try {
        while (writeSync(file, Buffer.alloc(size)) === size);
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}
