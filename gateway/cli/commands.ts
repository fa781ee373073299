import { parseArgs } from 'node:util';
import { SETTINGS } from '../config';
import { SettingError } from '../errors';
import { lineAdd, lineEdit, lineList } from './line';
import { print } from './offline';
import { quickStart } from './quick-start';
import { start } from './start';
import { tokenCreate, tokenList, tokenRevoke } from './token';

export interface Command {
  /** The words that name it. */
  name: string;
  usage: string;
  does: string;
  /** Resolves when it ended as asked. @throws SettingError for wrong settings or arguments. */
  run(args: string[], env: NodeJS.ProcessEnv): Promise<void>;
}

const LINE_FIELDS =
  '--name … --phone-number-id … --phone-number … --waba-id … --access-token … --app-secret … [--forward-url … [--forward-secret …]] [--window text|all|upstream] [--json]';

/** Every command, in the order in which `help` shows them. */
export const COMMANDS: Command[] = [
  {
    name: 'quick-start',
    usage: 'quick-start',
    does: 'Starts on this machine with nothing to set up: a sandbox as upstream, a demo line, everything in data/.',
    run: quickStart,
  },
  {
    name: 'start',
    usage: 'start',
    does: 'Brings the database up to date, then serves until it is stopped.',
    run: start,
  },
  {
    name: 'line add',
    usage: `line add ${LINE_FIELDS}`,
    does: 'Registers a line and its first token, which is shown once.',
    run: lineAdd,
  },
  { name: 'line list', usage: 'line list [--json]', does: 'Shows all lines.', run: lineList },
  {
    name: 'line edit',
    usage:
      'line edit TID [the same fields] [--active true|false] [--api-enabled true|false] [--quality normal|strict]',
    does: 'Changes a line; a running gateway follows at once.',
    run: lineEdit,
  },
  {
    name: 'token create',
    usage: 'token create TID [--expires-at TIME] [--json]',
    does: 'Makes another token for a line, which is shown once.',
    run: tokenCreate,
  },
  { name: 'token list', usage: 'token list TID [--json]', does: "Shows a line's tokens.", run: tokenList },
  { name: 'token revoke', usage: 'token revoke ID …', does: 'Revokes tokens at once.', run: tokenRevoke },
  { name: 'help', usage: 'help [config]', does: 'Shows this, or explains every setting.', run: help },
];

/** `help`, and `help config`, which explains every setting. */
async function help(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  if (!positionals.length) return print(commandsHelp());
  if (positionals[0] === 'config') return print(settingsHelp());
  throw new SettingError(`There is no help on "${positionals[0]}". Try "help" or "help config".`);
}

export const commandsHelp = (): string =>
  [
    'messaging-gateway COMMAND',
    '',
    ...COMMANDS.map(({ usage, does }) => `  ${usage}\n      ${does}`),
    '',
    'Every setting is an environment variable: "messaging-gateway help config" explains them.',
  ].join('\n');

const settingsHelp = (): string =>
  [
    'Settings, as environment variables. Each may come from a file instead: NAME_FILE=/path.',
    '',
    ...Object.entries(SETTINGS).map(
      ([name, setting]) => `  ${name}\n      ${setting.meaning} Default: ${setting.default ?? 'none'}.`,
    ),
  ].join('\n');
