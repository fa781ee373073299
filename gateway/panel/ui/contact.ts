import { callingCodeOf } from '../../cloud-api/phone-spellings';
import { groupOf, writerName } from '../../cloud-api/written-text';
import { t } from '../languages/t';

/**
 * Formats a number with country code: `+1 202-555-0147`. Other countries get groups of three digits. User ids
 * stay unchanged, and a group shows only the end of its long id.
 */
export function contactText(contact: string): string {
  if (isGroup(contact)) return groupText(contact);
  if (!/^\d{7,15}$/.test(contact)) return contact;
  for (const [written, shown] of WAYS)
    if (written.test(contact)) return contact.replace(written, shown).replace('  ', ' ');
  const code = callingCodeOf(contact);
  // Avoids a single digit at the end.
  const groups = contact.slice(code.length).match(/\d{3}(?!\d$)|\d+/g) ?? [];
  return `+${[code, ...groups].filter(Boolean).join(' ')}`;
}

const groupText = (id: string): string => t('Group {id}', { id: id.length > 12 ? `…${id.slice(-6)}` : id });

/** Whether the id is a group's, so neither a phone number nor a user id. */
const isGroup = (contact: string): boolean =>
  /^[\w+/=@.-]+$/.test(contact) && !/^(\d{1,15}|[A-Z]{2}\.[\w.]{1,128})$/.test(contact);

/**
 * The contact or group of a conversation.
 * @param written the last received message; null or empty if not stored
 */
export function partnerOf(
  contact: string,
  written: string | null,
): { name: string | null; number: string; isGroup: boolean } {
  const isOfGroup = isGroup(contact) || groupOf(written ?? '') !== null;
  return isOfGroup
    ? { name: null, number: groupText(contact), isGroup: true }
    : { name: writerName(written ?? ''), number: contactText(contact), isGroup: false };
}

const WAYS: [RegExp, string][] = [
  // The United States, Canada and others
  [/^1(\d{3})(\d{3})(\d{4})$/, '+1 $1-$2-$3'],
  // Brazilian mobile numbers with the 9 that the platform may leave out; then landlines
  [/^55(\d\d)9?([6-9]\d{3})(\d{4})$/, '+55 $1 9$2-$3'],
  [/^55(\d\d)(\d{4,5})(\d{4})$/, '+55 $1 $2-$3'],
  // Mexico
  [/^52(1?)([2-9]\d)(\d{4})(\d{4})$/, '+52 $1 $2 $3 $4'],
  // Argentina, Buenos Aires
  [/^54(9?)(11)(\d{4})(\d{4})$/, '+54 $1 $2 $3-$4'],
  // Mobile numbers of the United Kingdom, France and India
  [/^44(7\d{3})(\d{6})$/, '+44 $1 $2'],
  [/^33(\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '+33 $1 $2 $3 $4 $5'],
  [/^91(\d{5})(\d{5})$/, '+91 $1 $2'],
];
