import { Issues } from '../primitives/issues';
import { ROLES, type Role } from '../rights/roles';
import { fact, type Fact } from '../wording/facts';
import { accountName } from './account-name';
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from './password';

/** The entered data of a panel user. Omitted fields are not checked. */
export interface UserInput {
  name?: string;
  role?: string;
  /** The customers in which the user has the role; null: in all. */
  customerIds?: readonly number[] | null;
  /** Null: a one-time link will set it. */
  password?: string | null;
}

const LONGEST_NAME = 64;

/**
 * Validates user data from the panel and the commands.
 * @param reserved number of characters that will be added to the name
 * @param issues found before
 * @throws Refusal with all issues, by field
 */
export function userInput<Given extends UserInput>(
  given: Given,
  reserved = 0,
  issues = new Issues(),
): Given & { role?: Role } {
  const { role, customerIds, password } = given;
  const name = given.name === undefined ? undefined : accountName(given.name);
  if (name !== undefined) issues.add('name', 'name', faultOfName(name, LONGEST_NAME - reserved));
  issues.addChoice('role', ROLES, role);
  if (customerIds && role === 'owner') issues.add('role', 'role', fact('role.owner', {}));
  if (customerIds?.length === 0) issues.add('customers', 'customer', fact('customer.missing', {}));
  if (typeof password === 'string') issues.add('password', 'password', faultOfPassword(password, name ?? ''));
  issues.check();
  return { ...given, ...(name !== undefined && { name }) } as Given & { role?: Role };
}

function faultOfName(name: string, most: number): Fact | null {
  if (!name) return fact('name.missing', {});
  return name.length <= most && /^[\p{L}\p{N}][\p{L}\p{N}._@+-]*$/u.test(name)
    ? null
    : fact('user_name.invalid', { most });
}

function faultOfPassword(password: string, name: string): Fact | null {
  if (password.length < SHORTEST_PASSWORD) return fact('password.short', { least: SHORTEST_PASSWORD });
  if (Buffer.byteLength(password) > LONGEST_PASSWORD)
    return fact('password.long', { most: LONGEST_PASSWORD });
  if (new Set(password).size < 5) return fact('password.plain', {});
  if (name && password.toLowerCase().replaceAll(name.toLowerCase(), '').length < SHORTEST_PASSWORD / 2)
    return fact('password.name', {});
  return null;
}
