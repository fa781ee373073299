import { type VNode } from 'preact';
import { allowedOf, reachOf } from '../../admin-tokens/admin-token';
import { adminTokensSeenBy, revokeAdminToken } from '../../admin-tokens/manage-admin-tokens';
import {
  countOf,
  registrationsOfAdmin,
  removeRegistrations,
  type Registrations,
} from '../../alerts/use-cases/token-registrations';
import { stateOfToken } from '../../lines/tokens';
import { type AdminTokenRow } from '../../store/tables/admin-tokens';
import { type CustomerRow } from '../../store/tables/customers';
import { isoTime } from '../../time';
import { t } from '../languages/t';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { Confirm, QuestionBox } from '../ui/form';
import { pageNotFound } from '../ui/frame/error-page';
import { useRequest } from '../ui/page-request';
import { Card, Empty, PageHead, Table, Time } from '../ui/parts';
import { scopeWords } from '../ui/words/choice-words';
import { permissionWords } from '../ui/words/permission-words';
import { LastUse, Registered, TokenName, TokenState } from './tokens';

const LIST = '/panel/admin-tokens';

/** Tokens for several lines and for the management API. */
export const adminTokenPages: PanelRoute[] = [
  pageRoute('tokens.manage', '/admin-tokens', showAdminTokens),
  actionRoute('tokens.manage', '/admin-tokens/:id/revoke', revoke, {
    confirmed: () => t('To revoke a token'),
  }),
];

async function showAdminTokens({ deps, session }: UserContext): Promise<PanelResponse> {
  const [rows, customers] = await Promise.all([
    adminTokensSeenBy(deps.store, session.grants),
    deps.store.customers.all(),
  ]);
  const registered = await registrationsOfAdmin(
    deps,
    rows.map(({ id }) => id),
  );
  return page(
    <PageHead title={t('Admin tokens')} actions={rows.length > 0 && <AddLink />}>
      {t.rich(
        'An admin token opens several lines, for example for n8n, or the management API, with which programs set up customers and lines. A program that uses one line needs an <link>API token</link> instead.',
        { link: (parts) => <a href="/panel/tokens">{parts}</a> },
      )}
    </PageHead>,
    <Card flush title={t('Admin tokens')}>
      {rows.length ? (
        <AdminTokens rows={rows} customers={customers} registered={registered} />
      ) : (
        <Empty title={t('There is no admin token yet')}>
          <p>{t('Create one for each program, so you can revoke them separately.')}</p>
          <AddLink />
        </Empty>
      )}
    </Card>,
  );
}

const AddLink = (): VNode => (
  <a class="button primary" href={`${LIST}/new`}>
    {t('Create an admin token')}
  </a>
);

interface AdminTokensProps {
  rows: AdminTokenRow[];
  customers: CustomerRow[];
  registered: (id: number) => Registrations;
}

function AdminTokens({ rows, customers, registered }: AdminTokensProps): VNode {
  const { deps } = useRequest();
  const now = isoTime(deps.clock());
  return (
    <Table
      caption={t('Admin tokens')}
      rows={rows}
      rowKey={({ id }) => id}
      brief="inline"
      columns={[
        {
          label: t('Token'),
          heading: true,
          cell: (row) => <TokenName token={row} prefix="gwa_" />,
        },
        { label: t('Reach'), cell: (row) => <Reach row={row} customers={customers} /> },
        { label: t('Permissions'), cell: (row) => <Allowed row={row} /> },
        { label: t('State'), cell: (row) => <TokenState token={row} now={now} /> },
        {
          label: t('Created'),
          cell: ({ created_at: at, created_by: who }) => (
            <span class="stack close">
              <Time at={at} to="minute" />
              <span class="quiet small long">{who}</span>
            </span>
          ),
        },
        { label: t('Last used'), cell: (row) => <LastUse token={row} /> },
        {
          label: t('Actions'),
          actions: true,
          cell: (row) =>
            stateOfToken(row, now) === 'active' && <Revoke row={row} registered={registered(row.id)} />,
        },
      ]}
    />
  );
}

/** The most names in a row. */
const MOST_NAMES = 3;

function Reach({ row, customers }: { row: AdminTokenRow; customers: CustomerRow[] }): VNode {
  const { deps } = useRequest();
  const { customerIds, lineIds } = reachOf(row);
  const nameOf = (id: number): string => {
    const one = lineIds ? deps.lines.byId(id) : customers.find((customer) => customer.id === id);
    return one?.name ?? String(id);
  };
  const ids = lineIds ?? customerIds;
  if (!ids) return <>{t('Everything')}</>;
  const names = ids.slice(0, MOST_NAMES).map(nameOf).join(', ');
  const rest = ids.length - MOST_NAMES;
  return (
    <span class="stack close">
      <span>
        {lineIds
          ? t('{count, plural, one {# line} other {# lines}}', { count: ids.length })
          : t('{count, plural, one {# customer} other {# customers}}', { count: ids.length })}
      </span>
      <span class="quiet small long">{rest > 0 ? `${names}, …` : names}</span>
    </span>
  );
}

function Allowed({ row }: { row: AdminTokenRow }): VNode {
  const { permissions, scopes } = allowedOf(row);
  const words = permissionWords();
  const labels = [...permissions].map((one) => words[one].label);
  return (
    <span class="stack close">
      {scopes.length > 0 && <span>{scopes.map((scope) => scopeWords()[scope].word).join(', ')}</span>}
      {labels.length > 0 && (
        <details>
          <summary>
            {t(
              '{count, plural, one {# permission of the management API} other {# permissions of the management API}}',
              {
                count: labels.length,
              },
            )}
          </summary>
          <ul>
            {labels.map((label) => (
              <li key={label}>{label}</li>
            ))}
          </ul>
        </details>
      )}
    </span>
  );
}

const Revoke = ({ row, registered }: { row: AdminTokenRow; registered: Registrations }): VNode => (
  <Confirm
    id={`revoke-${row.id}`}
    formId={`revoke-form-${row.id}`}
    action={`${LIST}/${row.id}/revoke`}
    button={
      <>
        {t('Revoke')}
        <span class="sr-only"> …{row.last_four}</span>
      </>
    }
    tone="danger"
    isQuiet
    title={t('Revoke the token {token}?', { token: `${row.name} (…${row.last_four})` })}
    confirm={t('Revoke it')}
  >
    <p>
      {t(
        'Programs that use this token are refused immediately. You can’t undo this. Create its successor first.',
      )}
    </p>
    {countOf(registered) > 0 && (
      <>
        <Registered registered={registered} />
        <QuestionBox
          formId={`revoke-form-${row.id}`}
          name="registered"
          label={t('Also remove these addresses')}
          checked
        />
      </>
    )}
  </Confirm>
);

async function revoke({ deps, params, form, actor, session }: UserContext): Promise<PanelResponse> {
  const id = /^\d{1,9}$/.test(params.id ?? '') ? Number(params.id) : 0;
  const row = (await adminTokensSeenBy(deps.store, session.grants)).find((one) => one.id === id);
  if (!row) throw pageNotFound();
  const registered = (await registrationsOfAdmin(deps, [id]))(id);
  await revokeAdminToken(deps, actor, session.grants, id);
  if (form.has('registered')) await removeRegistrations(deps, actor, registered);
  return seeOther(LIST, t('The token …{lastFour} is revoked.', { lastFour: row.last_four }));
}
