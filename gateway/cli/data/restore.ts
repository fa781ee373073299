import { isSet, readSetting } from '../../config';
import { SettingError } from '../../errors';
import { readBackup, restoreSqlite, type BackupReport } from '../../store/sqlite/restore';
import { createVault } from '../../store/vault';
import { isoTime } from '../../time';
import { sqliteFileOf } from './backup';
import { wordsAndOptions } from '../options';
import { print } from '../print';

/**
 * Restores a backup, or checks it with --check. Needs no secret key; only the gateway that uses the database
 * does.
 * @returns 1 if --check finds that the configured secret key cannot decrypt the backup
 */
export async function restore(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values, words } = wordsAndOptions(args, { flags: ['check'] });
  const [file, ...more] = words;
  if (file === undefined || more.length)
    throw new SettingError('Which backup? Give one file, for example backup.db.');
  const path = sqliteFileOf(env, 'pg_restore --clean --if-exists --dbname=DATABASE gateway.dump');
  const report = await readBackup(file);
  const { lines, destinations, messages, events, owed, lastEventAt, users } = report;
  print(
    `${file} holds ${lines} lines, ${destinations} destinations, ${messages} messages and ${events} events` +
      `${lastEventAt === null ? '' : `, the last of ${lastEventAt}`}. Later events are not in it.\n` +
      `It has ${owed} waiting deliveries. The gateway sends them when it starts, some of them a second time if they were delivered after the backup.\n` +
      `Users who can log in to the panel: ${users.map(({ name, role }) => `${name} (${role})`).join(', ') || 'none'}.`,
  );
  const opens = isOpened(report, env);
  print(KEY_SENTENCES[String(opens)] ?? '');
  if (values.check) return opens === false ? 1 : 0;
  const aside = restoreSqlite(file, path, isoTime(Date.now()));
  print(
    `${path} is restored${aside === null ? '' : `; the previous database is kept as ${aside}. Remove it when all is well: it still contains the contacts who were forgotten`}. Start the gateway with the GATEWAY_SECRET_KEY of the backup.`,
  );
  return 0;
}

const KEY_SENTENCES: Record<string, string> = {
  true: 'GATEWAY_SECRET_KEY decrypts it.',
  false: 'GATEWAY_SECRET_KEY is not its key. The gateway starts on it only with the key that was used then.',
  null: 'GATEWAY_SECRET_KEY is not checked: it is not set, or the backup holds nothing that is encrypted.',
};

/** Whether the configured key decrypts the backup; null if unknown. */
function isOpened({ sealed }: BackupReport, env: NodeJS.ProcessEnv): boolean | null {
  if (sealed === null || !isSet('GATEWAY_SECRET_KEY', env)) return null;
  const vault = createVault(
    readSetting('GATEWAY_SECRET_KEY', env),
    readSetting('GATEWAY_OLD_SECRET_KEYS', env),
  );
  try {
    vault.open(sealed.place, sealed.text);
    return true;
  } catch {
    return false;
  }
}
