import { type FactWords } from '../facts';
import { failedAttempt } from '../failed-attempt';
import { placeIn, tokenIn } from './alerts';
import { checks } from './checks';
import { issues } from './issues';
import { rateCards } from './rate-cards';
import { templateIssues } from './template-issues';

const OUTCOMES: Record<string, string> = {
  timeout: 'no answer in time',
  dns: 'host name unknown',
  tls: 'no secure connection',
  connection: 'could not connect',
  address_refused: 'address not allowed',
};

/** The most frequent meaning of a status code, if the number does not say it. */
const ANSWERS: Record<string, string> = {
  'HTTP 401': 'the receiver requires credentials, for example an Authorization header',
  'HTTP 403': 'the receiver requires credentials, for example an Authorization header',
  'HTTP 404': 'not found; if this is n8n, the workflow may be inactive',
};

const RESTRICTIONS: Record<string, string> = {
  RESTRICTED_BIZ_INITIATED_MESSAGING: 'start conversations',
  RESTRICTED_CUSTOMER_INITIATED_MESSAGING: 'answer customers',
  RESTRICTED_ADD_PHONE_NUMBER_ACTION: 'add phone numbers',
};

const DISABLED: Record<string, string> = {
  SCHEDULE_FOR_DISABLE: 'It will be disabled',
  DISABLE: 'It is disabled',
};

const UNREPORTED = {
  connection: (name: string) => `WhatsApp does not report whether ${name} is connected at present`,
  restriction: (name: string) => `WhatsApp does not report whether ${name} is restricted at present`,
  rating: (name: string) => `WhatsApp does not rate ${name} at present`,
  limit: (name: string) => `WhatsApp does not report the messaging limit of ${name} at present`,
  setup: (name: string) => `WhatsApp does not report the setup of ${name} at present`,
};

export const facts: FactWords = {
  ...checks,
  ...issues,
  ...rateCards,
  ...templateIssues,

  'attempt.failed': failedAttempt(OUTCOMES, ANSWERS),
  'paused.by': ({ who }) => (who === null ? 'Paused by the operator.' : `Paused by ${who}.`),
  'paused.undeliverable': ({ since, last }, { say, time }) =>
    `No event could be delivered since ${time(since)} (last attempt: ${say({ word: 'attempt.failed', values: { failure: last } })}). Events are stored.`,
  'paused.gone': () => 'It answered 410 Gone.',

  'address.allow': ({ entry }) =>
    `Set GATEWAY_ALLOW_DESTINATIONS=${entry}, or add this entry to its list, and restart the gateway.`,
  'handshake.done': () => 'It answered the challenge.',
  'handshake.ignored': ({ status }) =>
    `It answered HTTP ${status} without the challenge. Events are sent all the same.`,
  'handshake.forbidden': ({ because }, { say }) => `${say(because)} Until then its events wait here.`,
  'handshake.unknown_host': ({ host }) =>
    `The host name ${host} cannot be found. Check its spelling. Events wait until the name is found.`,
  'handshake.failed': ({ message }) => `It could not be asked: ${message}. Events are sent all the same.`,
  'handshake.unreached': () =>
    'The gateway cannot reach this address. If the address is private, for example n8n on the same Docker network, the operator of the gateway has to allow it with GATEWAY_ALLOW_DESTINATIONS. Events are sent all the same.',

  'account.restricted': ({ from }) =>
    `It cannot ${from.map((one) => RESTRICTIONS[one] ?? one).join(', ') || 'do everything'} for now.`,
  'account.violation': ({ type }) =>
    `WhatsApp reports a violation of its policy${type === null ? '' : `: ${type}`}.`,
  'account.disabled': ({ state, date }) =>
    `${DISABLED[state] ?? 'It is going to be disabled'}${date === null ? '' : ` (${date})`}.`,
  'account.deleted': () => 'It was deleted.',

  'over.process_ended': ({ process }) => `${process} has ended and no longer watches this`,
  'over.line_deactivated': ({ name }) => `${name} was deactivated`,
  'over.line_removed': ({ id }) => `Line ${id} was removed`,
  'over.destination_removed': ({ place }) => `${placeIn(place)} was removed`,
  'over.destination_expired': ({ place }) => `${placeIn(place)} has expired`,
  'over.destination_paused': ({ place }) => `${placeIn(place)} is paused`,
  'over.resumed_failing': ({ place }) => `${placeIn(place)} is no longer paused, but isn't accepting events`,
  'over.channel_removed': () => 'A channel that alerts did not reach was removed',
  'over.channel_paused': ({ channel }) => `The channel ${channel} is paused`,
  'over.channel_changed': ({ channel }) => `The channel ${channel} was changed and is tried again`,
  'over.process_missed': ({ process }) =>
    `The process ${process} has been gone for a day and is no longer expected`,
  'over.token_expired': ({ token, milliseconds }, { duration }) =>
    `${tokenIn(token)} expired ${duration(milliseconds)} ago and is no longer watched`,
  'over.token_replaced': ({ name }) => `${name} has another access token, which has not been used yet`,
  'over.unreported': ({ what, name }) => UNREPORTED[what](name),
  'over.usual': ({ what, name }) =>
    what === 'category'
      ? 'WhatsApp changed the category a week ago, and it now counts as usual'
      : `The ${what === 'limit' ? 'messaging limit' : 'quality rating'} of ${name ?? 'a line'} has been lower for a week and now counts as usual`,

  'muted.line': ({ line }) => `Everything about ${line}`,
  'muted.everything': () => 'Everything',

  'entry.inserted': ({ number }) => `Entry ${number} was inserted: it is not part of the audit.`,
  'entry.many_inserted': ({ most }) => `More than ${most} entries were inserted.`,
  'entry.missing': ({ from, to }) =>
    from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`,
  'entry.unverifiable': ({ missing, number }) =>
    `Entry ${missing} is missing. Entry ${number} cannot be verified.`,
  'entry.changed': ({ number, at }) => `Entry ${number} of ${at} is not as it was written.`,
  'entry.no_head': () => 'The head of the audit is missing.',
  'entry.no_key': () => 'The key of the audit is missing.',
  'entry.other_start': () => 'The start of the audit is not as it was sealed.',
  'entry.other_last': () => 'The last entry is not the one that the head names.',
  'entry.of_customer': ({ customer, number }) =>
    `Customer ${customer}'s audit was changed from entry ${number} on.`,
  'entry.unexpected': ({ number }) =>
    `Entry ${number} is not the expected one: it was replaced, or an earlier state was restored.`,

  'channel.late': () => 'It did not answer in time.',
  'channel.unreached': ({ why }) => `It could not be reached: ${why || 'the connection failed'}.`,
  'channel.answered': ({ status, text }) =>
    `It answered${status === null ? '' : ` HTTP ${status}`}${text ? `: ${text}` : '.'}`,
  'channel.no_line': () => 'The line does not exist. Choose another one.',
  'channel.no_template': ({ template }) => `The line has no template ${template}.`,
  'channel.whatsapp': ({ why }) => `WhatsApp says: ${why}`,
  'channel.smtp_late': () => 'The server did not accept the e-mail in time.',
  'channel.smtp': ({ why }) => `The server did not accept the e-mail: ${why}`,
  'channel.telegram': () => 'Telegram did not accept the message.',
  'channel.unknown_kind': () => 'This version of the gateway does not know this kind of channel.',

  'mail.no_server': () => 'No mail server. Add an e-mail channel for all alerts, whose server is then used.',
  'invitation.subject': () => 'Invitation to Messaging Gateway',
  'invitation.text': ({ link }) =>
    `You are invited to Messaging Gateway. Open this link within 72 hours to accept. It works once:\n\n${link}\n\nIf you don’t expect an invitation, ignore this mail.`,
  'channel.test': ({ channel }) => `Alerts reach ${channel}`,
  'channel.test.text': ({ who }) => `This is a test that ${who} asked for. There is no incident.`,
};
