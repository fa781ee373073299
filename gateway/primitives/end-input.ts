import { HOUR, isoTime, timeIn } from '../time';
import { fact } from '../wording/facts';
import { Issues } from './issues';

/** When something ends, as entered: some hours from now, or at a time. */
export interface EndInput {
  hours?: number | string | undefined;
  until?: string | undefined;
}

/**
 * Validates an end, for every interface.
 * @param now milliseconds
 * @param most hours from now
 * @returns ISO time; null if nothing was entered
 * @throws Refusal with all issues, by field
 */
export function endOf({ hours, until }: EndInput, now: number, most: number): string | null {
  const issues = new Issues();
  const length =
    hours === undefined ? null : issues.addWhole('hours', hours, [1, most], fact('end.hours', { most }));
  const end = until === undefined ? null : timeIn(until);
  if (end !== null && (length !== null || !(end > now && end <= now + most * HOUR)))
    issues.addOfValue('until', 'pattern', fact('end.time', { most }));
  issues.check();
  if (end !== null) return isoTime(end);
  return length === null ? null : isoTime(now + length * HOUR);
}
