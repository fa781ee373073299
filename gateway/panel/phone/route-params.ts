import { type Line } from '../../lines/line';
import { pageNotFound } from '../ui/error-page';
import { type UserContext } from '../request-context';

/** A phone in the panel: whose, with which line, and where. */
export interface PhoneParams {
  line: Line;
  contact: string;
  address: string;
}

/** Lines that the sandbox knows: those that have a credential for it. */
export const phoneLines = ({ deps }: UserContext): Line[] =>
  deps.lines.all().filter(({ accessToken }) => accessToken !== null);

export const phoneAddress = (line: Line, contact: string): string =>
  `/panel/phone/${line.id}/${encodeURIComponent(contact)}`;

/** The phone that the address names. */
export function phoneAt(context: UserContext): PhoneParams {
  const { line: id = '', contact = '' } = context.params;
  const line = phoneLines(context).find((one) => String(one.id) === id);
  if (!line || context.deps.sandboxUrl === null || !isContact(contact)) throw pageNotFound();
  return { line, contact, address: phoneAddress(line, contact) };
}

/** With whom the sandbox begins, as `npm start` does. */
export const DEMO_CONTACT = '12025550147';

/** A number in digits, or a user id of the platform. */
export const isContact = (contact: string): boolean =>
  /^(\d{5,20}|[A-Z]{2}\.[A-Za-z0-9.]{1,128})$/.test(contact);
