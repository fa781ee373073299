import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** What a gateway keeps in its folder beside the files of a SQLite database. */
const OWN_FILES = ['sandbox-contacts.jsonl', 'secret-key', 'demo-line-token'];

/** New folders and files are readable only by their owner, whatever part of the program creates them. */
export const keepFilesToOwner = (): void => void process.umask(0o077);

/**
 * Files of the gateway that other users of this machine may read or write, and its folder if they may add
 * files to it. Such files are older, or somebody else created them.
 * @param database null if it is no file
 * @param settings files from which settings are read, if this user owns them: the modes of mounted files are
 * set elsewhere
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
