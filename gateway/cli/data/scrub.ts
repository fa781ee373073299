import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readConfig } from '../../config';
import { SettingError } from '../../errors';
import { LEAST_SPACE } from '../../monitoring/pressure';
import { type Store } from '../../store/store';
import { sandboxFile, sqliteFile } from '../../files/data-folder';

/** Bytes of a database that a disk rewrites per second, including the log. */
const WRITTEN_ANEW = 100 * 1024 * 1024;

/**
 * Checks the free space for `scrubbed`, which writes the database to a temporary file and again to its log.
 * Call it before any change.
 * @returns a sentence about the duration for the confirmation; empty if it is negligible
 * @throws SettingError if there is too little space
 */
export async function roomToScrub(store: Pick<Store, 'usedSpace' | 'freeSpace'>): Promise<string> {
  const used = await store.usedSpace();
  const free = await store.freeSpace();
  if (used === null || free === null) return '';
  const needed = 2 * used + LEAST_SPACE;
  if (free < needed)
    throw new SettingError(
      `Nothing is done yet, for lack of room: at the end the database is written anew, which takes ${megabytes(needed)} MB for a while, and its disk has ${megabytes(free)} MB left. Make room, then run this again.`,
    );
  const seconds = Math.round(used / WRITTEN_ANEW);
  if (seconds === 0) return '';
  return ` At the end the database is written anew. For about ${seconds} s, on a slow disk for longer, a gateway that runs writes nothing, and answers what it cannot write with 503.`;
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);

/**
 * Removes deleted data from the database files.
 * @param what the removed data, for the sentence
 * @returns the command's last sentence
 */
export async function scrubbed(
  store: Pick<Store, 'dialect' | 'scrub'>,
  what = 'what was removed',
): Promise<string> {
  if (store.dialect === 'postgres')
    return `PostgreSQL keeps ${what} in its files until it needs their room: VACUUM FULL writes the tables anew. Its write-ahead log and archives keep it too.`;
  return (await store.scrub('file'))
    ? `Nothing of ${what} is left in the files of the database.`
    : `The write-ahead log beside the database still holds ${what}, because the gateway was busy. Run this again, or start the gateway again.`;
}

/**
 * Returns files that may still contain the removed data, because `scrubbed` does not change them: databases
 * kept by `restore`, and the gateway's own backups.
 */
export function copiesBeside(env: NodeJS.ProcessEnv): string[] {
  const config = readConfig(env);
  const path = sqliteFile(config);
  if (path === null) return [];
  const { GATEWAY_BACKUP_DIR: backups } = config;
  return [
    ...filesOf(dirname(path), (name) => name.startsWith(`${basename(path)}-before-`)),
    ...(backups === null ? [] : filesOf(backups, (name) => name.endsWith('.db'))),
  ];
}

const filesOf = (folder: string, isMeant: (name: string) => boolean): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(isMeant)
        .map((name) => join(folder, name))
    : [];

/** Returns the embedded sandbox's data file if it contains one of these contacts; null otherwise. */
export function sandboxFileWith(env: NodeJS.ProcessEnv, identities: string[]): string | null {
  const file = sandboxFile(readConfig(env));
  if (!existsSync(file)) return null;
  const kept = readFileSync(file, 'utf8');
  return identities.some((identity) => kept.includes(JSON.stringify(identity))) ? file : null;
}

/**
 * Lists copies that the user must remove.
 * @param copies from `copiesBeside`
 */
export const beyondReach = (copies: string[]): string =>
  copies.length
    ? `Not looked into, and yours to remove: ${copies.join(', ')}. Other backups, exports, logs, and what was delivered before, are beyond its reach as well.`
    : 'Backups, exports, logs, and what was delivered before, are beyond its reach.';
