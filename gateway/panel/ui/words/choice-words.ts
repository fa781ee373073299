import { type EventKind } from '../../../forwarding/destination';
import {
  type AuditedLooks,
  type DestinationMode,
  type QualityMode,
  type Scope,
  type WindowMode,
} from '../../../store/schema';
import { t } from '../../languages/t';

/** Labels of what destinations receive and how, and of token scopes. */

export const kindWords = (): Record<EventKind, { label: string; hint: string }> => ({
  messages: { label: t('Messages'), hint: t('What contacts write.') },
  sent: { label: t.of('messages', 'Sent'), hint: t('The platform has sent it.') },
  delivered: { label: t.of('messages', 'Delivered'), hint: t('It has reached the phone.') },
  read: { label: t.of('messages', 'Read'), hint: t('It was read or played.') },
  failed: { label: t.of('messages', 'Failed'), hint: t('It could not be delivered, and why.') },
  echoes: { label: t('Phone app'), hint: t('What you send from your phone.') },
  account: { label: t('Account'), hint: t('Templates, quality, limits.') },
});

export const modeWords = (): Record<DestinationMode, { label: string; hint: string }> => ({
  split: {
    label: t('One event in each request'),
    hint: t('In the platform’s format. For n8n and most receivers.'),
  },
  raw: {
    label: t('As received, several at once'),
    hint: t('One request per notification of the platform.'),
  },
});

export const scopeWords = (): Record<Scope, { label: string; word: string; hint: string }> => ({
  send: { label: t('Send'), word: t.of('scope', 'send'), hint: t('Messages, and the files in them.') },
  read: {
    label: t.of('scope', 'Read'),
    word: t.of('scope', 'read'),
    hint: t('Templates, line status, messages with their statuses, and received files.'),
  },
  destinations: {
    label: t('Manage destinations'),
    word: t.of('scope', 'destinations'),
    hint: t("Add destinations that receive the line's events, as the n8n trigger does."),
  },
  'manage:read': {
    label: t('Read what the platform manages'),
    word: t.of('scope', 'read management'),
    hint: t('Single templates, the business profile, phone numbers, QR codes and blocked contacts.'),
  },
  manage: {
    label: t('Change what the platform manages'),
    word: t.of('scope', 'management'),
    hint: t('Create, edit and delete templates; profile, registration, QR codes and blocked contacts.'),
  },
});

export const windowWords = (): Record<WindowMode, { label: string; hint: string }> => ({
  text: {
    label: t('Free-form text only'),
    hint: t(
      'Free-form text needs a message from the contact in the last 24 hours. Templates, pictures and everything else are sent at any time.',
    ),
  },
  all: {
    label: t('Everything except templates'),
    hint: t('Everything except templates needs a message from the contact in the last 24 hours.'),
  },
  upstream: {
    label: t('Nothing: the platform decides'),
    hint: t('The gateway does not check. The platform may accept a message and fail it later.'),
  },
});

export const qualityWords = (): Record<QualityMode, { label: string; hint: string }> => ({
  normal: { label: t('Normal'), hint: t('Sends unless the platform rates the line low.') },
  strict: { label: t('Strict'), hint: t('Sends only once the platform has rated the line high or medium.') },
});

/** Whose views of messages the audit of a customer records. */
export const looksWords = (): Record<AuditedLooks, string> => ({
  off: t.of('views', 'Off'),
  agency: t('Views by users with a role in all customers'),
  everybody: t('Views by all users'),
});
