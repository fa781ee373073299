import { type VNode } from 'preact';
import { usageReport, type UsageReport, type ReportRow } from '../../usage/report';
import { type UsageSum } from '../../usage/sums';
import { exportedFile } from '../log/exported-file';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { page, type PanelResponse } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { CustomerField, hasCustomers } from '../ui/customer-field';
import { SelectField, Submit, TextField } from '../ui/form';
import { pageNotFound } from '../ui/frame/error-page';
import { Chart } from '../ui/history/chart';
import { LineField } from '../ui/line-field';
import { Card, dateWord, Empty, Notice, PageHead, Time } from '../ui/parts';
import { placeOf } from '../ui/places';
import { useRequest } from '../ui/page-request';
import { showCompared } from './compared';
import { usageFile } from './export-usage';
import {
  addressOf,
  askedOf,
  BY_PERIOD,
  daysOf,
  daysOfPeriod,
  filterOf,
  MOST_DAYS,
  narrowed,
  periodsIn,
  today,
  type UsageFilter,
} from './filter';
import { datePlus, monthOf } from '../../usage/days';
import { Totals, UsageTable } from './usage-table';
import { groupWord, valueWord, type Names } from './value-words';

export const usagePages: PanelRoute[] = [
  pageRoute('usage.read', '/usage', showUsage),
  pageRoute('usage.read', '/usage/export', exportUsage),
  pageRoute('usage.read', '/usage/compared', showCompared),
];

/** The field of the page for each field of a report. */
const FIELDS = { from: 'since', to: 'until', line_id: 'line', customer_id: 'customer' };

interface Found {
  by: string;
  filter: UsageFilter;
  /** The table, and what the chart shows: all of it by period. */
  report: UsageReport;
  periods: UsageReport;
  rows: ReportRow[];
  names: Names;
}

/** @throws Refusal with all issues */
async function usageFound(context: UserContext, filter: UsageFilter): Promise<Found> {
  // Removed lines belong to a customer, but to no reach of some lines.
  const { store, clock } = context.within('usage.read', false);
  const { by, ...asked } = askedOf(context, filter);
  const [periods, groups] = await Promise.all([
    usageReport({ store, clock }, asked),
    by === BY_PERIOD ? null : usageReport({ store, clock }, { ...asked, by, per: null }),
  ]);
  const report = groups ?? periods;
  const customers = hasCustomers(context) ? await store.customers.all() : [];
  return {
    ...{ by, filter, report, periods, names: { lines: report.lines, customers } },
    rows: groups ? groups.rows.toSorted(byCount) : periods.rows,
  };
}

const byCount = ({ counts: one }: ReportRow, { counts: other }: ReportRow): number =>
  other.sent - one.sent || other.received - one.received;

async function exportUsage(context: UserContext): Promise<PanelResponse> {
  const state = new FormState();
  const found = await state.given(() => usageFound(context, filterOf(context.query)));
  if (!found) throw pageNotFound();
  const { by, report, rows, names } = found;
  return exportedFile(context.deps, 'usage', 'csv', usageFile(by, report, rows, names));
}

async function showUsage(context: UserContext): Promise<PanelResponse> {
  const { deps, query } = context;
  const filter = filterOf(query);
  const asked = askedOf(context, filter);
  const state = new FormState({
    ...(filter as Record<string, string>),
    ...{ since: asked.from, until: asked.to, by: asked.by, per: asked.per ?? '' },
  });
  const found = await state.given(() => usageFound(context, filter), FIELDS);
  return page(
    <PageHead
      title={t('Usage')}
      actions={
        <>
          <a class="button plain" href="/panel/usage/compared">
            {t('Compare with WhatsApp')}
          </a>
          {context.may('gateway', null) && (
            <a class="button plain" href="/panel/rate-cards">
              {t('Rate cards')}
            </a>
          )}
        </>
      }
    >
      {t('Messages sent and received, and how many of them WhatsApp charged.')}
    </PageHead>,
    <>
      <UsageForm filter={filter} state={state} day={today(deps)} />
      {found && filter.per !== undefined && filter.per !== asked.per && (
        <Notice tone="info">
          {t(
            'Up to {day, number} days are shown by day, and up to {week, number} days by week. This time is longer.',
            MOST_DAYS,
          )}
        </Notice>
      )}
      {!state.isValid && (
        <Notice tone="bad">
          {state.issues.map(({ name, sentence }) => (
            <p key={name}>{sentence}</p>
          ))}
        </Notice>
      )}
      {found &&
        (found.rows.length ? <Figures found={found} from={placeOf(query)} /> : <NoUsage filter={filter} />)}
    </>,
    state,
  );
}

function UsageForm({ filter, state, day }: { filter: UsageFilter; state: FormState; day: string }): VNode {
  const context = useRequest();
  const { lines } = context.deps;
  const hasLines = lines.all().length > 1;
  const year = day.slice(0, 4);
  const presets = [
    { label: t('This month'), ...monthOf(day) },
    { label: t('Last month'), ...monthOf(datePlus(monthOf(day).from, -1)) },
    { label: t('Last 30 days'), from: datePlus(day, -29), to: day },
    { label: t('This year'), from: `${year}-01-01`, to: `${year}-12-31` },
  ];
  const days = daysOf(filter, day);
  return (
    <>
      <nav class="presets" aria-label={t('Time shown')}>
        {presets.map(({ label, from, to }) => (
          <a
            key={label}
            href={addressOf({ ...filter, per: undefined, since: from, until: to })}
            aria-current={days.from === from && days.to === to ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <search class="log-filter">
        <form method="get" action="/panel/usage" novalidate>
          <div class="filter">
            <SelectField
              state={state}
              name="by"
              label={t('Group by')}
              choices={['line', 'customer', 'template', 'category', 'country', BY_PERIOD]
                .filter(
                  (one) => (one !== 'line' || hasLines) && (one !== 'customer' || hasCustomers(context)),
                )
                .map((one) => ({ value: one, label: one === BY_PERIOD ? t('Time') : groupWord(one, null) }))}
            />
            <CustomerField />
            {hasLines && <LineField state={state} />}
            <Submit tone="plain">{t('Show')}</Submit>
          </div>
          {(['template', 'category', 'country'] as const).map(
            (name) =>
              filter[name] !== undefined && (
                <input key={name} type="hidden" name={name} value={filter[name]} />
              ),
          )}
          <details class="more" open={!presets.some(({ from, to }) => from === days.from && to === days.to)}>
            <summary>{t('Dates and time zone')}</summary>
            <div class="filter">
              <TextField state={state} name="since" type="date" label={t('First day')} />
              <TextField state={state} name="until" type="date" label={t('Last day')} />
              <SelectField
                state={state}
                name="per"
                label={t('Periods')}
                choices={[
                  { value: 'day', label: t('Days') },
                  { value: 'week', label: t('Weeks') },
                  { value: 'month', label: t('Months') },
                ]}
              />
              <SelectField
                state={state}
                name="clock"
                label={t('Days of')}
                choices={[
                  { value: 'line', label: t("Each line's time zone") },
                  { value: 'utc', label: 'UTC' },
                ]}
              />
              <Submit tone="plain">{t('Show')}</Submit>
            </div>
          </details>
        </form>
      </search>
    </>
  );
}

/** The filters that have no field, with a link that removes each. */
function Chips({ filter, names }: { filter: UsageFilter; names: Names }): VNode | null {
  const { deps } = useRequest();
  const isRemoved = names.lines.some(({ id, removed_at: at }) => String(id) === filter.line && at !== null);
  const shown = (['line', 'template', 'category', 'country'] as const).filter(
    (name) => filter[name] !== undefined && (name !== 'line' || isRemoved || deps.lines.all().length < 2),
  );
  if (!shown.length) return null;
  return (
    <nav class="chips" aria-label={t('Active filters')}>
      {shown.map((name) => {
        const { [name]: value = '', ...others } = filter;
        return (
          <a key={name} href={addressOf(others)}>
            {groupWord(name, null)}: {valueWord(name, value, names)}
            <span aria-hidden="true">×</span>
            <span class="sr-only">: {t('Remove filter')}</span>
          </a>
        );
      })}
    </nav>
  );
}

function Figures({ found, from }: { found: Found; from: number }): VNode {
  const { by, filter, report, periods, rows, names } = found;
  return (
    <>
      <Chips filter={filter} names={names} />
      <Totals of={report.total} />
      <UsageChart filter={filter} periods={periods} />
      <UsageTable
        {...{ by, filter, report, rows, names, from }}
        actions={
          <a class="button plain small" href={addressOf({ ...filter, by }, '/panel/usage/export')}>
            {t('Download CSV')}
          </a>
        }
      />
      <Explained report={report} />
    </>
  );
}

function UsageChart({ filter, periods }: { filter: UsageFilter; periods: UsageReport }): VNode | null {
  const context = useRequest();
  const { asked, rows, total } = periods;
  const per = asked.per ?? 'day';
  const times = periodsIn(asked, per, today(context.deps));
  if (times.length < 2) return null;
  const countsOf = new Map(rows.map((row) => [row.period, row.counts]));
  const title = {
    day: t('Messages sent each day'),
    week: t('Messages sent each week'),
    month: t('Messages sent each month'),
  }[per];
  const values = (name: 'sent' | 'failed') => times.map((time) => countsOf.get(time)?.[name] ?? 0);
  return (
    <Card title={title}>
      <Chart
        id="usage"
        title={title}
        summary={t('{sent, number} sent, {failed, number} failed.', total.counts)}
        times={times}
        told="date"
        series={[
          { label: t.of('messages', 'Sent'), values: values('sent') },
          { label: t.of('messages', 'Failed'), values: values('failed'), isBad: true },
        ]}
        kind="bars"
        hrefOf={(index) => {
          const period = times[index] ?? '';
          return narrowed(context, filter, BY_PERIOD, period, daysOfPeriod(period, per, asked));
        }}
      />
    </Card>
  );
}

/** How current the figures are, and what they mean. */
function Explained({ report: { asOf, asked, total } }: { report: UsageReport }): VNode {
  return (
    <div class="stack close quiet small">
      <p>
        {asked.clock === 'utc'
          ? t.rich('As of {when}. New messages are counted within two minutes. Days are in UTC.', {
              when: <Time at={asOf} to="minute" />,
            })
          : t.rich(
              "As of {when}. New messages are counted within two minutes. Days are in each line's time zone.",
              { when: <Time at={asOf} to="minute" /> },
            )}
      </p>
      <p>
        {t(
          'Charged: delivered messages that WhatsApp reports as charged. Messages count on the day on which they were sent.',
        )}{' '}
        <EstimateWords of={total} />
      </p>
    </div>
  );
}

function EstimateWords({ of: { estimates, unpriced } }: { of: UsageSum }): VNode | null {
  const { may } = useRequest();
  const cards = estimates.flatMap((one) => one.cards);
  if (!cards.length)
    return unpriced ? (
      <>
        {t('WhatsApp does not report prices. There is no rate card with a price for these messages.')}{' '}
        {may('gateway', null) && <a href="/panel/rate-cards/new">{t('Import a rate card')}</a>}
      </>
    ) : null;
  return (
    <>
      {t('WhatsApp does not report prices. Each sum is an estimate by these rate cards: {cards}.', {
        cards: cards
          .map(({ name, effective_from: from }) => t('{name} (from {date})', { name, date: dateWord(from) }))
          .join(', '),
      })}
    </>
  );
}

/** Says what will appear here. */
function NoUsage({ filter }: { filter: UsageFilter }): VNode {
  const context = useRequest();
  const isFiltered = Object.keys(filter).some((name) => !['by', 'per'].includes(name));
  return (
    <Card flush>
      <Empty title={isFiltered ? t('No messages match') : t('No messages this month')}>
        <p>
          {t(
            'Each message is counted here about a minute after it was sent or received. Its status and whether WhatsApp charges it follow when WhatsApp reports them.',
          )}
        </p>
        {isFiltered && <a href="/panel/usage">{t('Show this month')}</a>}
        {!isFiltered && !context.deps.lines.all().length && context.may('lines.manage') && (
          <a class="button primary" href="/panel/lines/new">
            {t('Add the first line')}
          </a>
        )}
      </Empty>
    </Card>
  );
}
