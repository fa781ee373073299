import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSet } from '../config';
import { Refusal, SettingError } from '../errors';
import { PROGRAM_FOLDER } from '../program-folder';
import { say } from '../wording/say';
import { COMMANDS, commandsHelp, commandsOf, helpOn } from './commands';

/** Exit codes: success, failure while running, invalid settings or arguments. */
const ENDED = 0;
const FAILED = 1;
const WRONG_SETTINGS = 2;

/**
 * Defaults to `help` if a database is configured: the user probably forgot the command, and quick-start would
 * add a sandbox.
 */
const withoutCommand = (env: NodeJS.ProcessEnv): string[] =>
  isSet('GATEWAY_DATABASE_URL', env) ? ['help'] : ['quick-start'];

/**
 * Runs a command; without one, `quick-start` or `help`.
 * @returns the exit code
 */
export async function runCommand(given: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const words = given.length ? given : withoutCommand(env);
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));
  if (words.some((word) => word === '--help' || word === '-h')) {
    const group = command ? [command] : commandsOf(words[0]);
    process.stdout.write(`${group.length ? group.map(helpOn).join('\n') : commandsHelp()}\n`);
    return ENDED;
  }
  if (words[0] === '--version') {
    const file = join(PROGRAM_FOLDER, '..', 'package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    process.stdout.write(`${version}\n`);
    return ENDED;
  }
  if (!command) {
    process.stderr.write(`${unknown(words)}\n`);
    return WRONG_SETTINGS;
  }
  try {
    return (await command.run(words.slice(command.name.split(' ').length), env)) ?? ENDED;
  } catch (error) {
    const sentence = sentenceOf(error);
    process.stderr.write(`${sentence ?? (error as Error).stack}\n`);
    return sentence === null ? FAILED : WRONG_SETTINGS;
  }
}

/** Repeats only the command's words, because its arguments may contain a secret. */
function unknown(words: string[]): string {
  const options = words.findIndex((word) => word.startsWith('-'));
  const named = words.slice(0, options < 0 ? 2 : Math.min(options, 2)).join(' ');
  const happened = named
    ? `There is no command "${named}".`
    : 'An option belongs to a command, and none is named.';
  const group = commandsOf(words[0]).map(({ name }) => `"${name}"`);
  return group.length
    ? `${happened} There is ${group.join(', ')}: "messaging-gateway help ${words[0]}" explains them.`
    : `${happened} "messaging-gateway help" shows all.`;
}

/** Fields whose option differs, because it takes a file. */
const OF_FILES: Partial<Record<string, string>> = {
  headers: 'header-file',
  secret: 'secret-file',
  access_token: 'access-token-file',
  app_secret: 'app-secret-file',
  password: 'password-file',
};

/** Returns the option for a field: `waba_id` → `--waba-id`. */
const optionOf = (path: string): string => {
  const field = path.replace(/\[.*/, '');
  return `--${OF_FILES[field] ?? field.replaceAll('_', '-')}`;
};

/** Returns the message for invalid settings or arguments; null for any other error. */
function sentenceOf(error: unknown): string | null {
  if (error instanceof SettingError) return error.message;
  if (error instanceof Refusal && error.issues)
    return error.issues
      .map(({ path, fact, message }) => `${path && `${optionOf(path)}: `}${say('en', fact ?? message)}`)
      .join('\n');
  if (error instanceof Refusal && 'error_data' in error.error)
    return error.error.error_data?.details ?? error.message;
  const code = String((error as { code?: unknown }).code);
  if (!code.startsWith('ERR_PARSE_ARGS')) return null;
  // Node's message would repeat the word, which may be a secret.
  const said =
    code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL'
      ? 'There is a word too many: this command takes nothing beside its options.'
      : (error as Error).message;
  return `${said}\nA command with --help shows what it takes. Settings are environment variables: "messaging-gateway help config".`;
}
