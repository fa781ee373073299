import { type VNode } from 'preact';
import { dateIn, monthOf } from '../../../usage/days';
import { usageReport } from '../../../usage/report';
import { type UsageInput } from '../../../usage/report-input';
import { type UsageSum } from '../../../usage/sums';
import { money } from '../../languages/numbers';
import { t } from '../../languages/t';
import { type UserContext } from '../../request-context';
import { Card } from '../parts';

/** What a line, or the lines of a customer, sent and received this month; null if the user may not see it. */
export async function usageOfMonth(
  context: UserContext,
  of: Pick<UsageInput, 'lineId' | 'customerId'>,
): Promise<UsageSum | null> {
  if (!context.may('usage.read', of.lineId ?? null)) return null;
  const { store, clock } = context.within('usage.read', false);
  const { total } = await usageReport({ store, clock }, { ...monthOf(dateIn('UTC', clock())), ...of });
  return total;
}

/** @param href the page of this usage */
export function ThisMonth({ usage, href }: { usage: UsageSum | null; href: string }): VNode | null {
  if (!usage) return null;
  return (
    <Card
      title={t('This month')}
      actions={
        <a class="button plain small" href={href}>
          {t('View usage')}
        </a>
      }
    >
      <p>
        {t(
          '{sent, number} sent, {delivered, number} delivered, {charged, number} charged, {received, number} received.',
          usage.counts,
        )}{' '}
        {usage.estimates.map(estimateWord).join(' ')}
      </p>
    </Card>
  );
}

export const estimateWord = ({ micros, currency }: UsageSum['estimates'][number]): string =>
  t('Estimate: {sum}', { sum: money(micros, currency) });
