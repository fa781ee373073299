import { number } from '../languages/numbers';
import { MOST_COUNTED } from '../../store/reports/delivery-list';

/** "1 delivery", "2 deliveries". */
export const counted = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** Of what is counted up to `MOST_COUNTED` and one more. */
export const upToMost = (count: number): string =>
  count > MOST_COUNTED ? `${number(MOST_COUNTED)}+` : number(count);
