import { fact } from '../wording/facts';
import { Issues } from './issues';

const USUAL_HOURS = 24;
const MOST_HOURS = 9_999;

/**
 * Validates for how many hours a replaced token or secret remains valid, for every interface.
 * @param given 0 for not at all
 * @throws Refusal
 */
export function overlapHours(given: number | string = USUAL_HOURS): number {
  const issues = new Issues();
  const range = fact('overlap.range', { most: MOST_HOURS });
  const hours = issues.addWhole('overlap', given, [0, MOST_HOURS], range);
  issues.check();
  return hours;
}
