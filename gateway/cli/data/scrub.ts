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
      `Not enough disk space, so nothing was changed. The command rewrites the database at the end, which takes ${megabytes(needed)} MB; the disk has ${megabytes(free)} MB left. Free some space, then run the command again.`,
    );
  const seconds = Math.round(used / WRITTEN_ANEW);
  if (seconds === 0) return '';
  return ` At the end, the command rewrites the database. For about ${seconds} s, or longer on a slow disk, a running gateway cannot write and answers 503.`;
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);

/**
 * Removes deleted data from the database files.
 * @param what the removed data, for the sentence
 * @returns the command's last sentence
 */
export async function scrubbed(
  store: Pick<Store, 'dialect' | 'scrub'>,
  what = 'the removed data',
): Promise<string> {
  if (store.dialect === 'postgres')
    return `PostgreSQL keeps ${what} in its files until it reuses their space; VACUUM FULL rewrites the tables. Its write-ahead log and archives keep it too.`;
  return (await store.scrub('file'))
    ? `The files of the database no longer contain ${what}.`
    : `The write-ahead log beside the database still contains ${what}, because the gateway was busy. Run the command again, or restart the gateway.`;
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
    ? `Not changed, remove them yourself: ${copies.join(', ')}. Other backups, exports, logs and earlier deliveries are not changed either.`
    : 'Backups, exports, logs and earlier deliveries are not changed.';
