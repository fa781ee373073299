import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Config } from '../config';
import { SettingError } from '../errors';
import { PROGRAM_FOLDER } from '../program-folder';
import { DAY, HOUR, isoTime } from '../time';

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Left by one that was broken off. */
const PART = /^gateway-.*\.db\.\d+\.part/;
const OWN = /^gateway-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)\.db$/;

/** @throws SettingError where there can be no folder, or this user may not write into it */
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
 * Makes a backup a day, and keeps the last few. A process of its own makes it: a copy of a large database takes a while.
 * @param backedUp told what came of each look: null where there is a backup of today, or why there is none
 * @returns ends it; what is being made is broken off
 * @throws SettingError where the database is not copied this way
 */
export function scheduleBackups(
  config: Config,
  log: Log,
  backedUp: (failure: string | null) => void,
): () => Promise<void> {
  const { GATEWAY_BACKUP_DIR: folder, GATEWAY_BACKUP_KEEP: most, GATEWAY_DATABASE_URL: url } = config;
  if (folder === null) return async () => undefined;
  if (!url.startsWith('sqlite:'))
    throw new SettingError(
      'GATEWAY_BACKUP_DIR is for SQLite. Copy PostgreSQL with pg_dump, and leave it unset.',
    );
  makeWritable(folder);
  /** Those with a name of the time to come, made while the clock was wrong, say nothing of when the last was made. */
  const isToCome = (name: string) => !(Date.parse(timeOf(OWN.exec(name)?.[1] ?? '')) <= Date.now());
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

  async function backUp(): Promise<void> {
    const last = OWN.exec(backups().at(-1) ?? '')?.[1];
    // A little early, so that one a day does not move by an hour each time.
    if (last !== undefined && Date.parse(timeOf(last)) > Date.now() - DAY + HOUR / 2) return;
    for (const part of readdirSync(folder ?? '').filter((name) => PART.test(name)))
      rmSync(join(folder ?? '', part));
    const file = join(folder ?? '', `gateway-${isoTime(Date.now()).slice(0, 19).replaceAll(':', '-')}.db`);
    await promisify(execFile)(process.execPath, [join(PROGRAM_FOLDER, 'main.js'), 'backup', file], {
      // It needs no secrets.
      env: { GATEWAY_DATABASE_URL: url },
      signal: ended.signal,
    });
    log.info({ file }, 'backup made');
    for (const old of backups().slice(0, -most)) rmSync(join(folder ?? '', old));
  }

  const ended = new AbortController();
  let running = Promise.resolve();
  const look = () => {
    running = running
      .then(backUp)
      .then(() => backedUp(null))
      .catch((error: unknown) => {
        if (ended.signal.aborted) return;
        log.error({ error }, 'no backup was made: tried again in an hour');
        backedUp((error as Error).message.slice(0, 300));
      });
  };
  look();
  const timer = setInterval(look, HOUR).unref();
  return async () => {
    clearInterval(timer);
    ended.abort();
    await running;
  };
}

/** From a file's name, where colons are not allowed everywhere. */
const timeOf = (name: string): string => `${name.slice(0, 11)}${name.slice(11).replaceAll('-', ':')}Z`;
