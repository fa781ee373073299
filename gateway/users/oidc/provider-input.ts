import { SettingError } from '../../errors';
import { Issues } from '../../primitives/issues';
import { hasHiddenCharacters } from '../../primitives/visible-text';
import { ROLES, type Role } from '../../rights/roles';
import { fact } from '../../wording/facts';
import { say } from '../../wording/say';

/** A role for the members of a group at the provider. */
export interface GroupRole {
  group: string;
  role: Role;
  /** Null: in all customers. Providers in the settings name a customer by its external ID. */
  customer: { id: number } | { externalId: string } | null;
}

/** An OpenID Connect provider at which users log in. */
export interface Provider {
  /** Part of the redirect URL. */
  key: string;
  /** The name on buttons. */
  label: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Separated by spaces. */
  scopes: string;
  /** The claim of the ID token with the person's groups. */
  groupsClaim: string;
  /** If not empty, only members of these groups can log in, and the groups decide their roles. */
  roles: readonly GroupRole[];
  /** Whether members of these groups get a user at their first log-in. */
  createsUsers: boolean;
  /** Domains of e-mail addresses that the provider verifies; such an address links to the user who has it. */
  emailDomains: readonly string[];
  /** Values of the claim `amr` that replace the code of the authenticator app. */
  trustedAmr: readonly string[];
}

export const DEFAULT_SCOPES = 'openid profile email';
export const DEFAULT_GROUPS_CLAIM = 'groups';

const LONGEST = 200;
const LONGEST_ISSUER = 500;
const MOST_ROLES = 200;
const MOST_VALUES = 50;

/** Splits a typed list at commas and white space. */
export const listIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/**
 * Validates a provider from the panel or the settings.
 * @throws Refusal with all issues, by field
 */
export function providerInput(given: Provider): Provider {
  const issues = new Issues();
  const provider = {
    ...given,
    label: given.label.trim(),
    issuer: given.issuer.trim(),
    clientId: given.clientId.trim(),
    clientSecret: given.clientSecret.trim(),
    scopes: [...new Set(['openid', ...listIn(given.scopes)])].join(' '),
    groupsClaim: given.groupsClaim.trim(),
    emailDomains: given.emailDomains.map((domain) => domain.toLowerCase().replace(/^@/, '')),
  };
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(provider.key)) issues.add('key', 'pattern', fact('oidc.key', {}));
  addText(issues, 'label', provider.label, 80);
  addText(issues, 'client_id', provider.clientId, LONGEST);
  addText(issues, 'client_secret', provider.clientSecret, 1000);
  addText(issues, 'scopes', provider.scopes, 500);
  addText(issues, 'groups_claim', provider.groupsClaim, LONGEST);
  if (!isIssuer(provider.issuer)) issues.add('issuer', 'url', fact('oidc.issuer', {}));
  const { roles, emailDomains, trustedAmr } = provider;
  if (!emailDomains.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)))
    issues.add('email_domains', 'pattern', fact('oidc.domain', {}));
  for (const [field, { length }, most] of [
    ['email_domains', emailDomains, MOST_VALUES],
    ['trusted_amr', trustedAmr, MOST_VALUES],
    ['roles', roles, MOST_ROLES],
  ] as const)
    if (length > most) issues.add(field, 'maxItems', fact('oidc.many', { most }));
  for (const value of trustedAmr) addText(issues, 'trusted_amr', value, LONGEST);
  for (const { group, role, customer } of roles) {
    addText(issues, 'roles', group, LONGEST);
    issues.addChoice('roles', ROLES, role);
    if (customer && role === 'owner') issues.add('roles', 'role', fact('role.owner', {}));
  }
  if (provider.createsUsers && !roles.length) issues.add('create_users', 'roles', fact('oidc.no_roles', {}));
  issues.check();
  return provider;
}

function addText(issues: Issues, field: string, text: string, most: number): void {
  if (!text) issues.add(field, 'minLength', fact('value.missing', {}));
  if (text.length > most) issues.add(field, 'maxLength', fact('oidc.long', { most }));
  if (hasHiddenCharacters(text)) issues.add(field, 'hidden', fact('oidc.hidden', {}));
}

/** An issuer is compared byte by byte, so nothing is added or removed. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    ['https:', 'http:'].includes(url.protocol) &&
    text.length <= LONGEST_ISSUER &&
    !/[\s?#]/.test(text) &&
    !url.username &&
    !url.password
  );
}

/** The fields of a provider in the settings. */
const FIELDS = {
  key: 'string',
  label: 'string',
  issuer: 'string',
  client_id: 'string',
  client_secret: 'string',
  scopes: 'string',
  groups_claim: 'string',
  roles: 'list',
  create_users: 'boolean',
  email_domains: 'list',
  trusted_amr: 'list',
} as const;

type Given = Partial<Record<keyof typeof FIELDS, unknown>>;

/**
 * Reads the providers in the settings: a JSON list. Messages never repeat what was set, because it contains secrets.
 * @throws SettingError
 */
export function providersIn(text: string, name: string): Provider[] {
  const list = parsed(text);
  if (!Array.isArray(list)) throw new SettingError(`${name} is no JSON list of providers.`);
  const providers = list.map((one: unknown, index) => {
    const place = `${name}, provider ${index + 1}`;
    if (!isObject(one)) throw new SettingError(`${place} is no JSON object.`);
    return providerIn(one, place);
  });
  for (const field of ['key', 'issuer'] as const)
    if (new Set(providers.map((one) => one[field])).size < providers.length)
      throw new SettingError(`${name} has two providers with the same ${field}.`);
  return providers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOf = (kind: string, value: unknown): boolean =>
  kind === 'list' ? Array.isArray(value) : typeof value === kind;

function providerIn(given: Given & Record<string, unknown>, place: string): Provider {
  for (const [field, value] of Object.entries(given)) {
    const kind = Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof typeof FIELDS] : null;
    if (kind === null)
      throw new SettingError(
        `${place}: "${field.slice(0, 40)}" is no field. The fields are ${Object.keys(FIELDS).join(', ')}.`,
      );
    if (!isOf(kind, value)) throw new SettingError(`${place}: ${field} is no ${kind}.`);
  }
  const text = (field: keyof typeof FIELDS, otherwise = ''): string => (given[field] ?? otherwise) as string;
  const texts = (field: keyof typeof FIELDS): string[] => ((given[field] ?? []) as unknown[]).map(String);
  try {
    return providerInput({
      key: text('key'),
      label: text('label', text('key')),
      issuer: text('issuer'),
      clientId: text('client_id'),
      clientSecret: text('client_secret'),
      scopes: text('scopes', DEFAULT_SCOPES),
      groupsClaim: text('groups_claim', DEFAULT_GROUPS_CLAIM),
      roles: ((given.roles ?? []) as unknown[]).map(roleIn),
      createsUsers: given.create_users === true,
      emailDomains: texts('email_domains'),
      trustedAmr: texts('trusted_amr'),
    });
  } catch (error) {
    const [issue] = (error as { issues?: { path: string; fact?: Parameters<typeof say>[1] }[] }).issues ?? [];
    if (!issue?.fact) throw error;
    throw new SettingError(`${place}: ${issue.path}: ${say('en', issue.fact)}`);
  }
}

function roleIn(given: unknown): GroupRole {
  const { group, role, customer } = isObject(given) ? given : {};
  return {
    group: String(group ?? ''),
    role: String(role ?? '') as Role,
    customer: customer === undefined || customer === null ? null : { externalId: String(customer) },
  };
}
