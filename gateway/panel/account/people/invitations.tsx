import { type VNode } from 'preact';
import { type CustomerRow } from '../../../store/tables/customers';
import { type InvitationRow } from '../../../store/tables/invitations';
import {
  customersOfInvitation,
  invitationsSeenBy,
  invite,
  renewInvitation,
  revokeInvitation,
  sendInvitation,
  type MadeInvitation,
} from '../../../users/invitations/invite';
import { languageNow } from '../../../wording/language';
import { FormState } from '../../form-state';
import { said } from '../../languages/said';
import { t } from '../../languages/t';
import { page, seeOther, type PanelResponse } from '../../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../../panel-route';
import { type UserContext } from '../../request-context';
import { ActionButton, Confirm, Form, SubmitOrCancel, TextField } from '../../ui/form';
import { pageNotFound } from '../../ui/frame/error-page';
import { roleWord } from '../../ui/frame/role';
import { useRequest } from '../../ui/page-request';
import { Badge, Card, Notice, PageHead, ShownOnce, Table, Time } from '../../ui/parts';
import { chosenCustomers, RoleFields } from './role-fields';

const BACK = '/panel/users';

/** Invitations, which people accept with a name and a password of their own. */
export const invitationPages: PanelRoute[] = [
  pageRoute('people.manage', '/invitations/new', (context) =>
    ask(context, new FormState({ role: 'viewer', access: 'some' })),
  ),
  actionRoute('people.manage', '/invitations', add, { confirmed: () => t('To invite a person') }),
  actionRoute('people.manage', '/invitations/:id/renew', renew, { confirmed: () => t('To invite a person') }),
  actionRoute('people.manage', '/invitations/:id/revoke', revoke),
];

/** The open invitations that a manager sees. */
export function Invitations({ rows, customers }: { rows: InvitationRow[]; customers: CustomerRow[] }): VNode {
  const { deps } = useRequest();
  const isOver = ({ expires_at: at }: InvitationRow) => Date.parse(at) <= deps.clock();
  return (
    <Card title={t('Open invitations')} flush>
      <Table
        caption={t('Open invitations')}
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            label: t('For'),
            heading: true,
            cell: ({ name, email }) => [name, email].filter(Boolean).join(', ') || t('Anyone with the link'),
          },
          { label: t('Role'), cell: (row) => roleIn(row, customers) },
          { label: t('Invited by'), cell: ({ invited_by: who }) => who },
          {
            label: t('Expires'),
            cell: (row) =>
              isOver(row) ? (
                <Badge tone="warn">{t.of('invitation', 'expired')}</Badge>
              ) : (
                <Time at={row.expires_at} to="minute" />
              ),
          },
          {
            label: t('Changes'),
            actions: true,
            cell: (row) => <Changes row={row} />,
          },
        ]}
      />
    </Card>
  );
}

function roleIn(row: InvitationRow, customers: CustomerRow[]): string {
  const ids = customersOfInvitation(row);
  const role = roleWord(row.role);
  if (ids === null) return customers.length ? t('{role}, all customers', { role }) : role;
  const names = customers.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return t('{role}, {customer}', { role, customer: names.join(', ') });
}

const Changes = ({ row: { id, name, email } }: { row: InvitationRow }): VNode => (
  <>
    <ActionButton action={`/panel/invitations/${id}/renew`} tone="quiet">
      {t('Renew')}
      <span class="sr-only">: {name ?? email ?? id}</span>
    </ActionButton>
    <Confirm
      id={`revoke-${id}`}
      action={`/panel/invitations/${id}/revoke`}
      tone="danger"
      isQuiet
      button={
        <>
          {t('Revoke')}
          <span class="sr-only">: {name ?? email ?? id}</span>
        </>
      }
      title={t('Revoke this invitation?')}
      confirm={t('Revoke')}
    >
      <p>{t('Its link stops working.')}</p>
    </Confirm>
  </>
);

async function ask(context: UserContext, state: FormState): Promise<PanelResponse> {
  const { deps } = context;
  const [customers, isMailPossible] = await Promise.all([
    deps.store.customers.all(),
    deps.invitationMail.isPossible(),
  ]);
  return page(
    <PageHead title={t('Invite a person')} back={{ href: BACK, label: t('Users') }}>
      {t('The person opens a link, and chooses a name and a password. The link works once, for 72 hours.')}
    </PageHead>,
    <Card>
      <Form action="/panel/invitations" state={state}>
        <TextField
          name="name"
          label={t('Name')}
          optional
          maxLength={80}
          hint={t('A note for the list of invitations, such as the name of the person.')}
        />
        {isMailPossible ? (
          <TextField
            name="email"
            label={t('E-mail address')}
            type="email"
            optional
            maxLength={254}
            hint={t('Where the link is sent. Without an address, you get the link and send it yourself.')}
          />
        ) : (
          <p class="quiet">
            {t('You get the link and send it yourself.')}{' '}
            {context.may('gateway', null) &&
              t.rich(
                'To send invitations by e-mail, add an <link>e-mail channel</link> for all alerts. Its mail server is then used.',
                { link: (parts) => <a href="/panel/alerts/channels/new/email">{parts}</a> },
              )}
          </p>
        )}
        <RoleFields customers={customers} />
        <SubmitOrCancel submit={t('Invite')} back={BACK} />
      </Form>
    </Card>,
    state,
  );
}

async function add(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, user } = context;
  const state = new FormState(context.form);
  const given = {
    name: state.text('name') || null,
    email: state.text('email') || null,
    role: state.text('role'),
    customerIds: await chosenCustomers(context, state),
  };
  const made = await state.given(() => invite(deps, actor, user, given), { customers: 'customer' });
  return made ? handOver(context, made) : ask(context, state);
}

/** Sends the link by e-mail, or shows it once. */
async function handOver(context: UserContext, made: MadeInvitation): Promise<PanelResponse> {
  const { row, key } = made;
  const { email } = row;
  const path = `/panel/invitation?key=${key}`;
  const failure =
    email === null ? null : await sendInvitation(context.deps, made, email, path, languageNow());
  if (email !== null && failure === null)
    return seeOther(BACK, t('The invitation was sent to {email}.', { email }));
  return page(
    <PageHead title={t('Invitation')} back={{ href: BACK, label: t('Users') }}>
      {t('The link works once, for 72 hours. Send it so that only the invited person can read it.')}
    </PageHead>,
    <>
      {failure !== null && (
        <Notice tone="warn">
          {t('The e-mail could not be sent. Send the link yourself.')} {said(failure)}
        </Notice>
      )}
      <ShownOnce
        id="link"
        text={context.gatewayUrl + path}
        label={t('The link')}
        for={row.name ?? email ?? t('the invited person')}
      />
    </>,
  );
}

async function invitationOf({ deps, params, session }: UserContext): Promise<InvitationRow> {
  const row = (await invitationsSeenBy(deps.store, session.grants)).find(
    ({ id }) => String(id) === params.id,
  );
  if (!row) throw pageNotFound();
  return row;
}

async function renew(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, user } = context;
  return handOver(context, await renewInvitation(deps, actor, user, await invitationOf(context)));
}

async function revoke(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, user } = context;
  await revokeInvitation(deps, actor, user, await invitationOf(context));
  return seeOther(BACK, t('The invitation is revoked.'));
}
