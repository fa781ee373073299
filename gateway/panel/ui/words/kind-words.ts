import { MESSAGE_STATES } from '../../../messages/message-record';
import { type EventTable } from '../../../store/schema';
import { languageNow } from '../../languages/language';
import { t } from '../../languages/t';
import { messageWord } from '../message-badge';

/** What the platform calls messages, by its own word. */
const messages = (): Record<string, string> => ({
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
  interactive: t('Message with choices'),
  button: t.of('message', 'Reply'),
  edit: t('Changed message'),
  revoke: t('Deleted message'),
  unsupported: t('Something that is not passed on'),
  system: t('Change of number'),
  unknown: t.of('message', 'Unknown'),
});

/** What the platform tells of accounts, numbers and templates, by the name of its webhook field. */
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

/** A kind as it stands within a sentence. */
export const inSentence = (kind: string): string => kind.toLocaleLowerCase(languageNow());

/** A word of the platform that nobody here knows. */
const plain = (word: string): string => word.replaceAll('_', ' ');

export const messageKind = (type: string): string => messages()[type] ?? plain(type);

export const accountKind = (field: string): string => accounts()[field] ?? plain(field);

export const statusKind = (status: string): string => {
  const known = MESSAGE_STATES.find((one) => one === status);
  return known ? messageWord(known) : plain(status);
};

/** What a template is for, as the platform files it. */
export function categoryWord(category: string): string {
  const word = category.toLowerCase();
  const words: Record<string, string> = {
    authentication: t('Authentication'),
    marketing: t('Marketing'),
    utility: t('Utility'),
  };
  return words[word] ?? plain(word);
}

/** What an event tells, in words. */
export function eventWord({ subject, kind }: Pick<EventTable, 'subject' | 'kind'>): string {
  if (subject === 'message') return t('Message: {kind}', { kind: inSentence(messageKind(kind)) });
  if (subject === 'messageStatus') return t('Status: {kind}', { kind: inSentence(statusKind(kind)) });
  if (subject === 'notification')
    return kind === 'gathered' ? t('Gathered messages') : t('Whole notification');
  return t('Account: {kind}', { kind: inSentence(accountKind(kind)) });
}
