import { defaultOf, SETTINGS } from '../config';
import { SettingError } from '../errors';
import { ADMIN_TOKEN_COMMANDS } from './access/admin-token-commands';
import { INVITATION_COMMANDS } from './access/invitation-commands';
import { type Command } from './command';
import { DATABASE_COMMANDS } from './data/database-commands';
import { RATE_CARD_COMMANDS } from './data/rate-card-commands';
import { NUMBER_COMMANDS } from './number-commands';
import { wordsAndOptions } from './options';
import { print } from './print';

const LINE_FIELDS = [
  '--name "My shop"                    a name for your team',
  '--phone-number-id 106540352242922   "Phone number ID" of the platform',
  '--phone-number "+1 555-078-3881"    the number itself',
  '--waba-id 102290129340398           "WhatsApp Business Account ID" of the platform',
  '--access-token-file FILE            the access token of the platform',
  '--app-secret-file FILE              the app secret with which the platform signs the callback of this line',
  '[--forward-url https://…]           where events of this line go',
  '[--forward-secret-file FILE]        their signing secret; one is generated if you give none',
  '[--customer ID|none]                the customer that the line belongs to; none if you give none',
  '[--window text|all|upstream]        what is refused unless the contact wrote in the last 24 hours: free-form text (the',
  '                                    default), everything but templates, or nothing: the platform decides',
];

const DESCRIBED: Omit<Command, 'name'>[] = [
  {
    usage: 'quick-start',
    does: 'Starts on this machine without any setup: a sandbox as the platform, a demo line, all data in data/.',
    run: async (...given) => (await import('./quick-start.js')).quickStart(...given),
  },
  {
    usage: 'start',
    does: 'Migrates the database, then serves until it is stopped.',
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
    does: 'Changes a line, by its phone number id or id. A running gateway applies it at once.',
    options: [
      'The fields of "line add" that are to change, and',
      '[--active true|false]               whether the line serves at all',
      '[--api-enabled true|false]          whether its API answers',
      '[--keep-sent true|false]            whether the text of messages that programs send is stored for the panel',
      "[--pause-hours N]                   for how long a colleague's answer pauses automations; 0 for no pause",
      '[--quality normal|strict]           strict also refuses to send before the platform has rated the line',
    ],
    run: async (...given) => (await import('./lines/line.js')).lineEdit(...given),
  },
  {
    usage: 'line check TID [--repair] [--json]',
    does: 'Checks the setup of a line at the platform. Fails if a check fails.',
    options: [
      '[--repair]                          makes the changes at the platform that repair it, without a PIN',
    ],
    run: async (...given) => (await import('./lines/check.js')).lineCheck(...given),
  },
  {
    usage: 'line remove TID [--yes] [--json]',
    does: 'Removes a line for good, with its credentials, tokens, destinations, waiting deliveries and contacts.',
    options: ['[--yes]                             does not ask for confirmation'],
    run: async (...given) => (await import('./lines/line.js')).lineRemove(...given),
  },
  {
    usage: 'contact forget NUMBER [--yes] [--json]',
    does: 'Removes everything that is stored about a person, on every line, and lists it.',
    options: [
      '[--yes]                             does not ask for confirmation',
      'A SQLite file is then rewritten. Other writes wait meanwhile: some seconds for each gigabyte.',
    ],
    run: async (...given) => (await import('./data/contact.js')).contactForget(...given),
  },
  {
    usage: 'opt-out list TID [--json]',
    does: 'Shows the contacts who opted out of a line, and when.',
    run: async (...given) => (await import('./lines/opt-out.js')).optOutList(...given),
  },
  {
    usage: 'opt-out add TID NUMBER',
    does: 'Opts a contact out: sends are refused, except authentication templates.',
    run: async (...given) => (await import('./lines/opt-out.js')).optOutAdd(...given),
  },
  {
    usage: 'opt-out remove TID NUMBER',
    does: 'Opts a contact back in.',
    run: async (...given) => (await import('./lines/opt-out.js')).optOutRemove(...given),
  },
  {
    usage: 'opt-out words TID [--usual | --none | --out WORDS --back WORDS]',
    does: 'Shows or sets the words with which contacts opt out and back in. None at first.',
    options: [
      '[--usual]                           STOP, SAIR, BAJA … and START, VOLTAR, ALTA … in three languages',
      '[--none]                            contacts can no longer opt out by a word; the list stays',
      '[--out "STOP, NO MORE"] [--back "START"]   your own words, separated by commas',
    ],
    run: async (...given) => (await import('./lines/opt-out.js')).optOutWords(...given),
  },
  {
    usage: 'template list TID [--json]',
    does: 'Shows the templates of a line, as the gateway last read them from the platform.',
    run: async (...given) => (await import('./lines/template.js')).templateList(...given),
  },
  {
    usage: 'template create TID FILE [--json]',
    does: 'Submits a template for review. FILE contains it as JSON in the format of the platform; - is standard input.',
    run: async (...given) => (await import('./lines/template.js')).templateCreate(...given),
  },
  {
    usage: 'template edit TID ID FILE [--json]',
    does: 'Changes a template, by the id that "template list" shows. FILE contains the changed fields, such as all components.',
    run: async (...given) => (await import('./lines/template.js')).templateEdit(...given),
  },
  {
    usage: 'template delete TID NAME [--id ID] [--yes] [--json]',
    does: 'Deletes a template in all its languages. Its name cannot be used again for 30 days.',
    options: [
      '[--id ID]                           only in one language, by the id that "template list" shows',
      '[--yes]                             does not ask for confirmation',
    ],
    run: async (...given) => (await import('./lines/template.js')).templateDelete(...given),
  },
  {
    usage: 'profile show TID [--json]',
    does: 'Shows the business profile of a line, which contacts see.',
    run: async (...given) => (await import('./lines/profile.js')).profileShow(...given),
  },
  {
    usage: 'profile edit TID FIELDS [--json]',
    does: 'Changes the given fields of the business profile.',
    options: [
      '[--about TEXT] [--description TEXT] [--email ADDRESS] [--address TEXT]',
      '[--website https://…]               replaces all websites; can be given several times',
      '[--vertical WORD]                   the industry, in the word of the platform, such as RETAIL',
    ],
    run: async (...given) => (await import('./lines/profile.js')).profileEdit(...given),
  },
  ...NUMBER_COMMANDS,
  {
    usage:
      'token create TID [--name NAME] [--scopes send,read,destinations] [--answers platform] [--expires-at TIME] [--json]',
    does: 'Creates a token for a line and shows it once. Without --scopes it may send, read and manage destinations. The scopes manage:read and manage open the management operations of the platform, such as creating templates. With --answers platform, answers have only the fields of the platform, for clients that refuse unknown fields. TIME as 2027-01-31T00:00:00Z.',
    run: async (...given) => (await import('./lines/token.js')).tokenCreate(...given),
  },
  {
    usage: 'token list TID [--json]',
    does: "Shows a line's tokens: what they may do, and when, from where and by which client each was last used.",
    run: async (...given) => (await import('./lines/token.js')).tokenList(...given),
  },
  {
    usage: 'token rotate ID [--overlap HOURS] [--json]',
    does: 'Replaces a token and shows the new one once. The previous one works for 24 more hours, or for HOURS.',
    run: async (...given) => (await import('./lines/token.js')).tokenRotate(...given),
  },
  {
    usage: 'token revoke ID … [--with-destinations]',
    does: 'Revokes tokens at once, by the ids that "token list" shows. Lists the destinations, alert webhooks and open questions that they registered; --with-destinations removes those as well.',
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
      '[--secret-file FILE]                their signing secret; one is generated if you give none',
    ],
    run: async (...given) => (await import('./lines/destination.js')).destinationAdd(...given),
  },
  {
    usage:
      'destination edit ID [--url …] [--events …] [--mode …] [--quiet-seconds N] [--header-file FILE] [--no-headers]',
    does: 'Changes a destination. Waiting events go to the new address. A new address resumes a paused destination.',
    run: async (...given) => (await import('./lines/destination.js')).destinationEdit(...given),
  },
  {
    usage: 'destination rotate ID [--secret-file FILE] [--overlap HOURS]',
    does: 'Gives a destination a new secret. Events are signed with the previous one as well for 24 hours, or for HOURS; with 0, not at all.',
    run: async (...given) => (await import('./lines/destination.js')).destinationRotate(...given),
  },
  {
    usage: 'destination pause ID …',
    does: 'Pauses destinations. Their events are kept and wait.',
    run: async (...given) => (await import('./lines/destination.js')).destinationPause(...given),
  },
  {
    usage: 'destination remove ID …',
    does: 'Removes destinations and cancels their deliveries.',
    run: async (...given) => (await import('./lines/destination.js')).destinationRemove(...given),
  },
  {
    usage: 'destination list TID [--json]',
    does: 'Lists the destinations of a line, and which are paused or failing.',
    run: async (...given) => (await import('./lines/destination.js')).destinationList(...given),
  },
  {
    usage: 'destination show ID [--json]',
    does: 'Shows the state of a destination: last attempt, waiting events, next attempt, and which process delivers.',
    run: async (...given) => (await import('./lines/destination.js')).destinationShow(...given),
  },
  {
    usage: 'destination resume ID …',
    does: 'Resumes paused destinations and sends the events that waited.',
    run: async (...given) => (await import('./lines/destination.js')).destinationResume(...given),
  },
  {
    usage: 'deliveries replay EVENT-ID | --dead | --from TIME [--json]',
    does: 'Resends events: one, all that were given up, or all of a range. New events are delivered meanwhile.',
    options: [
      '[--to TIME]                         the end of the range; TIME as 2026-01-31T00:00:00Z',
      '[--line TID] [--destination ID]     only of this line, only to this destination',
    ],
    run: async (...given) => (await import('./lines/deliveries.js')).deliveriesReplay(...given),
  },
  {
    usage: 'deliveries export [--line TID] [--from TIME] [--to TIME] [--format ndjson|csv]',
    does: 'Prints events as received with their deliveries, oldest first: one JSON object per line, or CSV.',
    run: async (...given) => (await import('./lines/export.js')).deliveriesExport(...given),
  },
  {
    usage: 'messages export [--line TID] [--from TIME] [--to TIME] [--format ndjson|csv]',
    does: 'Prints sent messages with their times and pricing, newest first: one JSON object per line, or CSV.',
    run: async (...given) => (await import('./lines/export.js')).messagesExport(...given),
  },
  {
    usage: 'alert list [--over] [--json]',
    does: 'Shows open incidents, mutes and channels.',
    options: ['[--over]                            the latest incidents that ended, with their duration'],
    run: async (...given) => (await import('./alert.js')).alertList(...given),
  },
  {
    usage: 'alert test CHANNEL-ID',
    does: 'Lets a running gateway send a test alert to a channel, and shows the result.',
    run: async (...given) => (await import('./alert.js')).alertTest(...given),
  },
  {
    usage: 'alert mute --hours 8 | --until TIME [--line TID] [--condition WORD]',
    does: 'Mutes alerts until then: of a line, of a condition, or all.',
    options: ['[--end ID]                          ends a mute, by the id that "alert list" shows'],
    run: async (...given) => (await import('./alert.js')).alertMute(...given),
  },
  {
    usage: 'customer add --name NAME [--external-id ID] [--json]',
    does: 'Adds a customer: a company whose lines you run. Its users see and change only its lines.',
    options: ['[--external-id ID]                  its id in your own systems'],
    run: async (...given) => (await import('./customer.js')).customerAdd(...given),
  },
  {
    usage: 'customer list [--json]',
    does: 'Lists the customers, with the number of their lines and users.',
    run: async (...given) => (await import('./customer.js')).customerList(...given),
  },
  {
    usage:
      'customer edit ID [--name NAME] [--external-id ID|none] [--suspended true|false] [--audit-looks WORD] [--require-authenticator true|false] [--budget AMOUNT|none] [--hold-at-budget true|false] [--json]',
    does: 'Changes a customer. If it is suspended, its users cannot log in and its tokens are refused. Events are still received, stored and forwarded.',
    options: [
      '[--audit-looks WORD]                whose views of messages its audit records: off, agency or everybody',
      '[--require-authenticator true|false]   whether its users must set up an authenticator app',
      '[--budget AMOUNT|none]              the most that a month may cost, in the currency of its rate card; alerts at 80 and 100 %',
      '[--hold-at-budget true|false]       whether marketing templates are refused while the budget is used up',
    ],
    run: async (...given) => (await import('./customer.js')).customerEdit(...given),
  },
  {
    usage: 'customer remove ID',
    does: 'Removes a customer that has no lines and no users.',
    run: async (...given) => (await import('./customer.js')).customerRemove(...given),
  },
  ...RATE_CARD_COMMANDS,
  ...ADMIN_TOKEN_COMMANDS,
  ...INVITATION_COMMANDS,
  {
    usage: 'user add NAME [--role ROLE] [--customer ID]… [--password-file FILE] [--json]',
    does: 'Adds a user of the control panel, and prints a one-time link to choose the password.',
    options: [
      '[--role ROLE]                       owner (if nothing is given), admin, developer, editor, agent or viewer',
      '[--customer ID]                     only for this customer; can be given several times',
      '[--password-file FILE]              reads the password from there, and prints no link',
    ],
    run: async (...given) => (await import('./user.js')).userAdd(...given),
  },
  {
    usage: 'user edit NAME --role ROLE | --remove-role [--customer ID|all] [--json]',
    does: 'Gives a user another role in one customer or in all, or takes it away. The other roles stay.',
    run: async (...given) => (await import('./user.js')).userEdit(...given),
  },
  {
    usage: 'user list [--json]',
    does: 'Lists the users of the control panel.',
    run: async (...given) => (await import('./user.js')).userList(...given),
  },
  {
    usage: 'user reset NAME [--password-file FILE] [--json]',
    does: 'Ends all sessions of a user, switches off the authenticator app, and prints a link to choose a new password.',
    run: async (...given) => (await import('./user.js')).userReset(...given),
  },
  {
    usage: 'user unlock NAME [--json]',
    does: 'Lets a user log in again after too many wrong passwords or codes, and prints a link for use while somebody else keeps guessing.',
    run: async (...given) => (await import('./user.js')).userUnlock(...given),
  },
  {
    usage: 'user remove NAME',
    does: 'Removes a user. All sessions end at once.',
    run: async (...given) => (await import('./user.js')).userRemove(...given),
  },
  {
    usage: 'audit verify [--expect NUMBER:HASH] [--json]',
    does: 'Checks whether audit entries were changed, removed or inserted. Exits with 1 if so.',
    options: [
      '[--expect NUMBER:HASH]              what it printed earlier and you kept elsewhere: also shows whether',
      '                                    the whole audit was reset to an earlier time',
    ],
    run: async (...given) => (await import('./data/audit.js')).auditVerify(...given),
  },
  {
    usage: 'usage rebuild [--json]',
    does: 'Rebuilds the usage of all days whose messages are still stored. Rows that were right stay identical.',
    run: async (...given) => (await import('./data/usage.js')).usageRebuild(...given),
  },
  ...DATABASE_COMMANDS,
  { usage: 'help [config]', does: 'Shows this, or explains every setting.', run: help },
];

/** Extracts a command's name, one or two words, from its usage: `backup FILE`, `line edit TID FIELDS`. */
const nameIn = (usage: string): string => /^[a-z-]+(?: [a-z-]+)?(?= |$)/.exec(usage)?.[0] ?? usage;

/**
 * All commands in the order of `help`. Each loads only its own code; the server's code takes a third of a
 * second.
 */
export const COMMANDS: Command[] = DESCRIBED.map((one) => ({ ...one, name: nameIn(one.usage) }));

/** Runs `help`, or `help config`, which explains every setting. */
async function help(args: string[]): Promise<void> {
  const [word] = wordsAndOptions(args).words;
  if (word === undefined) return print(commandsHelp());
  if (word === 'config') return print(settingsHelp());
  const group = commandsOf(word);
  if (group.length) return print(group.map(helpOn).join('\n'));
  throw new SettingError(`There is no help on "${word}". Try "help" or "help config".`);
}

/** Returns the commands that begin with a word, such as all "line" commands. */
export const commandsOf = (word: string | undefined): Command[] =>
  COMMANDS.filter(({ name }) => name.split(' ')[0] === word);

export const commandsHelp = (): string =>
  [
    'messaging-gateway COMMAND. Without a command: quick-start, or this help if GATEWAY_DATABASE_URL is set',
    '',
    ...COMMANDS.map(helpOn),
    '',
    '--version shows which version this is; a command, or its first word, with --help, what it takes.',
    'FILE of an option holds a secret; - is standard input. A secret itself is never an argument: process lists and logs show those.',
    'Every setting is an environment variable: "messaging-gateway help config" explains them.',
  ].join('\n');

/** Returns the usage, description and options of a command. */
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
