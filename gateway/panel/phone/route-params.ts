import { type Line } from '../../lines/line';
import { pageNotFound } from '../ui/frame/error-page';
import { type UserContext } from '../request-context';
import { isContact, phoneAddress } from '../send/phone-address';

/** A phone in the panel: its number and its line. */
export interface PhoneParams {
  line: Line;
  contact: string;
  address: string;
}

/** Lines with an access token, which the sandbox knows. */
export const phoneLines = ({ deps }: UserContext): Line[] =>
  deps.lines.all().filter(({ accessToken }) => accessToken !== null);

/** The phone in the address. */
export function phoneAt(context: UserContext): PhoneParams {
  const { line: id = '', contact = '' } = context.params;
  const line = phoneLines(context).find((one) => String(one.id) === id);
  if (!line || context.deps.sandboxUrl === null || !isContact(contact)) throw pageNotFound();
  return { line, contact, address: phoneAddress(line, contact) };
}
