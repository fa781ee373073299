import { Fragment, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { auditOf } from '../../customers/read-audit';
import { type AuditFilter, type AuditRow } from '../../store/tables/audit-row';
import { type CustomerRow } from '../../store/tables/customers';
import { type Line } from '../../lines/line';
import { FormState } from '../form-state';
import { pageNotFound } from '../ui/frame/error-page';
import { SelectField } from '../ui/form';
import { chosenLine, LineField } from '../ui/line-field';
import { LogFilter } from '../log/log-filter';
import { exportedFile, formatIn } from '../log/exported-file';
import { SaveAll } from '../log/save-all';
import { momentOf } from '../ui/moment-field';
import { Card, Empty, Hour, inZone, Notice, PageHead, Pager } from '../ui/parts';
import { page, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { Said } from '../languages/said';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';
import { LookContext } from '../ui/frame/look';
import { AuditDetails, namesIn, type AuditNames } from './audit-details';
import { actionWords, whoWord } from './audit-words';
import { exportAudit } from './export-audit';

/** The audit log: who changed what. */
export const auditPages: PanelRoute[] = [
  pageRoute('audit.read', '/audit', showAudit),
  actionRoute('audit.read', '/audit/export', writeAll),
];

const PAGE = 50;
/** Most broken entries that are listed. */
const SHOWN_ISSUES = 10;

async function showAudit(context: UserContext) {
  const { deps, query } = context;
  const filter = filterOf(query, deps.lines.all());
  const customers = await deps.store.customers.all();
  const customer = chosenCustomer(context, customers, query);
  if (customer === undefined) throw pageNotFound();
  const audit = auditOf(deps, customer);
  const [{ verified: shown, faults, next }, words] = await Promise.all([
    audit.page(filter, PAGE),
    audit.words(),
  ]);
  const names = await namesIn(context, shown);
  return page(
    <PageHead title={t('Audit log')}>
      {customer
        ? t(
            'Every change to the lines and users of {customer}. The NDJSON file proves that no entry is missing.',
            {
              customer: customer.name,
            },
          )
        : t.rich(
            'Every change, made here, by a command or through the API. To check that no entry was changed, run <code>messaging-gateway audit verify</code> on the server.',
          )}
    </PageHead>,
    <>
      {faults.length > 0 && (
        <Notice tone="bad">
          <p>
            {t.rich(
              '<strong>The audit log was changed.</strong> Someone changed the database outside the gateway. Changed entries are not shown:',
            )}
          </p>
          <ul>
            {faults.slice(0, SHOWN_ISSUES).map((issue) => (
              <li>
                <Said>{issue}</Said>
              </li>
            ))}
          </ul>
          {context.may('audit.read', null) && (
            <p>
              {t.rich(
                'On the server, <code>messaging-gateway audit verify</code> lists every difference. Compare with a backup, and find out who can write to the database.',
              )}
            </p>
          )}
        </Notice>
      )}
      <Filter words={words} filter={filter} customers={customers} customer={customer} />
      <Card flush>
        {shown.length ? (
          <Entries rows={shown} names={names} />
        ) : (
          <Empty title={query.size ? t('Nothing matches this filter') : t('No changes yet')}>
            {query.size ? (
              <a href="/panel/audit">{t('Show everything')}</a>
            ) : (
              <p>{t('The first change will appear here.')}</p>
            )}
          </Empty>
        )}
        <Pager
          first={filter.before === undefined ? null : linkTo(query, null)}
          next={next === null ? null : linkTo(query, next)}
        />
      </Card>
      {shown.length > 0 && (
        <SaveAll
          action="/panel/audit/export"
          fields={Object.fromEntries([...query].filter(([name]) => name !== 'before'))}
          isFiltered={Object.keys(filter).some((name) => name !== 'before')}
        />
      )}
    </>,
  );
}

interface EntriesProps {
  rows: AuditRow[];
  names: AuditNames;
}

/** Grouped by day, newest first. */
function Entries({ rows, names }: EntriesProps): VNode {
  const { zone = 'UTC' } = useContext(LookContext);
  const dayOf = ({ at }: AuditRow) => inZone(at, zone, 'day');
  const heads = [t('What'), t('Details'), t('Who'), t.of('place', 'From'), t('When')];
  return (
    <table class="entries">
      <caption class="sr-only">{t('Changes, newest first')}</caption>
      <thead class="sr-only">
        <tr>
          {heads.map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          const before = rows[index - 1];
          return (
            <Fragment key={row.number}>
              {(!before || dayOf(before) !== dayOf(row)) && (
                <tr class="group">
                  <th scope="rowgroup" colSpan={heads.length}>
                    <time dateTime={row.at}>{dayOf(row)}</time>
                  </th>
                </tr>
              )}
              <tr class="entry">
                <th scope="row">{actionWords(row.action)}</th>
                <td>
                  <AuditDetails row={row} names={names} />
                </td>
                <td>{whoWord(row.who)}</td>
                <td class="quiet">
                  <From row={row} />
                </td>
                <td class="quiet number">
                  <Hour at={row.at} to="clock" />
                </td>
              </tr>
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

/**
 * The customer whose audit is shown: null for the audit of the gateway, undefined if there is nothing that the user may
 * read.
 */
function chosenCustomer(
  { may }: UserContext,
  customers: CustomerRow[],
  query: URLSearchParams,
): CustomerRow | null | undefined {
  const chosen = customers.find(({ id }) => String(id) === query.get('customer'));
  if (chosen) return chosen;
  return may('audit.read', null) ? null : customers[0];
}

interface FilterProps {
  /** The choices for filtering by user and by action. */
  words: { who: string[]; actions: string[] };
  filter: AuditFilter;
  customers: CustomerRow[];
  customer: CustomerRow | null;
}

function Filter({ words, filter, customers, customer }: FilterProps): VNode {
  const { query, may } = useRequest();
  const isOfAll = may('audit.read', null);
  const state = new FormState(Object.fromEntries(query));
  const any = (label: string) => ({ value: '', label });
  return (
    <LogFilter
      action="/panel/audit"
      first={
        <>
          {customers.length > (isOfAll ? 0 : 1) && (
            <SelectField
              state={new FormState({ customer: String(customer?.id ?? '') })}
              name="customer"
              label={t('Customer')}
              choices={[
                ...(isOfAll ? [any(t('All customers'))] : []),
                ...customers.map(({ id, name }) => ({ value: String(id), label: name })),
              ]}
            />
          )}
          <SelectField
            state={state}
            name="who"
            label={t('Who')}
            choices={[any(t('Everyone')), ...words.who.map((who) => ({ value: who, label: whoWord(who) }))]}
          />
          <SelectField
            state={state}
            name="action"
            label={t('What')}
            choices={[
              any(t('Everything')),
              ...words.actions
                .map((action) => ({ value: action, label: actionWords(action) }))
                .toSorted((one, other) => one.label.localeCompare(other.label)),
            ]}
          />
        </>
      }
      more={<LineField state={state} />}
      isMoreSet={Boolean(query.get('line'))}
      from={filter.from ?? ''}
      to={filter.to ?? ''}
    />
  );
}

function filterOf(query: URLSearchParams, lines: Line[]): AuditFilter {
  const number = (name: string) => {
    const text = query.get(name) ?? '';
    return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  };
  const before = number('before');
  const [from, to] = ['from', 'to'].map((name) => momentOf(query.get(name) ?? ''));
  // 0 matches no entry, for an unknown line.
  const lineId = query.get('line') ? (chosenLine(lines, query.get('line') ?? '').line?.id ?? 0) : undefined;
  return {
    ...(query.get('who') && { who: query.get('who') ?? '' }),
    ...(query.get('action') && { action: query.get('action') ?? '' }),
    ...(lineId !== undefined && { lineId }),
    ...(before !== undefined && { before }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

async function writeAll(context: UserContext): Promise<PanelResponse> {
  const { deps, form } = context;
  const format = formatIn(form);
  const fields = new URLSearchParams(
    [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  const customer = chosenCustomer(context, await deps.store.customers.all(), fields);
  if (customer === undefined) throw pageNotFound();
  const written = await exportAudit(context, filterOf(fields, deps.lines.all()), format, customer);
  return exportedFile(deps, 'audit', format, written);
}

function linkTo(query: URLSearchParams, before: number | null): string {
  const next = new URLSearchParams(query);
  next.delete('before');
  if (before !== null) next.set('before', String(before));
  return `/panel/audit${next.size ? `?${next}` : ''}`;
}

/** The address is enough on a phone, because nearly all changes come from the panel. */
function From({ row: { through, address } }: { row: AuditRow }): VNode {
  const way = { panel: t('Panel'), command: t('Command'), api: 'API', gateway: 'Gateway' }[through];
  if (!address) return <>{way}</>;
  return (
    <>
      <span class={through}>{way} · </span>
      {address}
    </>
  );
}
