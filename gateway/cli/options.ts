import { parseArgs } from 'node:util';
import { Refusal, SettingError } from '../errors';
import { withoutSecrets } from './secrets';

/** Options that a command accepts. */
interface Taken<Text extends string, Flag extends string, Secret extends string, List extends string> {
  /** Options with a value. */
  text?: readonly Text[];
  /** Options with a value that can be given several times. */
  lists?: readonly List[];
  /** Options without a value. */
  flags?: readonly Flag[];
  /** Secrets, read from files: `--NAME-file FILE`, with `-` for standard input (see `secretsIn`). */
  secrets?: readonly Secret[];
}

/** Values of the options; undefined if not given. */
type Values<Text extends string, Flag extends string, Secret extends string, List extends string> = {
  [Name in Text | `${Secret}-file`]?: string;
} & { [Name in Flag]?: boolean } & { [Name in List]?: string[] };

/**
 * Parses the options and the other words, such as a line or an ID.
 * @throws SettingError for a secret among the arguments, and the error of `parseArgs` for unknown options
 */
export function wordsAndOptions<
  Text extends string = never,
  Flag extends string = never,
  Secret extends string = never,
  List extends string = never,
>(args: string[], taken: Taken<Text, Flag, Secret, List> = {}) {
  return read(args, taken, true);
}

/**
 * Parses the options of a command without other words.
 * @throws like `wordsAndOptions`, and for any other word
 */
export function optionsOf<
  Text extends string = never,
  Flag extends string = never,
  Secret extends string = never,
>(args: string[], taken: Taken<Text, Flag, Secret, never>): Values<Text, Flag, Secret, never> {
  return read(args, taken, false).values;
}

function read<Text extends string, Flag extends string, Secret extends string, List extends string>(
  args: string[],
  { text = [], lists = [], flags = [], secrets = [] }: Taken<Text, Flag, Secret, List>,
  allowPositionals: boolean,
) {
  const withText = [...text, ...secrets.map((name) => `${name}-file`)];
  const options = Object.fromEntries([
    ...withText.map((name) => [name, { type: 'string' }] as const),
    ...lists.map((name) => [name, { type: 'string', multiple: true }] as const),
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
  ]);
  const { values, positionals } = parseArgs({
    args: withoutSecrets(args, secrets),
    options,
    allowPositionals,
  });
  return { values: values as Values<Text, Flag, Secret, List>, words: positionals };
}

/**
 * Checks that a value is one of the words.
 * @param option name of the option, for the error
 * @throws SettingError for any other value
 */
export function oneOf<Word extends string>(option: string, value: string, words: readonly Word[]): Word {
  if (words.includes(value as Word)) return value as Word;
  throw new SettingError(`${option} is "${value}"; possible: ${words.join(', ')}.`);
}

/** Rethrows a refusal whose issues use other names than the options: maps field names to option names. */
export const byOptions =
  (names: Partial<Record<string, string>>) =>
  (error: unknown): never => {
    if (error instanceof Refusal && error.issues)
      error.issues = error.issues.map((issue) => ({ ...issue, path: names[issue.path] ?? issue.path }));
    throw error;
  };

/** Parses `true` or `false`. @returns undefined if the option is not given */
export const yes = (option: string, value: string | undefined): boolean | undefined =>
  value === undefined ? undefined : oneOf(option, value, ['true', 'false']) === 'true';
