import { type VNode } from 'preact';
import { languageNow, WRITTEN } from '../../wording/language';
import { type UsageLine } from '../../store/reports/usage';
import { t } from '../languages/t';
import { type CustomerSeen } from '../request-context';
import { categoryWord } from '../ui/words/kind-words';
import { dateWord } from '../ui/parts';
import { BY_PERIOD } from './filter';

/** The names that values of a report stand for. */
export interface Names {
  lines: UsageLine[];
  customers: CustomerSeen[];
}

/** The label of the first column. */
export const groupWord = (by: string, per: string | null): string =>
  ({
    line: t('Line'),
    customer: t('Customer'),
    template: t('Template'),
    category: t('Category'),
    country: t('Country'),
    [BY_PERIOD]: { day: t('Day'), week: t('Week of'), month: t('Month') }[per ?? 'day'] ?? '',
  })[by] ?? '';

/** What a row is about. */
export function valueWord(by: string, value: string, { lines, customers }: Names): string {
  if (by === 'line') {
    const line = lines.find(({ id }) => String(id) === value);
    const name = line?.name ?? t('line {id}', { id: value });
    return line?.removed_at ? t('{name} (removed)', { name }) : name;
  }
  if (by === 'customer')
    return value
      ? (customers.find((one) => String(one?.id) === value)?.name ?? t('Customer {id}', { id: value }))
      : t('No customer');
  if (by === 'template') return value || t('Without a template');
  if (by === 'category') return value ? categoryWord(value) : t('No category reported');
  if (by === 'country') return countryWord(value);
  return dateWord(value);
}

export const Value = ({ by, value, names }: { by: string; value: string; names: Names }): VNode =>
  by === BY_PERIOD ? (
    <time dateTime={value}>{dateWord(value)}</time>
  ) : (
    <span class={by === 'country' && value !== UNKNOWN ? 'language-name' : undefined}>
      {valueWord(by, value, names)}
    </span>
  );

const UNKNOWN = '??';

export function countryWord(country: string): string {
  if (country === UNKNOWN) return t('Unknown country');
  return new Intl.DisplayNames([WRITTEN[languageNow()].tag], { type: 'region' }).of(country) ?? country;
}
