import { readSetting } from '../../config';
import { SettingError } from '../../errors';
import { backupSqlite } from '../../store/sqlite/backup';
import { wordsAndOptions } from '../options';
import { print } from '../print';

/** Copies the SQLite database. Needs no secret key, because secrets stay encrypted in the copy. */
export async function backup(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [file, ...more] = wordsAndOptions(args).words;
  if (file === undefined || more.length)
    throw new SettingError('Where to? Give one file, for example backup.db.');
  const path = sqliteFileOf(
    env,
    'pg_dump --format=custom --file=gateway.dump --host=HOST --username=USER DATABASE',
  );
  backupSqlite(path, file);
  print(
    `The database is copied to ${file}. Messages, contacts and password hashes can be read in it: keep it safe. Also keep GATEWAY_SECRET_KEY, but not beside the backup: it opens the credentials.`,
  );
}

/**
 * @param instead PostgreSQL's own command for the same task
 * @throws SettingError if the database is not SQLite
 */
export function sqliteFileOf(env: NodeJS.ProcessEnv, instead: string): string {
  const url = readSetting('GATEWAY_DATABASE_URL', env);
  if (url.startsWith('sqlite:')) return url.slice('sqlite:'.length);
  throw new SettingError(
    `This is for SQLite alone. PostgreSQL brings its own command, which takes the password from ~/.pgpass: ${instead}`,
  );
}
