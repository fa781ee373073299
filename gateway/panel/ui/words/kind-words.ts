import { type MessageType } from '../../../cloud-api/validate/message-request';
import { subtypeOf } from '../../../cloud-api/written-text';
import { MESSAGE_STATES, type MessageState } from '../../../messages/message-record';
import { type EventTable } from '../../../store/schema';
import { languageNow } from '../../../wording/language';
import { t } from '../../languages/t';

/** Labels of message types. */
const messages = (): Record<MessageType, string> & Record<string, string> => ({
  text: t('Text'),
  image: t('Picture'),
  video: t('Video'),
  audio: t('Audio'),
  document: t('Document'),
  sticker: t('Sticker'),
  location: t('Location'),
  contacts: t('Contact card'),
  order: t('Order'),
  reaction: t('Reaction'),
  template: t('Template'),
  interactive: t('Interactive message'),
  button: t.of('message', 'Reply'),
  edit: t('Changed message'),
  revoke: t('Deleted message'),
  unsupported: t('A message whose content WhatsApp did not provide'),
  system: t('System message'),
  request_welcome: t('Opened the chat for the first time'),
  unknown: t.of('message', 'Unknown'),
});

/** Labels of message subtypes, by type and subtype. */
const subtypes = (): Record<string, string> => ({
  'reaction removed': t('Removed a reaction'),
  'interactive button': t('Message with choices'),
  'interactive list': t('Message with choices'),
  'interactive button_reply': t('Choice from buttons'),
  'interactive list_reply': t('Choice from a list'),
  'interactive flow': t('Completed form'),
  'interactive address_message': t('Address'),
  'interactive call_permission_accept': t('Allowed calls'),
  'interactive call_permission_reject': t('Declined calls'),
  'interactive call_permission_reply': t('Answer to a call request'),
  'system user_changed_number': t('Phone number changed'),
  'system customer_changed_number': t('Phone number changed'),
  'system user_changed_user_id': t('User ID changed'),
  'system user_identity_changed': t('Identity changed'),
  'system customer_identity_changed': t('Identity changed'),
});

/** Labels of webhook fields about accounts, numbers and templates. */
const accounts = (): Record<string, string> => ({
  account_alerts: t('Alert'),
  account_review_update: t('Review of the account'),
  account_update: t('Change of the account'),
  business_capability_update: t('Change of limits'),
  message_template_components_update: t('Template edited'),
  message_template_quality_update: t('Quality of a template'),
  message_template_status_update: t('State of a template'),
  phone_number_name_update: t('Display name of a number'),
  phone_number_quality_update: t('Quality of a number'),
  security: t('Security of a number'),
  template_category_update: t('Category of a template'),
});

/** A kind in lower case, for use in a sentence. */
export const inSentence = (kind: string): string => kind.toLocaleLowerCase(languageNow());

/** Formats an unknown word of the platform. */
const plain = (word: string): string => word.replaceAll('_', ' ');

/** The label of a kind. Unknown kinds are shown in the platform's spelling. */
const wordIn = (words: Record<string, string>, kind: string): string =>
  (Object.hasOwn(words, kind) && words[kind]) || plain(kind);

export const messageKind = (type: string): string => wordIn(messages(), type);

/**
 * The kind of a received message.
 * @param body of the event; null or empty if not stored
 */
export function writtenKind({ kind, body }: { kind: string; body?: string | null }): string {
  const subtype = ['reaction', 'interactive', 'system'].includes(kind) ? subtypeOf(body ?? '') : null;
  if (subtype === null) return messageKind(kind);
  return subtypes()[`${kind} ${subtype}`] ?? `${messageKind(kind)}: ${plain(subtype)}`;
}

const accountKind = (field: string): string => wordIn(accounts(), field);

export const messageWord = (state: MessageState): string =>
  ({
    accepted: t.of('message', 'Accepted'),
    sent: t.of('message', 'Sent'),
    delivered: t.of('message', 'Delivered'),
    read: t.of('message', 'Read'),
    played: t.of('message', 'Played'),
    failed: t.of('message', 'Failed'),
  })[state];

/** Labels of payment statuses. */
const payments = (): Record<string, string> => ({
  payment_captured: t('Payment captured'),
  payment_pending: t('Payment pending'),
  payment_failed: t('Payment failed'),
});

const statusKind = (status: string): string => {
  const known = MESSAGE_STATES.find((one) => one === status);
  return known ? messageWord(known) : wordIn(payments(), status);
};

/** The label of a template's category. */
export function categoryWord(category: string): string {
  const word = category.toLowerCase();
  const words: Record<string, string> = {
    authentication: t('Authentication'),
    authentication_international: t('Authentication, international'),
    marketing: t('Marketing'),
    utility: t('Utility'),
    service: t('Service'),
  };
  return wordIn(words, word);
}

/** The label of an event. */
export function eventWord({
  subject,
  kind,
  body,
}: Pick<EventTable, 'subject' | 'kind'> & { body?: string | null }): string {
  if (subject === 'message') return t('Message: {kind}', { kind: inSentence(writtenKind({ kind, body })) });
  if (subject === 'echo')
    return t('From the phone app: {kind}', { kind: inSentence(writtenKind({ kind, body })) });
  if (subject === 'messageStatus') return t('Status: {kind}', { kind: inSentence(statusKind(kind)) });
  if (subject === 'notification')
    return kind === 'gathered' ? t('Gathered messages') : t('Whole notification');
  return t('Account: {kind}', { kind: inSentence(accountKind(kind)) });
}
