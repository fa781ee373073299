import { type CheckFactValues } from '../checks';
import { type FactWords } from '../facts';

const RATINGS = { HIGH: 'high', MEDIUM: 'medium', LOW: 'low', UNKNOWN: 'not rated yet' };

export const checks: Pick<FactWords, keyof CheckFactValues> = {
  'check.unread': () => 'Not checked yet.',
  'check.unreported': () => 'WhatsApp did not report this.',
  'check.lacks': ({ permission }) => `Not readable: the access token lacks the permission ${permission}.`,
  'check.refused': ({ says }) => `Not readable. WhatsApp says: ${says}`,

  'check.token': ({ expires }, { time }) =>
    expires === null ? 'The access token is valid.' : `The access token is valid until ${time(expires)}.`,
  'check.token_lasting': () => 'The access token is valid and never expires.',
  'check.token_missing': () => 'The line has no access token. Enter it under Settings.',
  'check.token_refused': () => 'WhatsApp refuses the access token. Enter a new one under Settings.',
  'check.token_expired': ({ at }, { time }) =>
    `The access token expired on ${time(at)}. Enter a new one under Settings.`,
  'check.token_expires': ({ at, days }, { plural, time }) =>
    `The access token expires in ${plural(days, '# day', '# days')}, on ${time(at)}. Create one that never expires for a system user.`,
  'check.token_lacks': ({ permissions }) =>
    `The access token lacks ${permissions.join(' and ')}. Create one with both permissions.`,
  'check.token_other_account': () =>
    'The access token may not use this business account. Assign the account to its system user, and create a new token.',
  'check.token_of_user': () =>
    'The access token belongs to a person and stops working with their login. Use a system user’s token.',
  'check.number': () => 'The business account has this phone number.',
  'check.number_elsewhere': () =>
    'The business account does not have this phone number. Correct the IDs under Settings.',
  'check.registered': () => 'The number is registered for the Cloud API.',
  'check.unregistered': () =>
    'The number is not registered for the Cloud API, so it cannot send or receive. Register it with its PIN.',
  'check.unverified': () =>
    'The number is registered, but its ownership is not verified. Verify it in WhatsApp Manager.',
  'check.name': ({ name }) =>
    name ? `The display name “${name}” is approved.` : 'The display name is approved.',
  'check.name_pending': () => 'WhatsApp is reviewing the display name. Until then, messaging is limited.',
  'check.name_declined': () =>
    'WhatsApp does not accept the display name. Choose another one in WhatsApp Manager.',
  'check.subscribed': () => 'The app receives the events of the business account.',
  'check.unsubscribed': () =>
    'No app is subscribed to the business account, so no messages or statuses arrive here.',
  'check.called': () => 'WhatsApp reaches this gateway.',
  'check.uncalled': ({ canSet }) =>
    canSet
      ? 'WhatsApp has not called this gateway yet. Enter its callback URL in your app, or set it for this number. The latter covers messages and statuses only: template and account events need the callback of the app.'
      : 'WhatsApp has not called this gateway yet. Set GATEWAY_PUBLIC_URL, then enter the callback URL in your app.',
  'check.signed': () => 'The app secret matches: the latest event had a correct signature.',
  'check.signed_wrong': ({ since }, { time }) =>
    `Events are refused since ${time(since)}, because the app secret does not match their signature. Enter the secret of the app that sends them under Settings.`,
  'check.unsigned': () => 'Checked with the first event.',
  'check.quality': ({ rating, limit, throughput }) =>
    `Quality: ${RATINGS[rating]}. Messaging limit: ${limit || 'not reported'}. Throughput: ${throughput || 'not reported'}.`,
  'check.paid': () => 'The business account has a payment method.',
  'check.unpaid': () =>
    'The business account has no payment method. Since October 2026, WhatsApp then delivers no messages, not even replies. Add one in WhatsApp Manager.',
  'check.account': () => 'The business account is approved, and the business is verified.',
  'check.account_pending': ({ review }) => `WhatsApp is reviewing the business account (${review}).`,
  'check.account_rejected': ({ review }) =>
    `WhatsApp did not approve the business account (${review}). Request a review in Business Support Home.`,
  'check.business_unverified': ({ verification }) =>
    `The business account is approved, but the business is not verified (${verification}). Verify it for higher limits.`,
  'check.pin': () => 'Two-step verification is on.',
  'check.pin_missing': () =>
    'Two-step verification is off. Set a PIN, so that no one else can register the number.',
  'check.destinations': ({ count }, { plural }) =>
    plural(count, '# destination receives events.', '# destinations receive events.'),
  'check.destinations_failing': ({ failing, count }, { number }) =>
    `${number(failing)} of ${number(count)} destinations are paused or not accepting events.`,
  'check.destination_missing': () => 'The line has no destination. Events are stored but not forwarded.',
  'check.received': () => 'A message from a phone has arrived.',
  'check.unreceived': ({ number }) =>
    `Write to ${number} from your phone. This turns green when the message arrives.`,
  'check.clock': () => 'The gateway’s clock is right.',
  'check.clock_wrong': ({ seconds, isAhead }, { duration }) =>
    `The gateway’s clock is ${duration(seconds * 1000)} ${isAhead ? 'ahead of' : 'behind'} WhatsApp’s. Set it by NTP.`,

  'pin.invalid': () => 'A PIN has six digits.',
  'code.invalid': () => 'A verification code has six digits.',
  'command.invalid': () => 'Write each command as a name and a description, such as “menu: See the menu”.',
  'public_url.missing': () => 'Set GATEWAY_PUBLIC_URL and restart the gateway.',
};
