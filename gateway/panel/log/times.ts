import { DAY, HOUR, isoTime, MINUTE } from '../../time';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';
import { type Preset } from './log-filter';

/** ISO times; empty if not set. */
interface Times {
  from: string;
  to: string;
}

/** Links to periods that keep the other filters. The link of the active period removes it. */
export function timesOf<Filter extends Times>(
  { deps }: UserContext,
  filter: Filter,
  addressOf: (filter: Filter) => string,
): Preset[] {
  const now = deps.clock();
  const time = (label: string, length: number): Preset => {
    const begin = now - length;
    // Approximate, because the page may have been open for a while.
    const isOn = !filter.to && Math.abs(Date.parse(filter.from) - begin) < length / 5;
    const from = isOn ? '' : isoTime(Math.floor(begin / MINUTE) * MINUTE);
    return { label, href: addressOf({ ...filter, from, to: '' }), isOn };
  };
  return [
    time(t('15 min'), 15 * MINUTE),
    time(t('1 hour'), HOUR),
    time(t('24 h'), DAY),
    time(t('7 d'), 7 * DAY),
  ];
}
