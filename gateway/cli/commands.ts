import { defaultOf, SETTINGS } from '../config';
import { SettingError } from '../errors';
import { wordsAndOptions } from './options';
import { print } from './print';

export interface Command {
  /** The words that name it, the first ones of its usage. */
  name: string;
  usage: string;
  does: string;
  /** One line each. */
  options?: string[];
  /** @returns the exit code, where it is not 0 @throws SettingError for wrong settings or arguments. */
  run(args: string[], env: NodeJS.ProcessEnv): Promise<number | void>;
}

const LINE_FIELDS = [
  '--name "My shop"                    what you call it',
  '--phone-number-id 106540352242922   "Phone number ID" of the platform',
  '--phone-number "+1 555-078-3881"    the number itself',
  '--waba-id 102290129340398           "WhatsApp Business Account ID" of the platform',
  "--access-token-file FILE            the platform's credential with which messages are sent",
  '--app-secret-file FILE              with which the platform signs what it sends to the callback of this line',
  '[--forward-url https://…]           where events of this line go',
  '[--forward-secret-file FILE]        with which they are signed; one is made where none is given',
  '[--window text|all|upstream]        what needs a contact who wrote in the last 24 hours: free-form text (the default),',
  '                                    everything but templates, or whatever the platform decides',
];

const DESCRIBED: Omit<Command, 'name'>[] = [
  {
    usage: 'quick-start',
    does: 'Starts on this machine with nothing to set up: a sandbox as the platform, a demo line, everything in data/.',
    run: async (...given) => (await import('./quick-start.js')).quickStart(...given),
  },
  {
    usage: 'start',
    does: 'Brings the database up to date, then serves until it is stopped.',
    run: async (...given) => (await import('./start.js')).start(...given),
  },
  {
    usage: 'line add FIELDS [--json]',
    does: 'Registers a line and its first token, which is shown once.',
    options: LINE_FIELDS,
    run: async (...given) => (await import('./lines/line.js')).lineAdd(...given),
  },
  {
    usage: 'line list [--json]',
    does: 'Shows all lines.',
    run: async (...given) => (await import('./lines/line.js')).lineList(...given),
  },
  {
    usage: 'line edit TID FIELDS [--json]',
    does: 'Changes a line, by its phone number id or id; a running gateway follows at once.',
    options: [
      'The fields of "line add" that are to change, and',
      '[--active true|false]               whether the line serves at all',
      '[--api-enabled true|false]          whether its API answers',
      '[--keep-sent true|false]            whether the text of what programs send is kept, to be read in the panel',
      "[--pause-hours N]                   for how long a colleague's answer pauses automations; 0 for no pause",
      '[--quality normal|strict]           strict also refuses to send before the platform has rated the line',
    ],
    run: async (...given) => (await import('./lines/line.js')).lineEdit(...given),
  },
  {
    usage: 'line remove TID [--yes] [--json]',
    does: 'Removes a line for good, with its credentials, tokens and destinations, what it owes, and all that is known of who wrote there.',
    options: ['[--yes]                             does it without asking'],
    run: async (...given) => (await import('./lines/line.js')).lineRemove(...given),
  },
  {
    usage: 'contact forget NUMBER [--yes] [--json]',
    does: 'Removes all that is known of a person, on every line, and says what that was.',
    options: [
      '[--yes]                             does it without asking',
      'A SQLite file is then written anew, for which other writes wait: some seconds for each gigabyte.',
    ],
    run: async (...given) => (await import('./data/contact.js')).contactForget(...given),
  },
  {
    usage: 'opt-out list TID [--json]',
    does: 'Shows who wants no more messages of a line, and since when.',
    run: async (...given) => (await import('./lines/opt-out.js')).optOutList(...given),
  },
  {
    usage: 'opt-out add TID NUMBER',
    does: 'Refuses to send to a contact from now on, but for codes to log in with.',
    run: async (...given) => (await import('./lines/opt-out.js')).optOutAdd(...given),
  },
  {
    usage: 'opt-out remove TID NUMBER',
    does: 'Takes a contact off the list again.',
    run: async (...given) => (await import('./lines/opt-out.js')).optOutRemove(...given),
  },
  {
    usage: 'opt-out words TID [--usual | --none | --out WORDS --back WORDS]',
    does: 'Shows, or sets, by which words contacts put themselves on the list and take themselves off it. None at first.',
    options: [
      '[--usual]                           STOP, SAIR, BAJA … and START, VOLTAR, ALTA … in three languages',
      '[--none]                            contacts cannot do so any more; the list stays',
      '[--out "STOP, NO MORE"] [--back "START"]   words of your own, divided by commas',
    ],
    run: async (...given) => (await import('./lines/opt-out.js')).optOutWords(...given),
  },
  {
    usage:
      'token create TID [--name NAME] [--scopes send,read,destinations] [--answers platform] [--expires-at TIME] [--json]',
    does: 'Makes another token for a line, which is shown once. It may do what the scopes say, everything where none are given. With --answers platform, answers have only the fields of the platform, for clients that refuse unknown fields. TIME as 2027-01-31T00:00:00Z.',
    run: async (...given) => (await import('./lines/token.js')).tokenCreate(...given),
  },
  {
    usage: 'token list TID [--json]',
    does: "Shows a line's tokens: what they may do, and when, from where and by which client each was last used.",
    run: async (...given) => (await import('./lines/token.js')).tokenList(...given),
  },
  {
    usage: 'token rotate ID [--overlap HOURS] [--json]',
    does: 'Replaces a token by another, which is shown once; the one before works for 24 hours more, or for HOURS.',
    run: async (...given) => (await import('./lines/token.js')).tokenRotate(...given),
  },
  {
    usage: 'token revoke ID … [--with-destinations]',
    does: 'Revokes tokens at once, by the ids that "token list" shows. Lists the destinations and alert webhooks that they registered; --with-destinations removes those as well.',
    run: async (...given) => (await import('./lines/token.js')).tokenRevoke(...given),
  },
  {
    usage: 'destination add TID --url https://… [--json]',
    does: 'Adds a destination to a line, beside its forwarding URL; its secret is shown once.',
    options: [
      '[--events messages,failed]          what it receives, of messages, sent, delivered, read, failed, echoes,',
      '                                    account; all but echoes and account if nothing is given',
      '[--mode split|raw]                  one event in each POST (the default), or all that came at once',
      '[--quiet-seconds N]                 what a contact writes comes as one event, after N seconds of silence',
      '[--header-file FILE]                headers that are sent with every event, one "Name: value" a line',
      '[--secret-file FILE]                with which they are signed; one is made where none is given',
    ],
    run: async (...given) => (await import('./lines/destination.js')).destinationAdd(...given),
  },
  {
    usage:
      'destination edit ID [--url …] [--events …] [--mode …] [--quiet-seconds N] [--header-file FILE] [--no-headers]',
    does: 'Changes a destination; what waits for it goes where it is then. A new address lets a paused one go on.',
    run: async (...given) => (await import('./lines/destination.js')).destinationEdit(...given),
  },
  {
    usage: 'destination rotate ID [--secret-file FILE] [--overlap HOURS]',
    does: 'Gives a destination another secret; the previous one signs as well for 24 hours, or for HOURS. With 0 no previous one signs any longer.',
    run: async (...given) => (await import('./lines/destination.js')).destinationRotate(...given),
  },
  {
    usage: 'destination pause ID …',
    does: 'Holds the events for destinations back, and keeps them.',
    run: async (...given) => (await import('./lines/destination.js')).destinationPause(...given),
  },
  {
    usage: 'destination remove ID …',
    does: 'Removes destinations, and cancels what was still to be delivered there.',
    run: async (...given) => (await import('./lines/destination.js')).destinationRemove(...given),
  },
  {
    usage: 'destination list TID [--json]',
    does: 'Shows where the events of a line go, and which of these destinations are paused or failing.',
    run: async (...given) => (await import('./lines/destination.js')).destinationList(...given),
  },
  {
    usage: 'destination show ID [--json]',
    does: 'Tells how one destination fares: what came of the last attempt, what waits, when it is tried next, who sends.',
    run: async (...given) => (await import('./lines/destination.js')).destinationShow(...given),
  },
  {
    usage: 'destination resume ID …',
    does: 'Lets paused destinations go on, with all that has waited for them.',
    run: async (...given) => (await import('./lines/destination.js')).destinationResume(...given),
  },
  {
    usage: 'deliveries replay EVENT-ID | --dead | --from TIME [--json]',
    does: 'Sends events again: one, all that were given up, or all of a range. Fresh events go out beside them.',
    options: [
      '[--to TIME]                         the end of the range; TIME as 2026-01-31T00:00:00Z',
      '[--line TID] [--destination ID]     only of this line, only to this destination',
    ],
    run: async (...given) => (await import('./lines/deliveries.js')).deliveriesReplay(...given),
  },
  {
    usage: 'deliveries export [--line TID] [--from TIME] [--to TIME] [--format ndjson|csv]',
    does: 'Writes events as they were received and what became of them, oldest first: JSON objects a line, or CSV.',
    run: async (...given) => (await import('./lines/deliveries.js')).deliveriesExport(...given),
  },
  {
    usage: 'alert list [--over] [--json]',
    does: 'Shows what is wrong now, what is muted, and the channels through which people are told.',
    options: ['[--over]                            the latest incidents that are over, with their length'],
    run: async (...given) => (await import('./alert.js')).alertList(...given),
  },
  {
    usage: 'alert test CHANNEL-ID',
    does: 'Has a running gateway send a test alert to a channel, and says what came of it.',
    run: async (...given) => (await import('./alert.js')).alertTest(...given),
  },
  {
    usage: 'alert mute --hours 8 | --until TIME [--line TID] [--condition WORD]',
    does: 'Tells nobody of it until then: of everything where neither line nor condition is given.',
    options: ['[--end ID]                          ends a mute, by the id that "alert list" shows'],
    run: async (...given) => (await import('./alert.js')).alertMute(...given),
  },
  {
    usage: 'user add NAME [--role operator|viewer] [--password-file FILE] [--json]',
    does: 'Adds a user of the control panel, and prints a one-time link with which the password is chosen.',
    options: [
      '[--role viewer]                     who looks and changes nothing; an operator where nothing is given',
      '[--password-file FILE]              takes the password from there, and prints no link',
    ],
    run: async (...given) => (await import('./user.js')).userAdd(...given),
  },
  {
    usage: 'user list [--json]',
    does: 'Shows who may use the control panel.',
    run: async (...given) => (await import('./user.js')).userList(...given),
  },
  {
    usage: 'user reset NAME [--password-file FILE] [--json]',
    does: 'Ends all sessions of a user, switches the authenticator app off, and prints a link for another password.',
    run: async (...given) => (await import('./user.js')).userReset(...given),
  },
  {
    usage: 'user unlock NAME [--json]',
    does: 'Lets a user log in again after too many wrong passwords or codes, and prints a link for while others guess.',
    run: async (...given) => (await import('./user.js')).userUnlock(...given),
  },
  {
    usage: 'user remove NAME',
    does: 'Removes a user; all sessions end at once.',
    run: async (...given) => (await import('./user.js')).userRemove(...given),
  },
  {
    usage: 'audit verify [--expect NUMBER:HASH] [--json]',
    does: 'Tells whether entries of the audit were changed, removed or put in. Ends with 1 where they were.',
    options: [
      '[--expect NUMBER:HASH]              what it printed at an earlier time and was kept elsewhere: shows, too, whether',
      '                                    the whole audit was put back to a time before that',
    ],
    run: async (...given) => (await import('./data/audit.js')).auditVerify(...given),
  },
  {
    usage: 'rekey [--json]',
    does: 'Encrypts all secrets anew with GATEWAY_SECRET_KEY; GATEWAY_OLD_SECRET_KEYS holds the keys before it.',
    options: [
      'Set both for the gateway first and start it again: it reads with all of them. May be broken off and repeated.',
    ],
    run: async (...given) => (await import('./data/rekey.js')).rekey(...given),
  },
  {
    usage: 'backup FILE',
    does: 'Copies the SQLite database, whole and as of one moment, while the gateway runs.',
    run: async (...given) => (await import('./data/backup.js')).backup(...given),
  },
  {
    usage: 'restore FILE [--check]',
    does: 'Puts a backup in the place of the SQLite database, which is kept beside it; the gateway has to be stopped.',
    options: [
      '[--check]                           only says what it would bring back, and what is sent again',
    ],
    run: async (...given) => (await import('./data/restore.js')).restore(...given),
  },
  { usage: 'help [config]', does: 'Shows this, or explains every setting.', run: help },
];

/** One word, or two, before what stands for something else: `backup FILE`, `line edit TID FIELDS`. */
const nameIn = (usage: string): string => /^[a-z-]+(?: [a-z]+)?(?= |$)/.exec(usage)?.[0] ?? usage;

/** Every command, in the order in which `help` shows them. Each loads its own code alone: the server's takes a third of a second. */
export const COMMANDS: Command[] = DESCRIBED.map((one) => ({ ...one, name: nameIn(one.usage) }));

/** `help`, and `help config`, which explains every setting. */
async function help(args: string[]): Promise<void> {
  const [word] = wordsAndOptions(args).words;
  if (word === undefined) return print(commandsHelp());
  if (word === 'config') return print(settingsHelp());
  const group = commandsOf(word);
  if (group.length) return print(group.map(helpOn).join('\n'));
  throw new SettingError(`There is no help on "${word}". Try "help" or "help config".`);
}

/** The commands that begin with a word, as all of "line". */
export const commandsOf = (word: string | undefined): Command[] =>
  COMMANDS.filter(({ name }) => name.split(' ')[0] === word);

export const commandsHelp = (): string =>
  [
    'messaging-gateway COMMAND. Without a command: quick-start, or this help if GATEWAY_DATABASE_URL is set',
    '',
    ...COMMANDS.map(helpOn),
    '',
    '--version shows which version this is; a command, or its first word, with --help, what it takes.',
    'FILE holds a secret; - is standard input. A secret itself is never an argument: process lists and logs show those.',
    'Every setting is an environment variable: "messaging-gateway help config" explains them.',
  ].join('\n');

/** Its usage, what it does and its options. */
export const helpOn = ({ usage, does, options = [] }: Command): string =>
  [`  ${usage}`, ...[does, ...options].map((line) => `      ${line}`)].join('\n');

const settingsHelp = (): string =>
  [
    'Settings, as environment variables. Each can be read from a file instead: NAME_FILE=/path.',
    '',
    ...Object.entries(SETTINGS).map(
      ([name, setting]) => `  ${name}\n      ${setting.meaning}\n      Default: ${defaultOf(setting)}.`,
    ),
  ].join('\n');
