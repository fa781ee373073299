import { SettingError } from '../../errors';
import { readBackup, restoreSqlite } from '../../store/sqlite/restore';
import { isoTime } from '../../time';
import { sqliteFileOf } from './backup';
import { wordsAndOptions } from '../options';
import { print } from '../print';

/** Puts a backup back, or says what it would bring back. It needs no secret key; the gateway that starts on it does. */
export async function restore(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['check'] });
  const [file, ...more] = words;
  if (file === undefined || more.length)
    throw new SettingError('Which backup? Give one file, for example backup.db.');
  const path = sqliteFileOf(env, 'pg_restore --clean --if-exists --dbname=DATABASE gateway.dump');
  const { lines, destinations, messages, events, owed, lastEventAt } = readBackup(file);
  print(
    `${file} holds ${lines} lines, ${destinations} destinations, ${messages} messages and ${events} events` +
      `${lastEventAt === null ? '' : `, the last of ${lastEventAt}`}. What came after that is not in it.\n` +
      `It owes ${owed} deliveries: a gateway that starts on it sends them, again where they were made after the backup.`,
  );
  if (values.check) return;
  const aside = restoreSqlite(file, path, isoTime(Date.now()));
  print(
    `${path} is restored${aside === null ? '' : `; what was there is kept as ${aside}. Remove it once all is well: whoever is to be forgotten is in it, too`}. Start the gateway with the GATEWAY_SECRET_KEY of the backup.`,
  );
}
