import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** What a gateway keeps in its folder beside the files of a SQLite database. */
const OWN_FILES = ['sandbox-contacts.jsonl', 'secret-key', 'demo-line-token'];

/** A folder and its files are its owner's alone: of what is made from now on, by whatever part of the program. */
export const keepFilesToOwner = (): void => void process.umask(0o077);

/**
 * Files of the gateway that others on this machine may read or write, and its folder where they may put files there: what
 * was made before, or by somebody else.
 * @param database null where it is no file
 * @param settings files that settings are read from: those of this user. Who mounts or lends others sets their modes.
 */
export function filesOpenToOthers(folder: string, database: string | null, settings: string[]): string[] {
  const isOwn = (name: string) =>
    OWN_FILES.includes(name) || (database !== null && name.startsWith(basename(database)));
  const user = process.getuid?.();
  try {
    const isThere = existsSync(folder);
    const own = isThere ? readdirSync(folder).filter(isOwn) : [];
    const files = [
      ...own.map((name) => resolve(folder, name)),
      ...settings.map((file) => resolve(file)).filter((file) => statSync(file).uid === user),
    ].filter((file) => statSync(file).mode & 0o077);
    return [...(isThere && statSync(folder).mode & 0o022 ? [folder] : []), ...new Set(files)];
  } catch {
    // A file has just gone.
    return [];
  }
}
