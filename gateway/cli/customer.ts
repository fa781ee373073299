import { shownBudget } from '../usage/budgets';
import { addCustomer, editCustomer, removeCustomer } from '../customers/manage-customers';
import { SettingError } from '../errors';
import { type CustomerRow } from '../store/tables/customers';
import { commandActor, offline, type Offline } from './offline';
import { AUDITED_LOOKS } from '../store/schema';
import { oneOf, optionsOf, wordsAndOptions, yes } from './options';
import { print } from './print';

export async function customerAdd(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { text: ['name', 'external-id'], flags: ['json'] });
  const given = { name: values.name ?? '', externalId: values['external-id'] ?? null };
  await offline(
    env,
    async (deps) => {
      const row = await addCustomer(deps, commandActor(), null, given);
      if (values.json) return print(JSON.stringify({ customer: shown(row) }));
      print(`Customer ${row.id} "${row.name}" is added.`);
    },
    'first command',
  );
}

export async function customerList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { flags: ['json'] });
  await offline(env, async ({ store }) => {
    const [rows, counts] = await Promise.all([store.customers.all(), store.customers.counts()]);
    const customers = rows.map((row) => ({
      ...shown(row),
      ...(counts.get(row.id) ?? { lines: 0, users: 0 }),
    }));
    if (values.json) return print(JSON.stringify({ customers }));
    if (!customers.length)
      return print('There is no customer yet. Add one with "messaging-gateway customer add --name NAME".');
    customers.forEach((one) =>
      print(
        one.id,
        one.external_id ?? '–',
        one.suspended ? 'suspended' : 'active',
        `lines ${one.lines}`,
        `users ${one.users}`,
        one.name,
      ),
    );
  });
}

export async function customerEdit(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, {
    text: [
      ...['name', 'external-id', 'suspended', 'audit-looks', 'require-authenticator'],
      ...['budget', 'hold-at-budget'],
    ],
    flags: ['json'],
  });
  const { json, ...fields } = values;
  if (!Object.keys(fields).length)
    throw new SettingError('Give at least one field to change, for example --suspended true.');
  const { 'external-id': externalId, 'audit-looks': looks } = values;
  const change = {
    name: values.name,
    externalId: externalId === 'none' ? null : externalId,
    isSuspended: yes('--suspended', values.suspended),
    requiresApp: yes('--require-authenticator', values['require-authenticator']),
    budget: values.budget === 'none' ? null : values.budget,
    holdsAtBudget: yes('--hold-at-budget', values['hold-at-budget']),
    auditLooks: looks === undefined ? undefined : oneOf('--audit-looks', looks, AUDITED_LOOKS),
  };
  await offline(env, async (deps) => {
    const row = await editCustomer(deps, commandActor(), null, await customerIn(deps, words), change);
    if (json) return print(JSON.stringify({ customer: shown(row) }));
    print(`Customer ${row.id} "${row.name}" is changed.`);
  });
}

export async function customerRemove(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { words } = wordsAndOptions(args);
  await offline(env, async (deps) => {
    const row = await customerIn(deps, words);
    await removeCustomer(deps, commandActor(), null, row);
    print(`Customer ${row.id} "${row.name}" is removed.`);
  });
}

/** Parses the value of `--customer`. */
export function customerId(given: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new SettingError(`--customer is "${given}"; give an id that "customer list" shows.`);
}

async function customerIn({ store }: Offline, [id = '', ...more]: string[]): Promise<CustomerRow> {
  const row = !more.length && /^\d{1,9}$/.test(id) ? await store.customers.find(Number(id)) : null;
  if (!row) throw new SettingError('Which customer? Give an id that "customer list" shows.');
  return row;
}

const shown = ({ id, name, external_id, suspended_at: suspendedAt, ...row }: CustomerRow) => ({
  id,
  name,
  external_id,
  suspended: suspendedAt !== null,
  audit_looks: row.audit_looks ?? 'off',
  requires_authenticator: row.requires_app === 1,
  budget: shownBudget(row),
});
