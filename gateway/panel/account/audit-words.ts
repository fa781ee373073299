import { channelKind } from '../../alerts/channels/kinds';
import { NOT_LOGGED_IN } from '../../users/log-in-watch';
import { t } from '../languages/t';
import { LISTED_STATES } from '../../store/reports/delivery-list';
import { ROLES } from '../../rights/roles';
import { roleWord } from '../ui/frame/role';
import { stateWord } from '../log/delivery-words';
import {
  kindWords,
  looksWords,
  modeWords,
  qualityWords,
  scopeWords,
  windowWords,
} from '../ui/words/choice-words';

/** The label of each action. */
const actions = (): Record<string, string> => ({
  'admin_token.created': t('Admin token created'),
  'admin_token.revoked': t('Admin token revoked'),
  'alert.muted': t('Alert muted'),
  'alert.unmuted': t('Alert unmuted'),
  'alert_channel.added': t('Alert channel added'),
  'alert_channel.edited': t('Alert channel edited'),
  'alert_channel.paused': t('Alert channel paused'),
  'alert_channel.removed': t('Alert channel removed'),
  'alert_channel.resumed': t('Alert channel resumed'),
  'alert_channel.tested': t('Alert channel tested'),
  'alert_rule.changed': t('Alert rule changed'),
  'audit.cleared': t('Old entries deleted'),
  'backup.downloaded': t('Backup downloaded'),
  'backup.requested': t('Backup requested'),
  'contact.automation_paused': t('Automation paused for a contact'),
  'contact.automation_resumed': t('Automation resumed for a contact'),
  'contact.forgotten': t('Contact forgotten'),
  'contact.opted_in': t('Contact off the opt-out list'),
  'contact.opted_out': t('Contact opted out'),
  'customer.added': t('Customer added'),
  'customer.edited': t('Customer edited'),
  'customer.removed': t('Customer removed'),
  'rate_card.imported': t('Rate card imported'),
  'rate_card.removed': t('Rate card removed'),
  'deliveries.replay_begun': t('Resending started'),
  'deliveries.replayed': t('Deliveries resent'),
  'destination.added': t('Destination added'),
  'destination.edited': t('Destination edited'),
  'destination.paused': t('Destination paused'),
  'destination.removed': t('Destination removed'),
  'destination.resumed': t('Destination resumed'),
  'destination.secret_rotated': t('Secret of a destination rotated'),
  'destination.tested': t('Destination tested'),
  'destination.tried_now': t('Destination tried'),
  'draft.created': t('Draft created'),
  'draft.deleted': t('Draft deleted'),
  'draft.saved': t('Draft saved'),
  'events.exported': t('Events exported'),
  'audit.exported': t('Audit log exported'),
  'identity.linked': t('Account linked'),
  'identity.unlinked': t('Link to an account removed'),
  'invitation.created': t('Invitation created'),
  'invitation.renewed': t('Invitation renewed'),
  'invitation.revoked': t('Invitation revoked'),
  'line.activated': t('Line activated'),
  'line.added': t('Line added'),
  'line.api_disabled': t('API of a line switched off'),
  'line.api_enabled': t('API of a line switched on'),
  'line.deactivated': t('Line deactivated'),
  'line.edited': t('Line edited'),
  'line.forgotten': t('Line forgotten'),
  'line.removed': t('Line removed'),
  'log_in.failed': t('Log-in failed'),
  'message.composed': t('Message sent from the panel'),
  'messages.exported': t('Messages exported'),
  'messages.looked': t('Messages viewed'),
  'oidc_provider.added': t('Log-in provider added'),
  'oidc_provider.edited': t('Log-in provider edited'),
  'oidc_provider.removed': t('Log-in provider removed'),
  'platform.changed': t('Changed at the platform'),
  'question.canceled': t('Question canceled'),
  'sandbox.switched': t('Sandbox switched'),
  'secrets.rekeyed': t('Secrets encrypted with another key'),
  'session.begun': t.of('action', 'Logged in'),
  'template.created': t('Template created'),
  'template.deleted': t('Template deleted'),
  'template.edited': t('Template edited'),
  'token.created': t('Token made'),
  'token.revoked': t('Token revoked'),
  'token.rotated': t('Token rotated'),
  'user.added': t('User added'),
  'user.joined': t('Invitation accepted'),
  'user.app_switched_off': t('Authenticator app switched off'),
  'user.app_switched_on': t('Authenticator app switched on'),
  'user.link_replaced': t('New link made'),
  'user.password_reset': t('Password reset'),
  'user.password_set': t('Password set'),
  'user.recovery_codes_made': t('Recovery codes made'),
  'user.removed': t('User removed'),
  'user.role_changed': t('Role changed'),
  'user.roles_of_groups': t('Roles changed by groups'),
  'user.sessions_ended': t('Sessions ended'),
  'user.set_up': t('First user set up'),
  'user.unlocked': t('User unlocked'),
});

/** The label of each detail. */
const details = (): Record<string, string> => ({
  account: t.of('detail', 'account'),
  before: t.of('detail', 'before'),
  by: t.of('detail', 'by'),
  channel: t.of('detail', 'channel'),
  condition: t.of('detail', 'condition'),
  contact: t.of('detail', 'contact'),
  count: t.of('detail', 'count'),
  destination: t.of('detail', 'destination'),
  deliveries: t.of('detail', 'deliveries'),
  event: t.of('detail', 'event'),
  events: t.of('detail', 'events'),
  expires_at: t.of('detail', 'expires'),
  fields: t.of('detail', 'fields'),
  file: t.of('detail', 'file'),
  format: t.of('detail', 'format'),
  forward_url: t.of('detail', 'forwarding URL'),
  is_on: t.of('detail', 'switched on'),
  headers: t.of('detail', 'headers'),
  kind: t.of('detail', 'kind'),
  category: t.of('detail', 'category'),
  language: t.of('detail', 'language'),
  issuer: t.of('detail', 'issuer'),
  line: t.of('detail', 'line'),
  messages: t.of('detail', 'messages'),
  mode: t.of('detail', 'mode'),
  customers: t.of('detail', 'customer'),
  external_id: t.of('detail', 'external ID'),
  name: t.of('detail', 'name'),
  outcome: t.of('detail', 'result'),
  page: t.of('detail', 'page'),
  overlap_hours: t.of('detail', 'overlap in hours'),
  phone_number_id: t.of('detail', 'phone number ID'),
  provider: t.of('detail', 'provider'),
  quietSeconds: t.of('detail', 'seconds of silence'),
  permissions: t.of('detail', 'permissions'),
  lines: t.of('detail', 'lines'),
  currency: t.of('detail', 'currency'),
  'effective from': t.of('detail', 'applies from'),
  markets: t.of('detail', 'markets'),
  receives: t.of('detail', 'receives'),
  replaces: t.of('detail', 'replaces'),
  request: t.of('detail', 'request'),
  result: t.of('detail', 'result'),
  role: t.of('detail', 'role'),
  roles: t.of('detail', 'roles'),
  answers: t.of('detail', 'answers'),
  scopes: t.of('detail', 'may'),
  since: t.of('detail', 'since'),
  state: t.of('detail', 'state'),
  template: t.of('detail', 'template'),
  threshold: t.of('detail', 'threshold'),
  ticked: t.of('detail', 'ticked'),
  to: t.of('detail', 'to'),
  token: t.of('detail', 'token'),
  type: t.of('detail', 'type'),
  until: t.of('detail', 'until'),
  up_to: t.of('detail', 'up to'),
  url: 'URL',
  sessions: t.of('detail', 'sessions'),
  'invited by': t.of('detail', 'invited by'),
  invitation: t.of('detail', 'invitation'),
  user: t.of('detail', 'user'),
  what: t.of('detail', 'what'),
  with: t.of('detail', 'with'),
  works_until: t.of('detail', 'works until'),
});

/** The label of each changed field. */
const changes = (): Record<string, string> => ({
  name: t.of('change', 'name'),
  customer: t.of('detail', 'customer'),
  'external id': t.of('detail', 'external ID'),
  suspended: t.of('change', 'suspended'),
  'audited looks': t.of('change', 'audited views of messages'),
  'authenticator app required': t.of('change', 'authenticator app required'),
  budget: t.of('change', 'monthly budget'),
  'held at the budget': t.of('change', 'marketing refused at the budget'),
  'phone number': t.of('change', 'phone number'),
  'phone number id': t.of('change', 'phone number ID'),
  'waba id': t.of('change', 'business account'),
  active: t.of('change', 'active'),
  API: 'API',
  window: t.of('change', '24-hour window'),
  quality: t.of('change', 'quality'),
  'automation pause hours': t.of('change', 'hours of pause after an answer'),
  'paused until': t.of('change', 'automation paused until'),
  'what is sent is kept': t.of('change', 'what is sent is kept'),
  'what is sent is not kept': t.of('change', 'what is sent is not kept'),
  'access token': t.of('change', 'access token'),
  'app secret': t.of('change', 'app secret'),
  'opt-out words': t.of('change', 'opt-out words'),
  'words to come back': t.of('change', 'words to come back'),
  'forwarding URL': t.of('detail', 'forwarding URL'),
  to: t.of('detail', 'to'),
  scope: t.of('change', 'scope'),
  settings: t.of('change', 'settings'),
  'quiet hours': t.of('change', 'quiet hours'),
  'time zone': t.of('change', 'time zone'),
  'remind hours': t.of('change', 'hours between reminders'),
  'client ID': t('Client ID'),
  'client secret': t('Client secret'),
  scopes: t('Scopes'),
  'groups claim': t('Groups claim'),
  'roles of groups': t('Roles of groups'),
  'creates users': t('Create users at their first log-in'),
  'e-mail domains': t('E-mail domains'),
  'trusted methods': t('Trusted second factors'),
  is_on: t.of('detail', 'switched on'),
});

export const changeWord = (word: string): string => changes()[word] ?? details()[word] ?? word;

/**
 * The label of a detail's value; null if the value has none. Needs the detail's name, because a word such as
 * `read` is both a scope and an event kind.
 */
export function valueWord(action: string, name: string, value: string): string | null {
  if (name === 'kind')
    return action.startsWith('alert_channel.') ? t.known(channelKind(value)?.label ?? value) : null;
  return valueWords()[name]?.[value] ?? null;
}

const valueWords = (): Record<string, Record<string, string>> => ({
  by: { 'quick-start': t.of('by', 'the first start') },
  mode: labelsOf(modeWords()),
  page: {
    conversation: t('Conversations'),
    conversations: t('Conversations'),
    message: t('Messages'),
    messages: t('Messages'),
    event: t('Events'),
    events: t('Events'),
    file: t.of('view', 'File'),
    search: t('Search'),
    export: t.of('view', 'Export'),
  },
  'audited looks': looksWords(),
  quality: labelsOf(qualityWords()),
  window: labelsOf(windowWords()),
  role: { ...Object.fromEntries(ROLES.map((role) => [role, roleWord(role)])), operator: roleWord('owner') }, // as previous versions wrote it
  receives: labelsOf(kindWords()),
  result: {
    locked: t.of('log-in', 'account locked'),
    unknown: t.of('result', 'not known: the platform did not answer'),
    wrong_answer: t.of('log-in', 'answer of the provider refused'),
    wrong_code: t.of('log-in', 'wrong code'),
    wrong_password: t.of('log-in', 'wrong password'),
  },
  scopes: Object.fromEntries(Object.entries(scopeWords()).map(([scope, { word }]) => [scope, word])),
  state: Object.fromEntries(LISTED_STATES.map((state) => [state, stateWord(state)])),
  with: {
    email: t.of('with', 'e-mail address'),
    'new user': t.of('with', 'new user'),
    'one-time link': t.of('with', 'one-time link'),
  },
  'paused until': { resumed: t.of('until', 'resumed') },
  works_until: { now: t.of('until', 'now') },
});

const labelsOf = (words: Record<string, { label: string }>): Record<string, string> =>
  Object.fromEntries(Object.entries(words).map(([word, { label }]) => [word, label]));

export const isKnownAction = (action: string): boolean => Object.hasOwn(actions(), action);

/** The label of an unknown action: `line.something_new` becomes "Line something new". */
export function actionWords(action: string): string {
  const text = action.replaceAll(/[._]/g, ' ');
  return actions()[action] ?? `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export const detailWord = (name: string): string => details()[name] ?? name.replaceAll('_', ' ');

/** The label of an actor. User names are shown unchanged and contain no spaces. */
export function whoWord(who: string): string {
  const [, id, ending, line] = /^token (\d+) \(\u2026([\w-]+)\) of (.*)$/s.exec(who) ?? [];
  if (id && ending && line) return t('token {id} (…{ending}) of {line}', { id, ending, line });
  const [, admin, last] = /^admin token (\d+) \(\u2026([\w-]+)\)$/.exec(who) ?? [];
  if (admin && last) return t('admin token {id} (…{ending})', { id: admin, ending: last });
  return who === NOT_LOGGED_IN ? t('not logged in') : who;
}
