import { MOST_COUNTED } from '../../store/reports/backlog';
import { number } from '../languages/numbers';

/** "1 delivery", "2 deliveries". */
export const counted = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** Of what is counted up to `most` and one more. */
export const upToMost = (count: number, most = MOST_COUNTED): string =>
  count > most ? `${number(most)}+` : number(count);
