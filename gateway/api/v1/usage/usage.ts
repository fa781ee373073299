import * as Type from 'typebox';
import { invalidQuery, Refusal } from '../../../errors';
import { type UsageCounts } from '../../../store/reports/usage';
import { usageReport } from '../../../usage/report';
import { MOST_DAYS, USAGE_CLOCKS, USAGE_GROUPS, USAGE_PERIODS } from '../../../usage/report-input';
import { type UsageSum } from '../../../usage/sums';
import { TextOrNull } from '../../http/answer-parts';
import { readId } from '../../http/query';
import { get } from '../described';
import { type AdminContext } from '../operation';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const COUNTS: Record<keyof UsageCounts, Type.TInteger> = {
  sent: Count('Messages that the line sent. They count on the day on which the platform accepted them.'),
  delivered: Count('Of these, delivered, read or played.'),
  read: Count('Of these, read or played.'),
  failed: Count('Of these, failed and never delivered.'),
  received: Count('Messages that contacts sent.'),
  charged: Count('Delivered messages that the platform charges for, according to their statuses.'),
};

const RateCardName = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  effective_from: Type.String({ format: 'date' }),
});

const Estimate = Type.Object({
  currency: Type.String({ description: 'ISO 4217.' }),
  micros: Type.Integer({ description: 'In millionths of the currency.' }),
  rate_cards: Type.Array(RateCardName, { description: 'The rate cards with the prices.' }),
});

const SUM = {
  ...COUNTS,
  estimates: Type.Array(Estimate, {
    description: 'What the charged messages cost by the imported rate cards; empty without a price.',
  }),
  unpriced: Count('Charged messages that no rate card has a price for. No estimate contains them.'),
};

const Row = Type.Object({
  period: Type.Unsafe<string | null>({
    ...TextOrNull,
    description: 'The day, the Monday of the week, or the month as `2027-01`; null without `per`.',
  }),
  value: Type.Unsafe<string | null>({
    ...TextOrNull,
    description:
      'The id of the line or customer, the template, the category or the country; null without `by`. Empty for messages without one, `??` for an unknown country.',
  }),
  ...SUM,
});

export const Usage = Type.Object({
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date' }),
  clock: Type.Enum([...USAGE_CLOCKS]),
  rows: Type.Array(Row),
  total: Type.Object(SUM),
  as_of: Type.String({ format: 'date-time', description: 'When the counts were read.' }),
});

const sum = ({ counts, estimates, unpriced }: UsageSum): Type.Static<typeof Usage>['total'] => ({
  ...counts,
  estimates: estimates.map(({ currency, micros, cards }) => ({
    ...{ currency, micros },
    rate_cards: cards.map(({ id, name, effective_from }) => ({ id, name, effective_from })),
  })),
  unpriced,
});

const Day = (description: string) => Type.String({ format: 'date', description });

export const getUsage = get('/usage', {
  tag: 'Usage',
  id: 'getUsage',
  permission: 'usage.read',
  summary: 'Count messages and estimate their cost',
  description: `What the lines that the token reaches sent and received, by line, customer, template, category or country, in at most ${MOST_DAYS} days. docs/usage.md explains what is counted, and when.`,
  query: {
    from: Day('The first day.'),
    to: Day('The last day.'),
    clock: Type.Optional(
      Type.Enum([...USAGE_CLOCKS], {
        default: 'line',
        description: "Whose days are counted: those of each line's time zone, or of UTC.",
      }),
    ),
    per: Type.Optional(
      Type.Enum([...USAGE_PERIODS], { description: 'A row for each period. Omit it for the whole time.' }),
    ),
    by: Type.Optional(
      Type.Enum([...USAGE_GROUPS], { description: 'A row for each value. Omit it for one sum.' }),
    ),
    line_id: Type.Optional(Type.Integer({ minimum: 1, description: 'Only this line.' })),
    customer_id: Type.Optional(Type.Integer({ minimum: 1, description: 'Only the lines of this customer.' })),
    template: Type.Optional(
      Type.String({ description: 'Only this template; empty: only messages without one.' }),
    ),
    category: Type.Optional(
      Type.String({
        description: 'Only this pricing category, such as `marketing`; empty: only without one.',
      }),
    ),
    country: Type.Optional(
      Type.String({ description: 'Only contacts in this country, such as `BR`; `??` for unknown ones.' }),
    ),
  },
  schema: 'Usage',
  refusals: () => [invalidQuery('from: Enter a day, such as 2027-01-31.')],
  object: async (context): Promise<Type.Static<typeof Usage>> => {
    const { asked, rows, total, asOf } = await reportFor(context);
    return {
      ...{ from: asked.from, to: asked.to, clock: asked.clock },
      rows: rows.map(({ period, value, ...counted }) => ({ period, value, ...sum(counted) })),
      total: sum(total),
      as_of: asOf,
    };
  },
});

async function reportFor({ deps, query }: AdminContext) {
  const { from = '', to = '', line_id: line, customer_id: customer, ...filters } = query;
  const lineId = readId('line_id', line) ?? undefined;
  const customerId = readId('customer_id', customer) ?? undefined;
  try {
    return await usageReport(deps, { ...filters, from, to, lineId, customerId });
  } catch (error) {
    // The report names fields; here they are parameters.
    if (error instanceof Refusal && error.issues)
      throw invalidQuery(error.issues.map(({ message }) => message).join(' '));
    throw error;
  }
}
