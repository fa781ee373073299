import { type VNode } from 'preact';
import { type AuditFilter, type AuditRow } from '../../store/tables/audit';
import { type Line } from '../../lines/line';
import { FormState } from '../form-state';
import { SelectField, Submit } from '../ui/form';
import { chosenLine, LineField } from '../ui/line-field';
import { Card, Empty, Notice, PageHead, Pager, Table, Time } from '../ui/parts';
import { viewerPage, page, type PanelRoute, type UserContext } from '../request-context';
import { English } from '../languages/english';
import { t } from '../languages/t';

/** The audit: who changed what. */
export const auditPages: PanelRoute[] = [viewerPage('/audit', showAudit)];

const PAGE = 50;
/** Of what is wrong, as much is told here. */
const SHOWN_ISSUES = 10;

async function showAudit(context: UserContext) {
  const { deps, query } = context;
  const filter = filterOf(query, deps.lines.all());
  const [rows, words] = await Promise.all([
    deps.store.audit.page(filter, PAGE + 1),
    deps.store.audit.words(),
  ]);
  const last = rows.length > PAGE ? rows[PAGE - 1] : undefined;
  const { verified: shown, faults } = await deps.store.audit.check(deps.vault, rows.slice(0, PAGE));
  const state = new FormState(Object.fromEntries(query));
  const any = (label: string) => ({ value: '', label });
  return page(
    t('Audit log'),
    <>
      <PageHead title={t('Audit log')}>
        {t.rich(
          'Every change, whether made here, by a command or through the API. Entries cannot be changed: on the machine itself, <code>messaging-gateway audit verify</code> shows that none was.',
        )}
      </PageHead>
      {faults.length > 0 && (
        <Notice tone="bad">
          <p>
            {t.rich(
              '<strong>This audit is not as it was written.</strong> Somebody wrote to the database past the gateway. What is not as it was is not shown:',
            )}
          </p>
          <ul>
            {faults.slice(0, SHOWN_ISSUES).map((issue) => (
              <li key={issue}>
                <English>{issue}</English>
              </li>
            ))}
          </ul>
          <p>
            {t.rich(
              'On the machine itself, <code>messaging-gateway audit verify</code> tells all of it. Compare with a backup, and find out who can write to the database.',
            )}
          </p>
        </Notice>
      )}
      <form class="filter" method="get" action="/panel/audit">
        <SelectField
          state={state}
          name="who"
          label={t('Who')}
          choices={[any(t('Everybody')), ...words.who.map((who) => ({ value: who, label: who }))]}
        />
        <SelectField
          state={state}
          name="action"
          label={t('What')}
          choices={[
            any(t('Everything')),
            ...words.actions.map((action) => ({ value: action, label: inWords(action) })),
          ]}
        />
        <LineField context={context} state={state} />
        <Submit tone="plain">{t('Filter')}</Submit>
      </form>
      <Card flush>
        {shown.length ? (
          <Table
            caption={t('Changes, the newest first')}
            rows={shown}
            rowKey={({ number }) => number}
            columns={[
              { label: t('What'), heading: true, cell: ({ action }) => <English>{inWords(action)}</English> },
              {
                label: t('Details'),
                cell: (row) => (
                  <English>
                    <Details row={row} />
                  </English>
                ),
              },
              { label: t('Who'), cell: ({ who }) => who },
              { label: t.of('place', 'From'), cell: from },
              { label: t('When'), cell: ({ at }) => <Time at={at} /> },
            ]}
          />
        ) : (
          <Empty title={query.size ? t('Nothing matches this filter') : t('Nothing was changed yet')}>
            {query.size ? (
              <a href="/panel/audit">{t('Show everything')}</a>
            ) : (
              <p>{t('The first change will appear here.')}</p>
            )}
          </Empty>
        )}
        <Pager
          first={filter.before === undefined ? null : linkTo(query, null)}
          next={last ? linkTo(query, last.number) : null}
        />
      </Card>
    </>,
  );
}

function filterOf(query: URLSearchParams, lines: Line[]): AuditFilter {
  const number = (name: string) => {
    const text = query.get(name) ?? '';
    return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  };
  const before = number('before');
  // One that is none has done nothing.
  const lineId = query.get('line') ? (chosenLine(lines, query.get('line') ?? '').line?.id ?? 0) : undefined;
  return {
    ...(query.get('who') && { who: query.get('who') ?? '' }),
    ...(query.get('action') && { action: query.get('action') ?? '' }),
    ...(lineId !== undefined && { lineId }),
    ...(before !== undefined && { before }),
  };
}

function linkTo(query: URLSearchParams, before: number | null): string {
  const next = new URLSearchParams(query);
  next.delete('before');
  if (before !== null) next.set('before', String(before));
  return `/panel/audit${next.size ? `?${next}` : ''}`;
}

/** `line.api_disabled` as "Line: api disabled". */
const inWords = (action: string): string => {
  const [thing = '', ...done] = action.split('.');
  const text = done.join(' ').replaceAll('_', ' ');
  return `${thing.charAt(0).toUpperCase()}${thing.slice(1)}${text ? `: ${text}` : ''}`;
};

const from = ({ through, address }: AuditRow): string =>
  ({ panel: t('Panel'), command: t('Command'), api: 'API', gateway: 'Gateway' })[through] +
  (address ? ` · ${address}` : '');

function Details({ row }: { row: AuditRow }): VNode {
  const details = Object.entries(JSON.parse(row.details) as Record<string, unknown>);
  if (!details.length) return <span class="quiet">–</span>;
  return (
    <span class="small">
      {details.map(([name, value], index) => (
        <span key={name}>
          {index > 0 && ', '}
          <span class="quiet">{name.replaceAll('_', ' ')}</span>{' '}
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </span>
      ))}
    </span>
  );
}
