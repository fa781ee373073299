import { contactNames, contactsWithName, contactsWithNumber } from '../../messages/contact-names';
import { conversationPage } from '../../messages/conversations';
import { t } from '../languages/t';
import { partnerOf } from '../ui/contact';
import { lastWords } from '../chat/last-words';
import { templatesOf } from '../../messages/sent-words';
import { conversationHref } from '../chat/thread';
import { joined } from '../ui/parts';
import { MOST_SHOWN, type Asked, type Group } from './asked';

/** Most phone numbers that match, and most latest events searched for names. */
interface Depth {
  numbers?: number;
  events?: number;
}

/** All names of contacts whose number contains the digits, or whose user id or name matches. */
export async function contactsLike(
  { context, reading, q, isNumber }: Asked,
  { numbers, events }: Depth = {},
): Promise<string[]> {
  if (!context.may('messages.read')) return [];
  const { store, lines } = reading;
  if (isNumber) return contactsWithNumber(store, lines.all(), q, numbers);
  return [...(await contactNames(store, q)), ...(await contactsWithName(store, q, events))];
}

/** The conversations of contacts. */
export async function contactsFound({ reading, lineName, shown }: Asked, contacts: string[]): Promise<Group> {
  const { store } = reading;
  const { rows } = contacts.length
    ? await conversationPage(store, { contacts }, { written: null, sent: null }, MOST_SHOWN)
    : { rows: [] };
  shown.push(...rows);
  const templates = await templatesOf(
    store,
    rows.filter(({ isOurs }) => isOurs),
  );
  return {
    title: t('Contacts'),
    kind: t('Contact'),
    hits: rows.map((row) => {
      const { name, number } = partnerOf(row.contact, row.written);
      return {
        key: `${row.line_id} ${row.contact}`,
        href: conversationHref(row.line_id, row.contact),
        label: joined(name, number),
        about: (
          <>
            {joined(lineName(row.line_id))} · {lastWords(row, templates)}
          </>
        ),
        at: row.at,
      };
    }),
  };
}
