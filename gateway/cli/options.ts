import { parseArgs } from 'node:util';
import { Refusal, SettingError } from '../errors';
import { withoutSecrets } from './secrets';

/** What a command takes beside its own words. */
interface Taken<Text extends string, Flag extends string, Secret extends string> {
  /** Options with a text. */
  text?: readonly Text[];
  /** Options without. */
  flags?: readonly Flag[];
  /** Secrets, which come in files: `--NAME-file FILE`, where `-` is standard input (`secretsIn`). */
  secrets?: readonly Secret[];
}

/** Undefined if not given. */
type Values<Text extends string, Flag extends string, Secret extends string> = {
  [Name in Text | `${Secret}-file`]?: string;
} & { [Name in Flag]?: boolean };

/**
 * The options that a command was given, and the words beside them, such as a line or an id.
 * @throws SettingError for a secret among the arguments, and the error of `parseArgs` for what the command does not take
 */
export function wordsAndOptions<
  Text extends string = never,
  Flag extends string = never,
  Secret extends string = never,
>(args: string[], taken: Taken<Text, Flag, Secret> = {}) {
  return read(args, taken, true);
}

/** The options of a command that takes no words. @throws as `wordsAndOptions`, and for a word */
export function optionsOf<
  Text extends string = never,
  Flag extends string = never,
  Secret extends string = never,
>(args: string[], taken: Taken<Text, Flag, Secret>): Values<Text, Flag, Secret> {
  return read(args, taken, false).values;
}

function read<Text extends string, Flag extends string, Secret extends string>(
  args: string[],
  { text = [], flags = [], secrets = [] }: Taken<Text, Flag, Secret>,
  allowPositionals: boolean,
) {
  const withText = [...text, ...secrets.map((name) => `${name}-file`)];
  const options = Object.fromEntries([
    ...withText.map((name) => [name, { type: 'string' }] as const),
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
  ]);
  const { values, positionals } = parseArgs({
    args: withoutSecrets(args, secrets),
    options,
    allowPositionals,
  });
  return { values: values as Values<Text, Flag, Secret>, words: positionals };
}

/** Reads one of these words. @param option its name on the command line @throws SettingError for any other word */
export function oneOf<Word extends string>(option: string, value: string, words: readonly Word[]): Word {
  if (words.includes(value as Word)) return value as Word;
  throw new SettingError(`${option} is "${value}"; possible: ${words.join(', ')}.`);
}

/** Names the issues of a refusal by options that are called otherwise than the fields; empty for a word without one. */
export const byOptions =
  (names: Partial<Record<string, string>>) =>
  (error: unknown): never => {
    if (error instanceof Refusal && error.issues)
      error.issues = error.issues.map((issue) => ({ ...issue, path: names[issue.path] ?? issue.path }));
    throw error;
  };
