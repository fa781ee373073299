import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { createDatabase, postgresServer } from '../support/postgres';
import { needs } from './commands';
import { endAtOnce, lookAfter, processesOf } from './look-after';
import { outage } from './outage';
import { type Proof } from './proof';
import { setUnderLoad } from './under-load';

interface Fault {
  name: string;
  /** The failing system calls, and their error. */
  calls: string;
  error: string;
}

const SYNC = 'fsync,fdatasync';
const WRITE = 'pwrite64,pwritev';
const FAULTS: Record<'SQLite' | 'PostgreSQL', Fault[]> = {
  SQLite: [
    { name: 'fsync fails', calls: SYNC, error: 'EIO' },
    { name: 'writing fails', calls: WRITE, error: 'EIO' },
    { name: 'no space', calls: WRITE, error: 'ENOSPC' },
  ],
  // PostgreSQL crashes if its log cannot be written or synced. Its postmaster, which is not affected,
  // restarts it.
  PostgreSQL: [
    { name: 'fsync fails', calls: SYNC, error: 'EIO' },
    { name: 'writing fails', calls: WRITE, error: 'EIO' },
  ],
};

export const diskFaults: Proof<{ seconds: number; rate: number; rounds: number }> = {
  name: 'disk-faults',
  proves:
    'while the disk fails to write or to sync, nothing is acknowledged that is not durable, and all goes on by itself after it (P1, P15)',
  on: ['SQLite', 'PostgreSQL'],
  sizes: { seconds: 3, rate: 100, rounds: 3 },

  async run(stage) {
    needs({ strace: 'strace' });
    const isSqlite = stage.ground === 'SQLite';
    const server = isSqlite
      ? null
      : await postgresServer({ folder: join(stage.folder, 'postgres'), persistent: true });
    if (server) {
      await server.start();
      stage.atEnd(() => endAtOnce(server));
    }
    const databaseUrl = server ? await createDatabase(server.url) : stage.databaseUrl;
    const load = await setUnderLoad({ ...stage, databaseUrl }, stage.sizes.rate);
    const file = databaseUrl.slice('sqlite:'.length);
    const words = server
      ? () => ['-p', processesOf(server).slice(1).join(',')]
      : () => ['-p', String(load.gateway.pid), ...[file, `${file}-wal`].flatMap((path) => ['-P', path])];

    const figures: Record<string, string | number> = {};
    const faults: string[] = [];
    for (let round = 1; round <= stage.sizes.rounds; round++) {
      for (const fault of FAULTS[isSqlite ? 'SQLite' : 'PostgreSQL']) {
        stage.tell(`round ${round}: ${fault.name} (${fault.error})`);
        let injected: Injection | undefined;
        const result = await outage({
          name: `${round}: ${fault.name} (${fault.error})`,
          ...load,
          goAway() {
            injected = inject(words(), fault);
            return injected.begun;
          },
          async comeBack() {
            await injected?.end();
            if (server) await lookAfter(server);
          },
          lasts: stage.sizes.seconds * 1000,
          // Processes that the postmaster has restarted are not affected.
          isGentle: server !== null,
        });
        Object.assign(figures, {
          [`${round}: ${fault.name} (${fault.error}): injected`]: injected?.count() ?? 0,
          ...result.figures,
        });
        if (!injected?.count()) faults.push(`Round ${round}: no ${fault.name} was injected`);
        faults.push(...result.faults);
        await wait(500);
      }
    }
    const end = await load.finish();
    return { figures: { ...end.figures, ...figures }, faults: [...faults, ...end.faults] };
  },
};

interface Injection {
  /** Resolves once system calls fail. */
  begun: Promise<void>;
  /** Number of calls that failed. */
  count(): number;
  end(): Promise<void>;
}

/**
 * Makes system calls fail until `end`.
 * @param words the affected process and files
 */
function inject(words: string[], { calls, error }: Fault): Injection {
  const tracer = spawn(
    'strace',
    ['-f', ...words, '-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let told = '';
  const begun = new Promise<void>((resolve) => {
    tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      if (/ attached/.test(told)) resolve();
    });
    tracer.once('close', () => resolve());
  });
  const ended = new Promise<void>((resolve) => tracer.once('close', () => resolve()));
  return {
    begun,
    count: () => told.split('(INJECTED)').length - 1,
    end() {
      tracer.kill('SIGINT');
      return ended;
    },
  };
}
