import { Issues } from '../../primitives/issues';
import { fact } from '../../wording/facts';
import { isDay } from '../report-input';
import { readCard, type ReadCard } from './read-card';

/** A rate card as entered. */
export interface RateCardInput {
  /** A name for the operator's team. */
  name: string;
  /** The first day on which it applies, such as `2026-10-01`. */
  effectiveFrom: string;
  /** The only customer for which it applies; null for all without a card of their own. */
  customerId: number | null;
  /** The file (`read-card.ts`). */
  csv: string;
}

const LONGEST_NAME = 80;
/** Characters of a file. Those of the platform have about 3,000. */
export const LONGEST_CARD = 100_000;

/**
 * Validates a rate card from the panel, a command or the API. Faults in the lines of the file are not thrown but
 * returned, so that all of them can be shown.
 * @throws Refusal with all other issues, by field
 */
export function rateCardInput({ csv, ...given }: RateCardInput): Omit<RateCardInput, 'csv'> & ReadCard {
  const issues = new Issues();
  const name = given.name.trim();
  issues.addName(name, LONGEST_NAME);
  if (!isDay(given.effectiveFrom)) issues.addOfValue('effective_from', 'pattern', fact('day.invalid', {}));
  if (csv.length > LONGEST_CARD)
    issues.add('csv', 'maxLength', fact('rate_card.long', { most: LONGEST_CARD }));
  issues.check();
  return { ...given, name, ...readCard(csv) };
}
