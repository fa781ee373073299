import {
  customerInUse,
  customerUnknown,
  externalIdTaken,
  invalidField,
  notPermitted,
  olderProcess,
} from '../errors';
import { mayIn, type By } from '../rights/grants';
import { type Tables } from '../store/store';
import { type Actor } from '../store/tables/audit';
import { type CustomerRow } from '../store/tables/customers';
import { audited, changesIn, type AuditedDeps } from '../store/with-audit';
import { isoTime } from '../time';
import { budgetState } from '../usage/budgets';
import { amountOf, microsIn } from '../usage/micros';
import { cardInForce } from '../usage/prices';
import { fact } from '../wording/facts';
import { customerInput, type CustomerInput } from './customer-input';

/** The first migration with customers. Older processes would show every user everything. */
const FIRST_STEP = '042-customers';

function mayManageCustomers(by: By): void {
  if (by && !mayIn(by, 'gateway', null)) throw notPermitted();
}

/** @throws Refusal with all issues, by field, or if a process of an earlier version is running */
export async function addCustomer(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  given: Omit<CustomerInput, 'budget' | 'holdsAtBudget'> &
    Required<Pick<CustomerInput, 'name' | 'externalId'>>,
): Promise<CustomerRow> {
  mayManageCustomers(by);
  const {
    name,
    externalId,
    isSuspended = false,
    auditLooks = 'off',
    requiresApp = false,
  } = customerInput(given);
  return audited(
    deps,
    actor,
    (added: CustomerRow) => ({
      action: 'customer.added',
      details: {
        name: added.name,
        ...(externalId !== null && { external_id: externalId }),
        ...(isSuspended && { suspended: true }),
        ...(auditLooks !== 'off' && { audited_looks: auditLooks }),
        ...(requiresApp && { 'authenticator app required': true }),
      },
      customers: [{ id: added.id }],
    }),
    async ({ store }) => {
      if (await store.processes.isAnyBefore(FIRST_STEP)) throw olderProcess();
      const now = isoTime(deps.clock());
      const added = await store.customers.insert({
        name,
        external_id: externalId,
        suspended_at: isSuspended ? now : null,
        created_at: now,
        audit_looks: auditLooks === 'off' ? null : auditLooks,
        requires_app: requiresApp ? 1 : 0,
      });
      if (!added) throw externalIdTaken();
      return added;
    },
  );
}

/** Changes, suspends or resumes a customer. @throws Refusal with all issues, by field */
export async function editCustomer(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  { id }: CustomerRow,
  given: CustomerInput,
): Promise<CustomerRow> {
  mayManageCustomers(by);
  const change = customerInput(given);
  const { after } = await audited<{ before: CustomerRow; after: CustomerRow }>(
    deps,
    actor,
    ({ before, after: { name, external_id: externalId, suspended_at: suspendedAt, ...after } }) => {
      const changes = changesIn({
        name: [before.name, name],
        'external id': [before.external_id, externalId],
        suspended: [before.suspended_at !== null, suspendedAt !== null],
        'audited looks': [before.audit_looks ?? 'off', after.audit_looks ?? 'off'],
        'authenticator app required': [before.requires_app === 1, after.requires_app === 1],
        budget: [budgetText(before), budgetText(after)],
        'held at the budget': [before.budget_holds === 1, after.budget_holds === 1],
      });
      return changes.length
        ? { action: 'customer.edited', details: { name, changes }, customers: [{ id }] }
        : null;
    },
    async ({ store }) => {
      const [before] = await existingCustomers(store, [id]);
      if (!before) throw customerUnknown();
      const {
        name = before.name,
        externalId = before.external_id,
        isSuspended,
        auditLooks,
        requiresApp,
      } = change;
      const since = isoTime(deps.clock());
      const suspendedAt = isSuspended ? (before.suspended_at ?? since) : null;
      const columns = {
        name,
        external_id: externalId,
        suspended_at: isSuspended === undefined ? before.suspended_at : suspendedAt,
        ...(auditLooks && { audit_looks: auditLooks === 'off' ? null : auditLooks }),
        ...(requiresApp !== undefined && { requires_app: requiresApp ? 1 : 0 }),
        ...(await budgetColumns(store, before, change, since)),
      };
      if (!(await store.customers.update(id, columns))) throw externalIdTaken();
      return { before, after: { ...before, ...columns } };
    },
  );
  return after;
}

const budgetText = ({
  budget_micros: micros,
  budget_currency: currency,
}: Pick<CustomerRow, 'budget_micros' | 'budget_currency'>): string | null =>
  micros === null ? null : `${amountOf(micros)} ${currency}`;

/**
 * The columns of a changed budget. One that stays the same keeps its currency.
 * @throws Refusal if no rate card applies to the customer, so that nothing could be compared
 */
async function budgetColumns(
  { rateCards }: Pick<Tables, 'rateCards'>,
  before: CustomerRow,
  { budget, holdsAtBudget }: CustomerInput,
  now: string,
): Promise<Partial<CustomerRow>> {
  const holds = holdsAtBudget !== undefined && { budget_holds: holdsAtBudget ? 1 : 0 };
  const micros = budget ? (microsIn(budget.trim())?.micros ?? null) : null;
  if (budget === undefined || micros === before.budget_micros) return { ...holds };
  const card = cardInForce(await rateCards.all(), before.id, now.slice(0, 10));
  if (micros !== null && !card) throw invalidField('budget', 'budget', fact('budget.no_card', {}));
  const currency = micros === null ? null : (card?.currency ?? null);
  const isSame = currency === before.budget_currency;
  const columns = {
    ...{ budget_micros: micros, budget_currency: currency },
    budget_spent_micros: isSame ? before.budget_spent_micros : null,
    budget_unpriced: isSame ? before.budget_unpriced : 0,
  };
  return { ...holds, ...columns, ...budgetState({ ...before, ...columns }, now) };
}

/** @throws Refusal while the customer has lines or users */
export async function removeCustomer(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  { id, name }: CustomerRow,
): Promise<void> {
  mayManageCustomers(by);
  await audited(deps, actor, { action: 'customer.removed', details: { name } }, async ({ store }) => {
    // First, so that nobody adds a line or a user meanwhile.
    if (!(await store.customers.remove(id))) throw customerUnknown();
    const lines = (await store.lines.all()).filter((line) => line.customer_id === id);
    const users = (await store.users.all()).filter(({ memberships }) =>
      memberships.some(({ customerId }) => customerId === id),
    );
    if (lines.length || users.length)
      throw customerInUse(
        lines.map((line) => line.name),
        users.map((user) => user.name),
      );
    await store.templates.giveTo({ wabaId: null, customerId: id }, null);
    await store.templateDrafts.release(id);
    await store.rateCards.removeOf(id);
  });
}

/**
 * Keeps customers from being removed until the transaction ends.
 * @throws Refusal if one does not exist
 */
export async function existingCustomers(
  { customers }: Pick<Tables, 'customers'>,
  ids: readonly number[],
): Promise<CustomerRow[]> {
  const found = await customers.lock(ids);
  if (found.length < new Set(ids).size) throw customerUnknown();
  return found;
}
