import * as Type from 'typebox';
import { addCustomer, editCustomer, removeCustomer } from '../../../customers/manage-customers';
import {
  customerInUse,
  customerNotFound,
  externalIdTaken,
  invalidField,
  notPermitted,
  olderProcess,
  Refusal,
} from '../../../errors';
import { AUDITED_LOOKS } from '../../../store/schema';
import { type Tables } from '../../../store/store';
import { type CustomerRow } from '../../../store/tables/customers';
import { amountOf } from '../../../usage/micros';
import { fact } from '../../../wording/facts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { TextOrNull } from '../../http/answer-parts';
import { change, create, get, list, put, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, found, made, type AdminContext } from '../operation';

export const Customer = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  external_id: TextOrNull,
  suspended: Type.Boolean(),
  audit_looks: Type.Enum([...AUDITED_LOOKS]),
  requires_authenticator: Type.Boolean(),
  budget: Type.Unsafe<number | null>({
    type: 'number',
    nullable: true,
    description: 'The most that a month may cost, in `budget_currency`; null for no budget.',
  }),
  budget_currency: TextOrNull,
  hold_at_budget: Type.Boolean(),
  budget_reached: Type.Boolean({ description: 'Whether the estimate of this month has reached the budget.' }),
  created_at: Type.String({ format: 'date-time' }),
});

const shown = (row: CustomerRow): Type.Static<typeof Customer> => ({
  id: row.id,
  name: row.name,
  external_id: row.external_id,
  suspended: row.suspended_at !== null,
  audit_looks: row.audit_looks ?? 'off',
  requires_authenticator: row.requires_app === 1,
  budget: row.budget_micros === null ? null : amountOf(row.budget_micros),
  budget_currency: row.budget_currency,
  hold_at_budget: row.budget_holds === 1,
  budget_reached: row.budget_reached_at !== null,
  created_at: row.created_at,
});

const NAME = Type.String({ minLength: 1, maxLength: 80 });
const EXTERNAL_ID = Type.Union([Type.String({ minLength: 1, maxLength: 80 }), Type.Null()], {
  description: 'The id of the customer in your own systems, unique.',
});
const CHANGES = {
  suspended: Type.Optional(
    Type.Boolean({
      description:
        'People of a suspended customer cannot log in and its tokens are refused. Events are still stored and forwarded.',
    }),
  ),
  audit_looks: Type.Optional(
    Type.Enum([...AUDITED_LOOKS], {
      description: 'Whose looks at messages the audit of the customer records.',
    }),
  ),
  requires_authenticator: Type.Optional(
    Type.Boolean({ description: 'Whether its users must set up an authenticator app.' }),
  ),
};

const NewCustomer = Type.Object(
  { name: NAME, external_id: Type.Optional(EXTERNAL_ID), ...CHANGES },
  { additionalProperties: false },
);
const CustomerChange = Type.Object(
  {
    name: Type.Optional(NAME),
    external_id: Type.Optional(EXTERNAL_ID),
    ...CHANGES,
    budget: Type.Optional(
      Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
        description:
          'The most that a month may cost, in the currency of the rate card that applies to the customer. Alerts are sent at 80 and 100 %. Null for no budget.',
      }),
    ),
    hold_at_budget: Type.Optional(
      Type.Boolean({
        description:
          'Whether marketing templates are refused (`budget_reached`) while the budget is used up.',
      }),
    ),
  },
  { additionalProperties: false },
);
const DeclaredCustomer = Type.Object({ name: NAME, ...CHANGES }, { additionalProperties: false });

const readNew = bodyOf(typesOf(NewCustomer));
const readChange = bodyOf(typesOf(CustomerChange));
const readDeclared = bodyOf(typesOf(DeclaredCustomer));

type Changes = Type.Static<typeof CustomerChange>;

const newOf = (given: Type.Static<typeof NewCustomer>) => ({
  ...changesOf(given),
  name: given.name,
  externalId: given.external_id ?? null,
});

const madeCustomer = (row: CustomerRow) => made(`/customers/${row.id}`, shown(row));

const changesOf = ({ external_id: externalId, suspended, audit_looks: auditLooks, ...given }: Changes) => ({
  name: given.name,
  ...(given.budget !== undefined && { budget: given.budget?.toFixed(6) ?? null }),
  holdsAtBudget: given.hold_at_budget,
  externalId,
  isSuspended: suspended,
  auditLooks,
  requiresApp: given.requires_authenticator,
});

const TAG = 'Customers';
const TAKEN = [externalIdTaken(), notPermitted()];

export async function customerIn(
  { params }: AdminContext,
  { customers }: Pick<Tables, 'customers'>,
): Promise<CustomerRow> {
  const row = await customers.find(Number(params.customer_id));
  if (!row) throw customerNotFound();
  return row;
}

const byExternalId = async ({ params }: AdminContext, { customers }: Pick<Tables, 'customers'>) =>
  (await customers.all()).find(({ external_id: externalId }) => externalId === params.external_id?.trim()) ??
  null;

const object = async (context: AdminContext, store: Tables) => shown(await customerIn(context, store));

export const listCustomers = list('/customers', {
  tag: TAG,
  id: 'listCustomers',
  permission: 'events.read',
  summary: 'List customers',
  description: 'The customers that the token reaches, in the order of their ids.',
  query: {
    external_id: Type.Optional(Type.String({ description: 'Only the customer with this external id.' })),
  },
  schema: 'Customer',
  refusals: () => [],
  handler: async (context) => {
    const { external_id: externalId } = context.query;
    const rows = await context.deps.store.customers.all();
    const seen = externalId === undefined ? rows : rows.filter((row) => row.external_id === externalId);
    return pageInMemory(context, seen, shown);
  },
});

export const getCustomer = get('/customers/{customer_id}', {
  tag: TAG,
  id: 'getCustomer',
  permission: 'events.read',
  summary: 'Get a customer',
  description: 'One customer.',
  schema: 'Customer',
  refusals: () => [customerNotFound()],
  object,
});

export const createCustomer = create('/customers', {
  tag: TAG,
  id: 'createCustomer',
  permission: 'gateway',
  summary: 'Create a customer',
  description: 'A company whose lines you run. Then create its lines with its id as `customer_id`.',
  body: {
    schema: NewCustomer,
    examples: { customer: { value: { name: 'Lucky Shrub', external_id: 'crm-4711' } } },
  },
  schema: 'Customer',
  refusals: () => [...TAKEN, olderProcess()],
  object,
  handler: async (context) => {
    const { deps, actor, by } = context;
    return madeCustomer(await addCustomer(deps, actor, by, newOf(readNew(context.request))));
  },
});

export const changeCustomer = change('/customers/{customer_id}', {
  tag: TAG,
  id: 'changeCustomer',
  permission: 'gateway',
  summary: 'Change, suspend or resume a customer',
  description: 'Fields that you omit stay as they are.',
  body: {
    schema: CustomerChange,
    examples: { suspend: { value: { suspended: true } }, rename: { value: { name: 'Lucky Shrub Ltd' } } },
  },
  schema: 'Customer',
  refusals: () => [
    customerNotFound(),
    invalidField('budget', 'budget', fact('budget.no_card', {})),
    ...TAKEN,
  ],
  object,
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const row = await customerIn(context, deps.store);
    return found(shown(await editCustomer(deps, actor, by, row, changesOf(readChange(request)))));
  },
});

export const putCustomer = put('/customers/by-external-id/{external_id}', {
  tag: TAG,
  id: 'putCustomer',
  permission: 'gateway',
  summary: 'Create or change a customer by its external id',
  description:
    'For tools that declare what should exist: makes the customer if no customer has the external id, and otherwise changes the given fields. A repeated request changes nothing.',
  body: { schema: DeclaredCustomer, examples: { customer: { value: { name: 'Lucky Shrub' } } } },
  schema: 'Customer',
  refusals: () => [...TAKEN, olderProcess()],
  object: async (context, store) => {
    const row = await byExternalId(context, store);
    return row && shown(row);
  },
  handler: async (context) => {
    const { deps, actor, by, request, params } = context;
    const given = readDeclared(request);
    const edit = async (row: CustomerRow) =>
      found(shown(await editCustomer(deps, actor, by, row, changesOf(given))));
    const row = await byExternalId(context, deps.store);
    if (row) return edit(row);
    try {
      const externalId = params.external_id ?? '';
      return madeCustomer(await addCustomer(deps, actor, by, { ...newOf(given), externalId }));
    } catch (error) {
      // Made by another request meanwhile.
      const other = error instanceof Refusal ? await byExternalId(context, deps.store) : null;
      if (!other) throw error;
      return edit(other);
    }
  },
});

export const removeCustomerOperation = remove('/customers/{customer_id}', {
  tag: TAG,
  id: 'removeCustomer',
  permission: 'gateway',
  summary: 'Remove a customer',
  description: 'Refused while the customer has lines or users.',
  refusals: () => [customerNotFound(), notPermitted(), customerInUse(['Support'], [])],
  object,
  handler: async (context) => {
    const { deps, actor, by } = context;
    await removeCustomer(deps, actor, by, await customerIn(context, deps.store));
    return done;
  },
});
