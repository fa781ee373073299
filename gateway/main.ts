import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS, commandsHelp, helpOn } from './cli/commands';
import { keepFilesToOwner } from './files/file-modes';
import { Refusal, SettingError } from './errors';
import { PROGRAM_FOLDER } from './program-folder';

/** Ended as asked; failed while running; wrong settings or arguments. */
const ENDED = 0;
const FAILED = 1;
const WRONG_SETTINGS = 2;

/**
 * Threads for what Node cannot ask the system for without waiting. Half of them may look up names: with Node's own 4,
 * two destinations whose name servers are silent would keep all others, and upstream, from being connected to
 * (`http/destination-address.ts`).
 */
const THREADS = 128;

const OLDEST_NODE = 24;

async function main(given: string[]): Promise<number> {
  if (Number.parseInt(process.versions.node) < OLDEST_NODE) {
    process.stderr.write(
      `The gateway needs Node.js ${OLDEST_NODE} or later, and this is ${process.version}. Install a newer one and try again.\n`,
    );
    return WRONG_SETTINGS;
  }
  keepFilesToOwner();
  const words = given.length ? given : ['quick-start'];
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));
  if (words.some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`${command ? helpOn(command) : commandsHelp()}\n`);
    return ENDED;
  }
  if (words[0] === '--version') {
    const file = join(PROGRAM_FOLDER, '..', 'package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    process.stdout.write(`${version}\n`);
    return ENDED;
  }
  if (!command) {
    process.stderr.write(`${unknown(words)}${commandsHelp()}\n`);
    return WRONG_SETTINGS;
  }
  // Read when the first of them is needed, which nothing has done by now.
  process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
  try {
    await command.run(words.slice(command.name.split(' ').length), process.env);
    return ENDED;
  } catch (error) {
    const sentence = sentenceOf(error);
    process.stderr.write(`${sentence ?? (error as Error).stack}\n`);
    return sentence === null ? FAILED : WRONG_SETTINGS;
  }
}

/** Only the words of a command are repeated: what follows them may be a secret. */
function unknown(words: string[]): string {
  const options = words.findIndex((word) => word.startsWith('-'));
  const named = words.slice(0, options < 0 ? 2 : Math.min(options, 2)).join(' ');
  return `${named ? `There is no command "${named}".` : 'An option belongs to a command, and none is named.'}\n\n`;
}

/** What to say of wrong settings or arguments; null for anything else. */
function sentenceOf(error: unknown): string | null {
  if (error instanceof SettingError) return error.message;
  if (error instanceof Refusal && 'error_data' in error.error)
    return error.error.error_data?.details ?? error.message;
  const code = String((error as { code?: unknown }).code);
  if (!code.startsWith('ERR_PARSE_ARGS')) return null;
  // Node would repeat it, and it may be a secret.
  const said =
    code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL'
      ? 'There is a word too many: this command takes nothing beside its options.'
      : (error as Error).message;
  return `${said}\n"messaging-gateway help" shows every command.`;
}

// A code that is set, not an exit: what still waits to be written to a pipe is written.
void main(process.argv.slice(2)).then((code) => {
  if (code !== ENDED) process.exitCode = code;
});
