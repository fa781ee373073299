import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What a gateway keeps in its folder beside the files of a SQLite database. */
const OWN_FILES = ['sandbox-contacts.jsonl', 'secret-key', 'demo-line-token'];

/** A folder and its files are its owner's alone: of what is made from now on, by whatever part of the program. */
export const keepFilesToOwner = (): void => void process.umask(0o077);

/**
 * Files of the gateway that others on this machine may read or write, and its folder where they may put files there: what
 * was made before, or by somebody else.
 * @param database null where it is no file
 */
export function filesOpenToOthers(folder: string, database: string | null): string[] {
  const isOwn = (name: string) =>
    OWN_FILES.includes(name) || (database !== null && name.startsWith(basename(database)));
  try {
    const files = readdirSync(folder)
      .filter(isOwn)
      .map((name) => join(folder, name))
      .filter((file) => statSync(file).mode & 0o077);
    return statSync(folder).mode & 0o022 ? [folder, ...files] : files;
  } catch {
    // There is no folder, or a file has just gone.
    return [];
  }
}
