import { type FactWords } from '../facts';
import { type Copied, type IssueValues } from '../issues';

const COPIED = {
  access_token: 'The access token',
  app_secret: 'The app secret',
  signing_secret: 'The signing secret',
};

function copiedIn(what: Copied): string {
  if (typeof what === 'string') return COPIED[what];
  return 'header' in what ? `The value of ${what.header}` : what.setting;
}

const OBJECTS = { number: 'phone number', account: 'business account' };

export const issues: Pick<FactWords, keyof IssueValues> = {
  'url.invalid': () => 'Enter a full address, such as https://example.com/webhook',
  'url.long': ({ most }) => `A URL has up to ${most} characters.`,
  'url.scheme': ({ scheme }) => `A destination starts with https:// or http://, not ${scheme}//`,
  'url.user': () => 'A destination holds no user name or password. Use a custom header.',
  'address.invalid': ({ address }) => `${address} is not an address.`,
  'address.private': ({ place, entry }, { say }) =>
    `${place} is not a public address. ${
      entry === null
        ? 'Ask the operator of the gateway to add this address.'
        : say({ word: 'address.allow', values: { entry } })
    }`,

  'header.many': ({ most }) => `At most ${most} headers are possible.`,
  'header.name': ({ name }) => `${name} is not the name of a header.`,
  'header.own': ({ name }) => `The header ${name} is sent by the gateway itself.`,
  'header.value': ({ name, most }) =>
    `The value of ${name} takes up to ${most} characters, on one line and without accents.`,
  'header.lines': () => 'Write each header on a line of its own, as "Name: value".',
  'header.elsewhere': () =>
    'This destination has headers, and the new address is on another server. Enter the headers again together with the address, or remove them.',
  'secret.length': ({ least, most }) => `A signing secret has ${least} to ${most} characters.`,

  'copied.spaces': ({ what }) =>
    `${copiedIn(what)} contains a space or a line break. Copy it again, in one line.`,
  'copied.hidden': ({ what }) =>
    `${copiedIn(what)} has a space at an end, a line break or an invisible character. Copy it again, in one line.`,
  'copied.long': ({ what }) => `${copiedIn(what)} is too long. Copy it again.`,

  'seconds.range': ({ most }, { number }) => `Enter a whole number of seconds from 1 to ${number(most)}.`,
  'choice.none': () => 'Choose at least one.',
  'choice.unknown': ({ given, possible }) => `${given} is not possible here. Choose ${possible.join(', ')}.`,
  'raw.waits': () =>
    'Only single events can wait until the contact pauses: choose the mode split, or no pause.',

  'name.missing': () => 'Enter a name.',
  'name.long': ({ most }) => `A name has up to ${most} characters.`,
  'name.hidden': () => 'The name contains a tab, a line break or an invisible character. Type it again.',
  'number_id.invalid': () => 'A phone number ID has only digits, such as 106540352242922.',
  'number_id.taken': () => 'Another line already has this phone number ID.',
  'waba_id.invalid': () => 'A WhatsApp Business Account ID has only digits, such as 102290129340398.',
  'waba_id.same': () => 'This is the phone number ID again; the account has an ID of its own.',
  'access_token.missing': () => 'Enter the access token that sends messages.',
  'app_secret.missing': () => 'Enter the app secret. Without it, the gateway cannot receive events.',
  'hours.range': ({ most }) => `Enter whole hours, at most ${most}, or 0 for no pause.`,
  'number.range': ({ most }, { number }) => `Enter a whole number from 1 to ${number(most)}.`,
  'overlap.range': ({ most }, { number }) =>
    `Enter whole hours, at most ${number(most)}, or 0 to end the previous one at once.`,
  'end.hours': ({ most }, { number }) => `Enter whole hours from 1 to ${number(most)}.`,
  'end.time': ({ most }, { number }) =>
    `Enter either hours, or a time within the next ${number(most)} hours, such as 2026-12-24T18:00:00Z.`,
  'user_name.invalid': ({ most }) =>
    `A name has up to ${most} letters and digits, and may have . _ - + @ between them.`,
  'user_name.taken': () => 'This name is already in use. Choose another.',
  'role.owner': () => 'Owners manage the whole gateway. Choose another role for a customer.',
  'customer.missing': () => 'Choose a customer.',
  'customer.unknown': () => 'There is no such customer.',
  'line_id.unknown': () => 'There is no such line.',
  'days.range': ({ most }, { number }) => `Enter a number of days from 1 to ${number(most)}.`,
  'reach.both': () => 'Choose customers or lines, not both.',
  'permissions.above': ({ names }) =>
    `You do not have ${names.join(', ')} for everything that the token reaches.`,
  'permissions.narrow': ({ names }) =>
    `A token that reaches only some customers or lines cannot have ${names.join(', ')}.`,
  'external_id.missing': () => 'Enter an external ID, or leave the field empty.',
  'external_id.long': ({ most }) => `An external ID has up to ${most} characters.`,
  'external_id.hidden': () =>
    'The external ID contains a tab, a line break or an invisible character. Type it again.',
  'external_id.taken': () => 'Another customer has this external ID.',
  'number_id.elsewhere': () => "This phone number can't be added here. Ask the operator of the gateway.",
  'password.short': ({ least }) =>
    `Use at least ${least} characters. Four words in a row make a good password.`,
  'password.long': ({ most }, { number }) => `Use at most ${number(most)} characters.`,
  'password.plain': () => 'Use more than a few different characters.',
  'password.name': () => 'Use something other than your name.',
  'words.both': ({ word }) => `"${word}" stands for both, to leave and to come back.`,
  'words.long': ({ most }) => `A word has up to ${most} characters.`,
  'words.hidden': () => 'A word contains an invisible character. Type the words again.',
  'words.many': ({ most }) => `There may be up to ${most} words.`,

  'platform.unreached': () => 'The platform cannot be reached just now, so nothing could be checked.',
  'platform.unclear': ({ says }) => `Nothing could be checked. The platform says: ${says}.`,
  'platform.wrong_token': ({ says }) =>
    `The platform does not accept this access token: it is mistyped, has expired or was revoked. The platform says: ${says}.`,
  'platform.no_access': ({ to, says }) =>
    `This access token may not use this ${OBJECTS[to]}. Give its system user the assets and the permissions whatsapp_business_messaging and whatsapp_business_management. The platform says: ${says}.`,
  'platform.unknown_id': ({ of, says }) =>
    `The platform knows no ${OBJECTS[of]} with this ID that the access token may use. Take care not to mix up the two IDs. The platform says: ${says}.`,
  'platform.other_account': () =>
    'The phone number does not belong to this business account. Copy the account ID that the platform shows beside the phone number ID.',
  'platform.other_number': ({ number }) => `The platform reports ${number} for this ID.`,

  'value.missing': () => 'Enter a value.',
  'server.changed': () => 'Enter it again, because the server has changed.',
  'scope.missing': () => 'Choose which lines the channel covers.',
  'time.invalid': () => 'Enter a time, such as 22:00.',
  'date.invalid': () => 'Enter a date or a time, such as 2027-01-31T00:00:00Z.',
  'day.invalid': () => 'Enter a day, such as 2027-01-31.',
  'period.reversed': () => 'The last day cannot be before the first day.',
  'period.long': ({ most }) => `Choose at most ${most} days.`,
  'country.invalid': () => 'Enter a country as two letters, such as BR, or ?? for unknown countries.',
  'usage.many': ({ most }, { number }) =>
    `The report would have more than ${number(most)} rows. Choose longer periods, fewer days, or a filter.`,
  'date.past': () => 'Enter a time in the future.',
  'time_zone.unknown': () => 'Enter a time zone, such as America/Sao_Paulo or UTC.',
  'phone.invalid': () => 'Enter a phone number with its country code, such as +55 11 98765-4321.',
  'recipient.invalid': () =>
    'Enter a phone number with its country code, such as +55 11 98765-4321, or a user ID, such as US.13491208655302741918.',
  'email.addresses': () => 'Enter e-mail addresses, separated by commas, such as ana@example.com',
  'email.address': () => 'Enter an e-mail address, such as gateway@example.com',
  'host.invalid': () => 'Enter the name of a server, such as smtp.example.com',
  'port.invalid': () => 'Enter a port, a number up to 65535.',
  'bot_token.invalid': () => 'Enter the token of a bot, such as 110201543:AAHdq…',
  'topic.invalid': () => 'A topic has letters, digits, - and _, at most 64.',
  'json.invalid': ({ why }) => `This is not JSON: ${why}`,

  'oidc.key': () => 'Use up to 40 lowercase letters, digits and hyphens.',
  'oidc.key_taken': () => 'Another provider has this short name.',
  'oidc.issuer': () =>
    'Enter the issuer as the provider shows it, such as https://login.example.com/realms/company',
  'oidc.issuer_taken': () => 'This issuer is already set up.',
  'oidc.domain': () => 'Enter domains, separated by commas, such as example.com',
  'oidc.many': ({ most }) => `Enter up to ${most}.`,
  'oidc.long': ({ most }, { number }) => `Use at most ${number(most)} characters.`,
  'oidc.hidden': () => 'This contains a line break or an invisible character. Type it again.',
  'oidc.no_roles': () => 'New users get their roles from groups. Add a group first.',

  'draft.changed': ({ who, at }, { time }) => `${who} saved this draft on ${time(at)}.`,
  'draft.shape': () => 'Each language of a template needs its code and a list of components.',
  'draft.large': ({ kilobytes }) => `A draft has up to ${kilobytes} KB.`,
  'draft.languages': ({ most }) => `A draft has up to ${most} languages.`,
  'draft.parts': ({ most }) => `A draft has up to ${most} parts and variables.`,
  'draft.import': () => 'Enter one template as a JSON object, or its languages as a list of objects.',
  'draft.differs': ({ field }) => `"${field}" must be the same in all languages.`,
  'sample.large': ({ megabytes }) => `A sample file has up to ${megabytes} MB.`,
  'sample.many': ({ most }) => `A draft has up to ${most} sample files.`,
};
