import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Config } from '../config';
import { SettingError } from '../errors';
import { type Backups } from '../panel/dependencies';
import { PROGRAM_FOLDER } from '../program-folder';
import { DAY, HOUR, isoTime } from '../time';

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A file left by an interrupted backup. */
const PART = /^gateway-.*\.db\.\d+\.part/;
/** The length of a backup's file name up to the end of the date. */
const DAY_END = 'gateway-2026-01-01'.length;
const OWN = /^gateway-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)\.db$/;

/** @throws SettingError if the folder cannot be created or is not writable */
function makeWritable(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new SettingError(
      `GATEWAY_BACKUP_DIR names a folder that cannot be written to: ${folder} (${(error as { code: string }).code}). Create it, and give it to the user that runs the gateway.`,
    );
  }
}

/**
 * Makes a daily backup and keeps the last few. A separate process makes it, because copying a large database takes a
 * while.
 * @param backedUp called after each check: null if today's backup exists, otherwise why not
 * @returns null if no folder is set
 * @throws SettingError if the database does not support such backups
 */
export function scheduledBackups(
  config: Config,
  log: Log,
  backedUp: (failure: string | null) => void,
): ScheduledBackups | null {
  const { GATEWAY_BACKUP_DIR: folder, GATEWAY_BACKUP_KEEP: most, GATEWAY_DATABASE_URL: url } = config;
  if (folder === null) return null;
  if (!url.startsWith('sqlite:'))
    throw new SettingError(
      'GATEWAY_BACKUP_DIR is for SQLite. Copy PostgreSQL with pg_dump, and leave it unset.',
    );
  makeWritable(folder);
  /** A backup with a future time in its name was made with a wrong clock, and does not count as the last one. */
  const isToCome = (name: string) => !(Date.parse(timeOf(name)) <= Date.now());
  const told = new Set<string>();
  function backups(): string[] {
    const own = readdirSync(folder ?? '')
      .filter((name) => OWN.test(name))
      .sort();
    for (const file of own.filter((name) => isToCome(name) && !told.has(name))) {
      told.add(file);
      log.warn({ file }, 'backup of a time to come: neither counted nor removed. Look at the clock');
    }
    return own.filter((name) => !isToCome(name));
  }

  /**
   * The existing backups; none if the folder cannot be read, for example because its disk is not mounted. `failure`
   * then says why.
   */
  function found(): string[] {
    try {
      return backups();
    } catch {
      return [];
    }
  }

  /** When the next backup is due: slightly early, so that the daily backup does not shift by an hour each time. */
  function dueAt(last: string | undefined): number {
    return last === undefined ? Date.now() : Date.parse(timeOf(last)) + DAY - HOUR / 2;
  }

  async function backUp(): Promise<void> {
    for (const part of readdirSync(folder ?? '').filter((name) => PART.test(name)))
      rmSync(join(folder ?? '', part));
    const file = join(folder ?? '', `gateway-${isoTime(Date.now()).slice(0, 19).replaceAll(':', '-')}.db`);
    // A backup of the same second exists; a backup never replaces another.
    if (existsSync(file)) return;
    await promisify(execFile)(process.execPath, [join(PROGRAM_FOLDER, 'main.js'), 'backup', file], {
      // The process needs no secrets.
      env: { GATEWAY_DATABASE_URL: url },
      signal: ended.signal,
    });
    log.info({ file }, 'backup made');
    const all = backups();
    // Keeps the last one of each day, so that manual backups of today do not displace earlier days.
    const ofDays = [...new Map(all.map((name) => [name.slice(0, DAY_END), name])).values()];
    const kept = new Set([...all.slice(-most), ...ofDays.slice(-most)]);
    for (const old of all.filter((name) => !kept.has(name))) rmSync(join(folder ?? '', old));
  }

  const ended = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let waiting = 0;
  let failure: string | null = null;
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    waiting++;
    running = running
      .then(work)
      .then(() => {
        failure = null;
        backedUp(null);
      })
      .catch((error: unknown) => {
        if (ended.signal.aborted) return;
        log.error({ error }, 'no backup was made: tried again in an hour');
        failure = (error as Error).message.slice(0, 300);
        backedUp(failure);
      })
      .finally(() => waiting--);
    return running;
  };
  const look = () =>
    inTurn(async () => {
      if (dueAt(backups().at(-1)) <= Date.now()) await backUp();
    });
  const isOwn = (name: string) => found().includes(name);
  return {
    folder,
    list: () =>
      found()
        .reverse()
        .flatMap((name) => {
          // Another program may have removed the file meanwhile.
          const stats = statSync(join(folder, name), { throwIfNoEntry: false });
          return stats ? { name, at: timeOf(name), bytes: stats.size } : [];
        }),
    nextAt: () => isoTime(dueAt(found().at(-1))),
    isRunning: () => waiting > 0,
    failure: () => failure,
    // Concurrent callers share one backup.
    make: () => (waiting > 0 ? running : inTurn(backUp)),
    open: (name) => (isOwn(name) ? createReadStream(join(folder, name)) : null),
    start() {
      void look();
      const timer = setInterval(() => void look(), HOUR).unref();
      return async () => {
        clearInterval(timer);
        ended.abort();
        await running;
      };
    },
  };
}

export interface ScheduledBackups extends Backups {
  /** @returns ends the schedule and interrupts a running backup */
  start(): () => Promise<void>;
}

/** The time in a file name, which has no colons because some file systems forbid them. */
const timeOf = (name: string): string => {
  const time = OWN.exec(name)?.[1] ?? '';
  return `${time.slice(0, 11)}${time.slice(11).replaceAll('-', ':')}.000Z`;
};
