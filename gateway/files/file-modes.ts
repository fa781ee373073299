import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** The gateway's files in its folder besides those of a SQLite database. */
const OWN_FILES = ['sandbox-contacts.jsonl', 'secret-key', 'demo-line-token'];

/** Makes new files and folders readable only by their owner, whichever part of the program creates them. */
export const keepFilesToOwner = (): void => void process.umask(0o077);

/**
 * Files of the gateway that other users of this machine can read or write, and its folder if they can add files to
 * it. Such files are old, or were created by another program.
 * @param database null if the database is not a file
 * @param settings settings files, checked only if this user owns them: the modes of mounted files are set elsewhere
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
    // The file was removed meanwhile.
    return [];
  }
}
