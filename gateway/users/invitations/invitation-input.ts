import { Issues } from '../../primitives/issues';
import { type Role } from '../../rights/roles';
import { fact } from '../../wording/facts';
import { userInput } from '../user-input';

/** The entered data of an invitation. */
export interface InvitationInput {
  /** A note for the list, such as the person's name; null if none. */
  name: string | null;
  /** Where the link is sent; null: it is shown to the inviter. */
  email: string | null;
  role: string;
  /** The customers in which the role is given; null: in all. */
  customerIds: readonly number[] | null;
}

export type InvitationValues = InvitationInput & { role: Role };

/** In characters. */
export const LONGEST_NAME = 80;
const LONGEST_EMAIL = 254;
const EMAIL = /^[^\s<>@,;:"\\]+@[^\s<>@,;:"\\]+\.[^\s<>@,;:"\\]+$/;

/** @throws Refusal with all issues, by field */
export function invitationInput(given: InvitationInput): InvitationValues {
  const issues = new Issues();
  const name = given.name?.trim() || null;
  const email = given.email?.trim() || null;
  if (name !== null) issues.addName(name, LONGEST_NAME);
  if (email !== null && (email.length > LONGEST_EMAIL || !EMAIL.test(email)))
    issues.add('email', 'email', fact('email.address', {}));
  const { role, customerIds } = userInput({ role: given.role, customerIds: given.customerIds }, 0, issues);
  return { name, email, role: role as Role, customerIds: customerIds && [...new Set(customerIds)] };
}
