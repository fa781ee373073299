import { type Account, type AlertWords, type NamedToken, type Place } from '../facts';

export const placeIn = ({ line, lineId, address }: Place): string =>
  `${line ?? `Line ${lineId}`}: ${address}`;

export const tokenIn = ({ line, name, lastFour }: NamedToken): string =>
  `${line}: token ${name ? `${name} ` : ''}…${lastFour}`;

const accountIn = ({ line, wabaId }: Account): string => line ?? `business account ${wabaId}`;

/** n8n registers its URL again only when a workflow is published. */
const movedIn = (isRegistered: boolean): string =>
  isRegistered
    ? " Was n8n's address changed? Enter the new address for this destination in the control panel: waiting events are sent there. Or unpublish the workflow and publish it again, which discards waiting events."
    : '';

const deliveries = (count: number, isMore: boolean, number: (value: number) => string): string => {
  if (count === 1) return 'one delivery';
  return `${number(count)} ${isMore ? 'or more ' : ''}deliveries`;
};

/** The platform's statuses for a number that is connected but limited. */
const RESTRICTED: Record<string, string> = {
  RESTRICTED: " It has used up its limit and can't start new conversations until the next day.",
  FLAGGED: " People blocked or reported it. If that doesn't improve within a week, its limit is lowered.",
  RATE_LIMITED: ' It is sending faster than WhatsApp allows.',
};

const CATEGORIES: Record<string, string> = {
  AUTHENTICATION: 'Authentication',
  MARKETING: 'Marketing',
  UTILITY: 'Utility',
};
const categoryIn = (word: string): string => CATEGORIES[word.toUpperCase()] ?? word;

const STOPPED: Record<string, { word: string; action: string }> = {
  REJECTED: {
    word: 'rejected',
    action: 'Read the reason in WhatsApp Manager, correct the template and submit it again.',
  },
  PAUSED: {
    word: 'paused',
    action:
      'Too many people blocked or reported it. WhatsApp resumes it after some hours. Change it before then.',
  },
  DISABLED: { word: 'disabled', action: 'It was paused too often. Create another template to replace it.' },
};

const people = (limit: number | null, number: (value: number) => string): string =>
  limit === null ? 'any number of people' : `${number(limit)} people`;

/** What does not happen without a process of each role. */
const WITHOUT_ROLE = {
  api: 'Sends and all other requests of programs are refused.',
  inbound: 'Events of WhatsApp are refused. WhatsApp repeats them for up to seven days.',
  deliver: 'Events are stored but not delivered to their destinations.',
  panel: 'The control panel cannot be opened.',
};

const UNREACHED = {
  self_signed: 'Its certificate is self-signed.',
  expired: 'Its certificate has expired.',
  not_yet_valid: 'Its certificate is not valid yet.',
  unknown_issuer: 'The issuer of its certificate is unknown.',
  other_host: 'Its certificate is for another host name.',
  dns: 'Its host name cannot be resolved.',
  refused: 'It refuses connections.',
  timeout: 'It did not answer in time.',
  broken: 'The connection broke.',
};
const OF_CERTIFICATES = ['self_signed', 'expired', 'not_yet_valid', 'unknown_issuer', 'other_host'];

const SHORTAGES = {
  event_loop: 'it has more requests than it can answer in time',
  backlog: 'its database is slower than incoming data',
  disk: 'its disk is almost full',
};

export const alerts: AlertWords = {
  destination_failing: {
    one: ({ place, last, isRegistered }, { say }) => ({
      title: `${placeIn(place)} isn't accepting events`,
      text:
        last === null ? '' : `Last attempt: ${say({ word: 'attempt.failed', values: { failure: last } })}.`,
      over: `${placeIn(place)} accepts events again`,
      action: `Repair the receiver, then press Try now, or wait for the next attempt.${movedIn(isRegistered)}`,
    }),
    many: (count, { plural }) =>
      plural(count, "# destination isn't accepting events", "# destinations aren't accepting events"),
    manyOver: (count, { plural }) =>
      plural(count, '# destination accepts events again', '# destinations accept events again'),
    rule: 'A destination has not accepted events for N minutes.',
  },
  destination_paused: {
    one: ({ place, because, isRegistered }, { say }) => ({
      title: `${placeIn(place)} is paused`,
      text: say(because),
      over: `${placeIn(place)} is no longer paused`,
      action: `Repair the receiver if it failed, then resume the destination. Waiting events are sent.${movedIn(isRegistered)}`,
    }),
    many: (count, { plural }) => plural(count, '# destination is paused', '# destinations are paused'),
    manyOver: (count, { plural }) =>
      plural(count, '# destination is no longer paused', '# destinations are no longer paused'),
    rule: 'A destination is paused.',
  },
  deliveries_late: {
    one: ({ minutes }, { plural }) => ({
      title: 'Deliveries are late',
      text: `The oldest has been due for ${plural(minutes, '# minute', '# minutes')}. A receiver is slower than incoming events.`,
      over: 'Deliveries are on time again',
      action: 'Check which events are waiting and for which receiver.',
    }),
    many: () => 'Deliveries are late',
    manyOver: () => 'Deliveries are on time again',
    rule: 'Deliveries are N minutes late.',
  },
  deliveries_ending: {
    one: ({ place, count, isMore }, { number }) => ({
      title: `${placeIn(place)}: ${deliveries(count, isMore, number)} will be given up`,
      text: 'The receiver has refused each of them for days. One or two attempts are left.',
      over: `${placeIn(place)}: no delivery is about to be given up`,
      action: 'Check what the receiver answers and correct it there.',
    }),
    many: (count, { plural }) =>
      plural(count, '# destination will lose events', '# destinations will lose events'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# destination is no longer about to lose events',
        '# destinations are no longer about to lose events',
      ),
    rule: 'A delivery has one or two attempts left before it is given up.',
  },
  deliveries_given_up: {
    one: ({ place, count, isMore }, { number }) => ({
      title: `${placeIn(place)}: ${deliveries(count, isMore, number)} ${count === 1 ? 'was' : 'were'} given up in the last day`,
      text: 'Every attempt failed. The deliveries are stored, and you can resend them.',
      over: `${placeIn(place)}: the given-up deliveries were resent or are a day old`,
      action: 'Find the cause, correct it at the receiver and resend them.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        'Deliveries to # destination were given up',
        'Deliveries to # destinations were given up',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        'Given-up deliveries to # destination were resent or are a day old',
        'Given-up deliveries to # destinations were resent or are a day old',
      ),
    rule: 'A delivery was given up after its last attempt.',
  },
  line_disconnected: {
    one: ({ name, status }) => ({
      title: `${name} is not connected`,
      text:
        status === null
          ? 'WhatsApp reports no status for this number.'
          : `WhatsApp reports this number as ${status}.`,
      over: `${name} is connected again`,
      action: 'Check the number in WhatsApp Manager.',
    }),
    many: (count, { plural }) => plural(count, '# line is not connected', '# lines are not connected'),
    manyOver: (count, { plural }) =>
      plural(count, '# line is connected again', '# lines are connected again'),
    rule: 'A line is no longer connected.',
  },
  line_restricted: {
    one: (values, { say }) => {
      if ('name' in values)
        return {
          title: `${values.name} is restricted`,
          text: `WhatsApp reports this number as ${values.status}.${RESTRICTED[values.status.toUpperCase()] ?? ''}`,
          over: `${values.name} is no longer restricted`,
          action: 'Write only to people who expect it until the restriction ends.',
        };
      const { account, warning } = values;
      const of = account.line === null ? accountIn(account) : `the business account of ${account.line}`;
      return {
        title: `WhatsApp has restricted ${of}`,
        text: say(warning),
        over: `WhatsApp no longer reports a restriction of ${of}`,
        action: 'Read the reason in WhatsApp Manager and ask for a review there.',
      };
    },
    many: (count, { plural }) => plural(count, '# line is restricted', '# lines are restricted'),
    manyOver: (count, { plural }) =>
      plural(count, '# line is no longer restricted', '# lines are no longer restricted'),
    rule: 'WhatsApp restricts a line or its account.',
  },
  line_quality: {
    one: ({ name, isLow }) => ({
      title: isLow ? `The quality of ${name} is low` : `The quality of ${name} dropped to medium`,
      text: isLow
        ? 'Too many people blocked or reported it, so the gateway does not send through it.'
        : 'People blocked or reported it. If it becomes low, the gateway stops sending through it.',
      over: `${name} is rated as before`,
      action: 'Write only to people who expect it until the rating recovers.',
    }),
    many: (count, { plural }) =>
      plural(count, 'The quality of # line dropped', 'The quality of # lines dropped'),
    manyOver: (count, { plural }) =>
      plural(count, '# line is rated as before', '# lines are rated as before'),
    rule: 'The quality rating of a line is low or was lowered.',
  },
  line_limit: {
    one: ({ name, limit, before }, { number }) => ({
      title: `${name} may write to fewer people`,
      text: `WhatsApp lets it start conversations with ${people(limit, number)} a day. Before, it was ${people(before, number)}.`,
      over: `${name} has its messaging limit back`,
      action: 'Send less, and only to people who expect it. Good quality raises the limit again.',
    }),
    many: (count, { plural }) =>
      plural(count, '# line may write to fewer people', '# lines may write to fewer people'),
    manyOver: (count, { plural }) =>
      plural(count, '# line has its limit back', '# lines have their limits back'),
    rule: 'The messaging limit of a line was lowered.',
  },
  line_credentials: {
    one: ({ name, isMissing, because }) => ({
      title: isMissing ? `${name} has no access token` : `WhatsApp refuses the access token of ${name}`,
      text: `Nothing can be sent through it.${because === null ? '' : ` WhatsApp says: ${because.replace(/[.\s]*$/, '.')}`}`,
      over: `${name} has a working access token`,
      action: isMissing
        ? 'Enter the access token of the platform.'
        : 'Create another access token at the platform and enter it.',
    }),
    many: (count, { plural }) =>
      plural(count, '# line needs a new access token', '# lines need a new access token'),
    manyOver: (count, { plural }) =>
      plural(count, '# line has a working access token', '# lines have working access tokens'),
    rule: 'A line has no access token, or WhatsApp refuses it.',
  },
  line_setup: {
    one: ({ name, failed }, { say }) => ({
      title: `${name} is not set up at WhatsApp`,
      text: failed.map(say).join(' '),
      over: `${name} is set up at WhatsApp`,
      action: 'Its setup checks have a button or a link for each repair.',
    }),
    many: (count, { plural }) =>
      plural(count, '# line is not set up at WhatsApp', '# lines are not set up at WhatsApp'),
    manyOver: (count, { plural }) =>
      plural(count, '# line is set up at WhatsApp', '# lines are set up at WhatsApp'),
    rule: 'For N minutes, the number is not registered, no app is subscribed, or the account has no payment method.',
  },
  access_token_expiring: {
    one: ({ name, days }, { plural }) => ({
      title:
        days === null
          ? `The access token of ${name} has expired`
          : `The access token of ${name} expires in ${plural(days, '# day', '# days')}`,
      text: 'Nothing can be sent or received with an expired access token.',
      over: `The access token of ${name} no longer expires soon`,
      action: 'Create a token that never expires for a system user at the platform, and enter it.',
    }),
    many: (count, { plural }) =>
      plural(count, 'The access token of # line expires soon', 'The access tokens of # lines expire soon'),
    manyOver: (count, { plural }) =>
      plural(
        count,
        'The access token of # line no longer expires soon',
        'The access tokens of # lines no longer expire soon',
      ),
    rule: 'The access token of a line expires in 60 days. Sent again at 14 and 3 days.',
  },
  template_stopped: {
    one: ({ template, account, state }) => {
      const { word, action } = STOPPED[state] ?? { word: state.toLowerCase(), action: '' };
      const name = `Template ${template} of ${accountIn(account)}`;
      return {
        title: `${name} was ${word}`,
        text: 'WhatsApp no longer sends it.',
        over: `${name} is no longer ${word}`,
        action,
      };
    },
    many: (count, { plural }) => plural(count, '# template cannot be sent', '# templates cannot be sent'),
    manyOver: (count, { plural }) =>
      plural(count, '# template can be sent again', '# templates can be sent again'),
    rule: 'A template was rejected, paused or disabled.',
  },
  template_category: {
    one: ({ template, account, before, category }) => {
      const [from, to] = [categoryIn(before), categoryIn(category)];
      const name = `template ${template} of ${accountIn(account)}`;
      return {
        title: `WhatsApp changed the category of ${name} from ${from} to ${to}`,
        text: `Its messages are priced and limited as ${to}.`,
        over: `The category of ${name} no longer needs attention`,
        action: 'Check its text, or request a review of the category in WhatsApp Manager.',
      };
    },
    many: (count, { plural }) =>
      plural(
        count,
        'WhatsApp changed the category of # template',
        'WhatsApp changed the category of # templates',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        'The category of # template is no longer new',
        'The categories of # templates are no longer new',
      ),
    rule: 'WhatsApp changed the category of a template.',
  },
  token_expiring: {
    one: ({ token, days }, { plural }) => ({
      title:
        days === null
          ? `${tokenIn(token)} has expired`
          : `${tokenIn(token)} expires ${days <= 1 ? 'within a day' : `in ${plural(days, '# day', '# days')}`}`,
      text:
        days === null
          ? 'Programs that use it are rejected.'
          : 'Programs that use it are rejected from then on.',
      over: `${tokenIn(token)} was replaced or removed`,
      action: 'Rotate it and enter the new token in the program that uses it. If no program does, revoke it.',
    }),
    many: (count, { plural }) => plural(count, '# token is about to expire', '# tokens are about to expire'),
    manyOver: (count, { plural }) =>
      plural(count, '# token was replaced or removed', '# tokens were replaced or removed'),
    rule: 'A token that has no replacement expires within N days, or has expired.',
  },
  token_unused: {
    one: ({ token, wasUsed }) => ({
      title: `${tokenIn(token)} is not used`,
      text: wasUsed ? 'It has not been used for a long time.' : 'It was never used.',
      over: `${tokenIn(token)} is used again or was removed`,
      action: 'Revoke it if no program needs it: anyone who finds it can send.',
    }),
    many: (count, { plural }) => plural(count, '# token is not used', '# tokens are not used'),
    manyOver: (count, { plural }) =>
      plural(count, '# token is used again or was removed', '# tokens are used again or were removed'),
    rule: 'A token has not been used for N days.',
  },
  budget_used: {
    one: ({ customer, budget, spent, currency, unpriced, isReached, isHeld }, { number, plural }) => ({
      title: isReached
        ? `${customer} has used up its budget of this month`
        : `${customer} has used 80% of its budget of this month`,
      text: [
        `Estimated at ${number(spent)} of ${number(budget)} ${currency}.`,
        unpriced &&
          plural(
            unpriced,
            `# message has no price in ${currency}.`,
            `# messages have no price in ${currency}.`,
          ),
        isHeld && 'Marketing templates are refused.',
      ]
        .filter(Boolean)
        .join(' '),
      over: `${customer} is below 80% of its budget again`,
      action: isHeld
        ? 'Raise the budget to send marketing templates again, or wait for the next month.'
        : 'Raise the budget, or agree with the customer what else is sent this month.',
    }),
    many: (count, { plural }) =>
      plural(
        count,
        '# customer has used most of its budget of this month',
        '# customers have used most of their budgets of this month',
      ),
    manyOver: (count, { plural }) =>
      plural(
        count,
        '# customer is below 80% of its budget again',
        '# customers are below 80% of their budgets again',
      ),
    rule: 'A customer has used 80% of its budget of the month, or all of it.',
  },
  disk_short: {
    one: ({ megabytes }, { number }) => ({
      title: `The disk of the database has ${number(megabytes)} MB left`,
      text: 'Below 128 MB the gateway refuses new messages and events, so that nothing it accepted is lost.',
      over: 'The disk of the database has room again',
      action: 'Clear the disk, enlarge it, or store events for less time (GATEWAY_KEEP_BODIES).',
    }),
    many: () => 'The disk is almost full',
    manyOver: () => 'The disk has room again',
    rule: 'Less than N MB are free on the disk of the database.',
  },
  memory_short: {
    one: ({ process, percent }, { number }) => ({
      title: `${process} is short of memory`,
      text: `${number(percent)} % of the memory that it may use is left.`,
      over: `${process} has memory again`,
      action: 'Give the machine or the container more memory, or end other programs that use it.',
    }),
    many: (count, { plural }) =>
      plural(count, '# process is short of memory', '# processes are short of memory'),
    manyOver: (count, { plural }) =>
      plural(count, '# process has memory again', '# processes have memory again'),
    rule: 'A process has less than a tenth of its memory left.',
  },
  overloaded: {
    one: ({ process, causes }) => ({
      title: `${process} refuses requests`,
      text: causes.length ? `Reason: ${causes.map((cause) => SHORTAGES[cause]).join(', and ')}.` : '',
      over: `${process} accepts requests again`,
      action: 'Check where requests come from. Add a process or use a faster disk.',
    }),
    many: (count, { plural }) => plural(count, '# process refuses requests', '# processes refuse requests'),
    manyOver: (count, { plural }) =>
      plural(count, '# process accepts requests again', '# processes accept requests again'),
    rule: 'A process is overloaded and refuses requests.',
  },
  database_away: {
    one: ({ process }) => ({
      title: 'The database does not answer',
      text: `${process} cannot use it and refuses everything that it would have to store.`,
      over: 'The database answers again',
      action: 'Check that the database runs, has room, and can be reached from this machine.',
    }),
    many: () => 'The database does not answer',
    manyOver: () => 'The database answers again',
    rule: 'The database has not answered for N minutes.',
  },
  platform_away: {
    one: ({ process, because }) => ({
      title: `${process} cannot reach WhatsApp`,
      text: `${UNREACHED[because]} No message is sent until it answers.`,
      over: `${process} reaches WhatsApp again`,
      action: OF_CERTIFICATES.includes(because)
        ? 'Check GATEWAY_UPSTREAM_URL. If your own proxy opens the connection, name its certificate in NODE_EXTRA_CA_CERTS.'
        : 'Check the network of the machine, its name server and GATEWAY_UPSTREAM_URL.',
    }),
    many: (count, { plural }) =>
      plural(count, '# process cannot reach WhatsApp', '# processes cannot reach WhatsApp'),
    manyOver: (count, { plural }) =>
      plural(count, '# process reaches WhatsApp again', '# processes reach WhatsApp again'),
    rule: 'WhatsApp did not answer N calls in a row.',
  },
  process_gone: {
    one: ({ process }) => ({
      title: `The process ${process} is gone`,
      text: 'It was not stopped, and no other process has replaced it. Processes with the same roles do its work.',
      over: `The process ${process} runs again or was replaced`,
      action: 'Read in its log why it ended, and start it again.',
    }),
    many: (count, { plural }) => plural(count, '# process is gone', '# processes are gone'),
    manyOver: (count, { plural }) =>
      plural(count, '# process runs again or was replaced', '# processes run again or were replaced'),
    rule: 'A process has been gone for N minutes without being stopped.',
  },
  role_missing: {
    one: ({ role }) => ({
      title: `No process has the role ${role}`,
      text: WITHOUT_ROLE[role],
      over: `A process has the role ${role} again`,
      action: `Start a process whose GATEWAY_ROLES includes ${role}, or without GATEWAY_ROLES.`,
    }),
    many: (count, { plural }) => plural(count, '# role has no process', '# roles have no process'),
    manyOver: (count, { plural }) =>
      plural(count, '# role has a process again', '# roles have a process again'),
    rule: 'A role of GATEWAY_ROLES has had no process for N minutes.',
  },
  clocks_apart: {
    one: ({ process, seconds, isAhead, of }, { plural }) => ({
      title: `The clock of ${process} is wrong`,
      text: `It is ${plural(seconds, '# second', '# seconds')} ${isAhead ? 'ahead of' : 'behind'} the clock of ${of === 'database' ? 'the database' : 'WhatsApp'}. Signatures and time limits depend on it.`,
      over: `The clock of ${process} is right again`,
      action: 'Let the machine use a time server (NTP).',
    }),
    many: (count, { plural }) => plural(count, '# clock is wrong', '# clocks are wrong'),
    manyOver: (count, { plural }) => plural(count, '# clock is right again', '# clocks are right again'),
    rule: 'The clock of a machine is off by more than N seconds.',
  },
  backup_failed: {
    one: ({ failure }) => ({
      title: 'The daily backup failed',
      text: failure,
      over: 'The daily backup works again',
      action: 'Read the reason in the log. The backup is tried again every hour.',
    }),
    many: () => 'The daily backup failed',
    manyOver: () => 'The daily backup works again',
    rule: 'The daily backup failed.',
  },
  channel_failing: {
    one: ({ channel, failure }, { say }) => ({
      title: `Alerts do not reach the channel ${channel}`,
      text: say(failure),
      over: `Alerts reach the channel ${channel} again`,
      action: 'Correct its settings and send a test alert.',
    }),
    many: (count, { plural }) =>
      plural(count, 'Alerts do not reach # channel', 'Alerts do not reach # channels'),
    manyOver: (count, { plural }) =>
      plural(count, 'Alerts reach # channel again', 'Alerts reach # channels again'),
    rule: 'Alerts do not reach one of the channels.',
  },
  log_in_attack: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        '# log-in to the control panel failed within 10 minutes',
        '# log-ins to the control panel failed within 10 minutes',
      ),
      text: 'Someone may be guessing passwords. After a few wrong ones, an account refuses further tries from the same address.',
      over: 'Failed log-ins are rare again',
      action: 'Find the address in the audit log and block its access to the panel.',
    }),
    many: () => 'Many log-ins fail',
    manyOver: () => 'Failed log-ins are rare again',
    rule: 'More than N log-ins to the control panel fail within 10 minutes.',
  },
  signature_attack: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        '# notification with a wrong signature arrived within 10 minutes',
        '# notifications with a wrong signature arrived within 10 minutes',
      ),
      text: 'They were refused. Someone sends in the name of WhatsApp. Or the app secret is wrong, and then no event from WhatsApp is accepted.',
      over: 'Signatures are right again',
      action:
        'Compare the app secret with the one at the platform. If it is right, block the address in the log from the callback.',
    }),
    many: () => 'Notifications arrive with wrong signatures',
    manyOver: () => 'Signatures are right again',
    rule: 'More than N notifications with a wrong signature arrive within 10 minutes.',
  },
  token_attack: {
    one: ({ times }, { plural }) => ({
      title: plural(
        times,
        '# request with a wrong token arrived within 10 minutes',
        '# requests with a wrong token arrived within 10 minutes',
      ),
      text: 'They were refused. Someone is guessing tokens, or a program uses a revoked token.',
      over: 'Wrong tokens are rare again',
      action: 'Find the address in the log. Give that program its new token, or block the address.',
    }),
    many: () => 'Many requests arrive with wrong tokens',
    manyOver: () => 'Wrong tokens are rare again',
    rule: 'More than N requests with a wrong token arrive within 10 minutes.',
  },

  owner_password: {
    one: ({ times }, { plural }) => ({
      title: plural(times, '# owner logged in with a password', '# log-ins of owners with a password'),
      text: 'All other users log in at a provider. Owners use a password only if the provider fails.',
      over: 'No more owners logged in with a password',
      action: 'Check in the audit log that it was an owner, and that there was a reason.',
    }),
    many: () => 'Owners log in with a password',
    manyOver: () => 'No more owners logged in with a password',
    rule: 'An owner logs in with a password, although passwords are for emergencies.',
  },
};
