import { type VNode } from 'preact';
import { addCustomer, editCustomer, removeCustomer } from '../../customers/manage-customers';
import { AUDITED_LOOKS } from '../../store/schema';
import { type CustomerRow } from '../../store/tables/customers';
import { amountOf } from '../../usage/micros';
import { FormState } from '../form-state';
import { money, number } from '../languages/numbers';
import { t } from '../languages/t';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { pageNotFound } from '../ui/frame/error-page';
import { ActionButton, CheckField, Confirm, Form, SelectField, SubmitOrCancel, TextField } from '../ui/form';
import { Badge, Card, Empty, Nothing, PageHead, Table } from '../ui/parts';
import { ThisMonth, usageOfMonth } from '../ui/history/this-month';
import { looksWords } from '../ui/words/choice-words';

/** The customers whose lines this gateway runs. */
export const customerPages: PanelRoute[] = [
  pageRoute('gateway', '/customers', showCustomers),
  pageRoute('gateway', '/customers/new', () => askNew(new FormState())),
  actionRoute('gateway', '/customers', add, { confirmed: () => t('To add a customer') }),
  pageRoute('gateway', '/customers/:id', async (context) => showCustomer(context, await customerOf(context))),
  actionRoute('gateway', '/customers/:id', save, { confirmed: () => t('To change a customer') }),
  actionRoute('gateway', '/customers/:id/suspend', suspend, {
    confirmed: () => t('To suspend or resume a customer'),
  }),
  actionRoute('gateway', '/customers/:id/remove', remove, { confirmed: () => t('To remove a customer') }),
];

const LIST = '/panel/customers';
const back = () => ({ href: LIST, label: t('Customers') });

const addLink = (): VNode => (
  <a class="button primary" href={`${LIST}/new`}>
    {t('Add a customer')}
  </a>
);

async function showCustomers({ deps }: UserContext): Promise<PanelResponse> {
  const [customers, counts] = await Promise.all([deps.store.customers.all(), deps.store.customers.counts()]);
  const countOf = ({ id }: CustomerRow) => counts.get(id) ?? { lines: 0, users: 0 };
  return page(
    <PageHead title={t('Customers')} actions={customers.length > 0 && addLink()}>
      {t('Companies whose lines you run. Their people see and change only their own lines.')}
    </PageHead>,
    <Card flush>
      {customers.length ? (
        <Table
          caption={t('Customers')}
          rows={customers}
          rowKey={({ id }) => id}
          columns={[
            {
              label: t('Name'),
              heading: true,
              cell: ({ id, name }) => (
                <a class="row-link" href={`${LIST}/${id}`}>
                  {name}
                </a>
              ),
            },
            {
              label: t('External ID'),
              cell: ({ external_id: id }) => id ?? <Nothing>{t.of('external ID', 'none')}</Nothing>,
            },
            {
              label: t('Lines'),
              cell: (one) => {
                const { lines } = countOf(one);
                return lines ? <a href={`/panel/lines?customer=${one.id}`}>{number(lines)}</a> : number(0);
              },
            },
            { label: t('Users'), cell: (one) => number(countOf(one).users) },
            { label: t('State'), cell: (one) => <State of={one} /> },
          ]}
        />
      ) : (
        <Empty title={t('There is no customer yet')}>
          <p>
            {t(
              'Add a customer if you run lines for other companies. Then choose the customer in the settings of each line, and give people a role in it.',
            )}
          </p>
          {addLink()}
        </Empty>
      )}
    </Card>,
  );
}

const State = ({ of: { suspended_at: at } }: { of: CustomerRow }): VNode =>
  at === null ? (
    <Badge tone="good">{t.of('customer', 'Active')}</Badge>
  ) : (
    <Badge tone="warn">{t.of('customer', 'Suspended')}</Badge>
  );

const CustomerFields = (): VNode => (
  <>
    <TextField name="name" label={t('Name')} maxLength={80} />
    <TextField
      name="external_id"
      label={t('External ID')}
      optional
      maxLength={80}
      hint={t('The ID of the customer in your own system, for example in billing.')}
    />
  </>
);

const askNew = (state: FormState): PanelResponse =>
  page(
    <PageHead title={t('Add a customer')} back={back()}>
      {t('Afterwards, choose the customer in the settings of its lines.')}
    </PageHead>,
    <Card>
      <Form action={LIST} state={state}>
        <CustomerFields />
        <SubmitOrCancel submit={t('Add the customer')} back={LIST} />
      </Form>
    </Card>,
    state,
  );

const typedCustomer = (state: FormState) => ({
  name: state.text('name'),
  externalId: state.text('external_id') || null,
});

async function add({ deps, actor, session, form }: UserContext): Promise<PanelResponse> {
  const state = new FormState(form);
  const added = await state.given(() => addCustomer(deps, actor, session.grants, typedCustomer(state)));
  return added ? seeOther(LIST, t('The customer "{name}" is added.', { name: added.name })) : askNew(state);
}

async function customerOf({ deps, params }: UserContext): Promise<CustomerRow> {
  const id = /^\d{1,9}$/.test(params.id ?? '') ? Number(params.id) : 0;
  const customer = await deps.store.customers.find(id);
  if (!customer) throw pageNotFound();
  return customer;
}

async function showCustomer(
  context: UserContext,
  customer: CustomerRow,
  given?: FormState,
): Promise<PanelResponse> {
  const { id, name, external_id: externalId, audit_looks: looks } = customer;
  const [counts, usage] = await Promise.all([
    context.deps.store.customers.counts(),
    usageOfMonth(context, { customerId: id }),
  ]);
  const { lines, users } = counts.get(id) ?? { lines: 0, users: 0 };
  const state =
    given ??
    new FormState({
      ...{ name, external_id: externalId ?? '', audit_looks: looks ?? 'off' },
      ...(customer.requires_app === 1 && { requires_app: 'yes' }),
      budget: customer.budget_micros === null ? '' : String(amountOf(customer.budget_micros)),
      ...(customer.budget_holds === 1 && { holds: 'yes' }),
    });
  return page(
    <PageHead
      title={name}
      back={back()}
      actions={
        lines > 0 && (
          <a class="button plain" href={`/panel/lines?customer=${id}`}>
            {t('View lines')}
          </a>
        )
      }
    >
      {t('{lines, plural, one {# line} other {# lines}}, {users, plural, one {# user} other {# users}}', {
        lines,
        users,
      })}
    </PageHead>,
    <>
      <Card>
        <Form action={`${LIST}/${id}`} state={state}>
          <CustomerFields />
          <SelectField
            name="audit_looks"
            label={t('Record views of messages')}
            hint={t(
              'The audit log of the customer then shows who opened whose messages, at most once per hour.',
            )}
            choices={AUDITED_LOOKS.map((value) => ({ value, label: looksWords()[value] }))}
          />
          <CheckField
            name="requires_app"
            label={t('Require an authenticator app')}
            hint={t('Users of this customer who have no app must set one up before they see anything else.')}
          />
          <BudgetFields of={customer} />
          <SubmitOrCancel submit={t('Save')} back={LIST} />
        </Form>
      </Card>
      <ThisMonth usage={usage} href={`/panel/usage?customer=${id}`} />
      <Suspension of={customer} />
      <Card title={t('Remove')}>
        {lines + users > 0 ? (
          <p>{t('A customer with lines or users can’t be removed. Move or remove them first.')}</p>
        ) : (
          <div class="actions">
            <Confirm
              id="remove"
              action={`${LIST}/${id}/remove`}
              button={t('Remove the customer')}
              tone="danger"
              title={t('Remove {name}?', { name })}
              confirm={t('Remove')}
            >
              <p>{t('It has no lines and no users. The audit log keeps its entries.')}</p>
            </Confirm>
          </div>
        )}
      </Card>
    </>,
    state,
  );
}

const BudgetFields = ({ of: customer }: { of: CustomerRow }): VNode => (
  <>
    <TextField
      name="budget"
      label={t('Monthly budget')}
      optional
      inputmode="decimal"
      hint={
        <>
          {t(
            'In the currency of the rate card that applies to the customer. Alerts are sent when the estimated cost of the month reaches 80% and 100%.',
          )}{' '}
          <a href="/panel/rate-cards">{t('Rate cards')}</a> <Spent of={customer} />
        </>
      }
    />
    <CheckField
      name="holds"
      label={t('Refuse marketing templates when the budget is used up')}
      hint={t(
        'Other messages are still sent. Marketing resumes with the next month, or with a higher budget.',
      )}
    />
  </>
);

/** What the month has cost so far. */
function Spent({ of: customer }: { of: CustomerRow }): VNode | null {
  const { budget_micros: budget, budget_spent_micros: spent, budget_currency: currency } = customer;
  if (budget === null || spent === null || currency === null) return null;
  return (
    <>
      {t('Estimate of this month: {spent} of {budget}.', {
        spent: money(spent, currency),
        budget: money(budget, currency),
      })}{' '}
      {customer.budget_unpriced > 0 &&
        t(
          '{count, plural, one {# charged message has} other {# charged messages have}} no price in {currency}.',
          {
            ...{ count: customer.budget_unpriced, currency },
          },
        )}
    </>
  );
}

function Suspension({ of: customer }: { of: CustomerRow }): VNode {
  const { id, name, suspended_at: suspendedAt } = customer;
  const action = `${LIST}/${id}/suspend`;
  return (
    <Card title={t('Suspension')} actions={<State of={customer} />}>
      <p>
        {t(
          'While a customer is suspended, its users can’t log in and its tokens are refused, so its lines send nothing. Events are still received, stored and forwarded.',
        )}
      </p>
      <div class="actions">
        {suspendedAt === null ? (
          <Confirm
            id="suspend"
            action={action}
            button={t('Suspend the customer')}
            tone="danger"
            title={t('Suspend {name}?', { name })}
            confirm={t('Suspend')}
            fields={{ to: 'on' }}
          >
            <p>{t('Its users are logged out and its tokens are refused immediately. You can undo this.')}</p>
          </Confirm>
        ) : (
          <ActionButton action={action} fields={{ to: 'off' }}>
            {t('Resume the customer')}
          </ActionButton>
        )}
      </div>
    </Card>
  );
}

async function save(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session } = context;
  const customer = await customerOf(context);
  const state = new FormState(context.form);
  const saved = await state.given(() =>
    editCustomer(deps, actor, session.grants, customer, {
      ...typedCustomer(state),
      auditLooks: AUDITED_LOOKS.find((one) => one === state.text('audit_looks')),
      requiresApp: state.has('requires_app'),
      budget: state.text('budget') || null,
      holdsAtBudget: state.has('holds'),
    }),
  );
  return saved ? seeOther(LIST, t('The customer is saved.')) : showCustomer(context, customer, state);
}

async function suspend(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session, form } = context;
  const customer = await customerOf(context);
  const isSuspended = form.get('to') === 'on';
  await editCustomer(deps, actor, session.grants, customer, { isSuspended });
  return seeOther(
    `${LIST}/${customer.id}`,
    isSuspended ? t('The customer is suspended.') : t('The customer is active again.'),
  );
}

async function remove(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session } = context;
  const customer = await customerOf(context);
  await removeCustomer(deps, actor, session.grants, customer);
  return seeOther(LIST, t('{name} is removed.', { name: customer.name }));
}
