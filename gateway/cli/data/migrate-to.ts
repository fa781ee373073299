import { readSetting } from '../../config';
import { SettingError } from '../../errors';
import { moveToPostgres, type MoveNews } from '../../store/move/move';
import { SECOND } from '../../time';
import { requireDatabase } from '../offline';
import { wordsAndOptions } from '../options';
import { print } from '../print';
import { secretsIn } from '../secrets';

/** Copies the SQLite database to PostgreSQL. Needs no secret key, because secrets stay encrypted in the copy. */
export async function migrateTo(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const url = await urlOf(args);
  const source = readSetting('GATEWAY_DATABASE_URL', env);
  if (!source.startsWith('sqlite:'))
    throw new SettingError(
      'GATEWAY_DATABASE_URL names no SQLite database. This command copies a SQLite database to PostgreSQL.',
    );
  const path = source.slice('sqlite:'.length);
  requireDatabase(path);
  const { tables, rows, aside } = await moveToPostgres(path, url, progress());
  print(
    `${count(tables)} tables with ${count(rows)} rows are copied and checked.\n` +
      'Set GATEWAY_DATABASE_URL to the PostgreSQL database, keep GATEWAY_SECRET_KEY, and start the gateway.\n' +
      `The SQLite file is now ${aside}, so that no gateway starts on it and sends its waiting events a second time. Delete it when all is well.`,
  );
}

/** @throws SettingError for a URL with a password among the arguments, without repeating it */
async function urlOf(args: string[]): Promise<string> {
  const { values, words } = wordsAndOptions(args, { secrets: ['url'] });
  const [word, ...more] = words;
  const { url: read } = await secretsIn(values, ['url']);
  const url = (read ?? word)?.trim();
  if (url === undefined || more.length || (read !== undefined && word !== undefined))
    throw new SettingError(
      'Where to? Give one URL, for example postgres://gateway@db.example.com/gateway, or --url-file FILE.',
    );
  if (!/^postgres(ql)?:\/\//.test(url)) throw new SettingError('The URL must begin with postgres://.');
  if (read === undefined && hasPassword(url))
    throw new SettingError(
      "A URL with a password is refused as an argument: process lists and npm's logs show arguments. Change this password, because they may contain it now. Then give the URL with --url-file FILE, or - for standard input.",
    );
  return url;
}

/** Also finds one with characters that a URL should write as `%2F`. */
const hasPassword = (url: string): boolean =>
  /^[^/]+\/\/[^@/?#:]*:.*@/.test(url) || /[?&]password=/i.test(url);

const count = (of: number): string => of.toLocaleString('en');

const SENTENCES: Record<Exclude<MoveNews['kind'], 'copied'>, string> = {
  new: 'Creating the tables in PostgreSQL.',
  resumed: 'An earlier copy was interrupted. It continues.',
  restarted: 'The SQLite database has changed since an earlier, interrupted copy. The copy starts again.',
  checking: 'Comparing the rows of both databases.',
};

/** Prints each finished table, and every five seconds how far a large one is. */
function progress(): (news: MoveNews) => void {
  let printedAt = performance.now();
  return (news) => {
    if (news.kind !== 'copied') return print(SENTENCES[news.kind]);
    const { table, rows, of } = news;
    if (rows < of && performance.now() - printedAt < 5 * SECOND) return;
    printedAt = performance.now();
    print(`${table}: ${count(rows)}${rows < of ? ` of ${count(of)}` : ''} rows copied`);
  };
}
