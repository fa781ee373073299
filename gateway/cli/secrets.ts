import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { SettingError } from '../errors';

/**
 * Refuses secrets in arguments, because process lists and npm's logs show them.
 * @returns the arguments
 * @throws SettingError if one is a secret, without repeating it
 */
export function withoutSecrets(args: string[], names: readonly string[]): string[] {
  const given = names.find((name) => args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)));
  if (given === undefined) return args;
  throw new SettingError(
    `--${given} is refused: process lists and npm's logs show arguments. Replace this secret, because they may contain it now, and give it with --${given}-file FILE, or - for standard input.`,
  );
}

/** Platform credentials, which never contain spaces or line breaks. */
const CREDENTIALS: readonly string[] = ['access-token', 'app-secret'];

/**
 * Reads the secrets from the files that the options name.
 * @param asked labels of required secrets; a missing one is asked for at the terminal
 * @throws SettingError if a secret is unreadable, empty or missing
 */
export async function secretsIn<Name extends string>(
  values: { [option: string]: unknown },
  names: readonly Name[],
  asked: { [name in Name]?: string } = {},
): Promise<Partial<Record<Name, string>>> {
  const sources = new Map(names.map((name) => [name, values[`${name}-file`] as string | undefined]));
  const [first, second] = names.filter((name) => sources.get(name) === '-');
  if (second !== undefined)
    throw new SettingError(
      `Standard input can hold only one secret, not both --${first}-file and --${second}-file.`,
    );
  const isTerminal = process.stdin.isTTY;
  const missing = names.filter((name) => asked[name] !== undefined && sources.get(name) === undefined);
  if (missing.length && !isTerminal)
    throw new SettingError(
      `Missing: ${missing.map((name) => `--${name}-file FILE`).join(', ')}. - instead of FILE is standard input. Without files, the command asks at a terminal. In a container, use docker exec with -it.`,
    );
  const secrets: Partial<Record<Name, string>> = {};
  for (const [name, source] of sources) {
    if (source === undefined && asked[name] === undefined) continue;
    let read: string;
    if (source === undefined || (source === '-' && isTerminal)) read = await ask(asked[name] ?? name);
    else read = source === '-' ? await readAll(process.stdin) : fileOf(name, source);
    const secret = CREDENTIALS.includes(name) ? read.trim() : read.replace(/[\r\n]+$/, '');
    if (!secret.trim()) throw new SettingError(`--${name}-file names an empty file.`);
    secrets[name] = secret;
  }
  return secrets;
}

/** Does not repeat the path in the error: users may have pasted the secret itself. */
function fileOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new SettingError(`--${name}-file names a file that cannot be read.`);
  }
}

/** Asks at the terminal without echoing the input. */
function ask(what: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // The prompt follows after echo is off, because a user may type or paste immediately.
  process.stderr.write(`${what} (not shown): `);
  return new Promise((resolve, reject) => {
    terminal.once('line', (line) => {
      resolve(line);
      terminal.close();
    });
    terminal.once('close', () => {
      process.stderr.write('\n');
      reject(new SettingError('Nothing was entered, so nothing was changed.'));
    });
  });
}
