import { type VNode } from 'preact';
import { t } from '../../languages/t';
import { RANGES, rangeWords, type RangeName } from './spans';

/** Switches the range of a chart. @param hrefOf the same page with another range */
export const RangeSwitch = ({
  range,
  hrefOf,
}: {
  range: RangeName;
  hrefOf(range: RangeName): string;
}): VNode => (
  <nav class="switch" aria-label={t('Time shown')}>
    {(Object.keys(RANGES) as RangeName[]).map((name) => (
      <a key={name} href={hrefOf(name)} aria-current={name === range ? 'true' : undefined}>
        {rangeWords()[name].label}
      </a>
    ))}
  </nav>
);
