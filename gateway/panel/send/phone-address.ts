import { type Line } from '../../lines/line';

/** The first contact of the sandbox. */
export const DEMO_CONTACT = '12025550147';

/** The page of a contact's sandbox phone with a line. */
export const phoneAddress = (line: Pick<Line, 'id'>, contact: string): string =>
  `/panel/phone/${line.id}/${encodeURIComponent(contact)}`;

/** Whether the text is a phone number in digits, or a user id. */
export const isContact = (contact: string): boolean =>
  /^(\d{5,20}|[A-Z]{2}\.[A-Za-z0-9.]{1,128})$/.test(contact);
