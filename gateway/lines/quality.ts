import { qualityOf, type Quality } from '../cloud-api/phone-number';
import { lineQualityLow, lineQualityUnrated, type Refusal } from '../errors';
import { type Line } from './line';

/** The line's rating in our words; null when the platform was never asked. */
export const lineQuality = (line: Line): Quality | null =>
  line.upstream === null ? null : qualityOf(line.upstream.quality_rating);

/**
 * Whether the line may send: HIGH and MEDIUM may, LOW may not. A line without a rating may, because otherwise no new
 * number could ever send, unless it is set to `strict`.
 */
export function refuseByQuality(line: Line): Refusal | null {
  const quality = lineQuality(line);
  if (quality === 'LOW') return lineQualityLow();
  const rated = quality === 'HIGH' || quality === 'MEDIUM';
  return rated || line.qualityMode === 'normal' ? null : lineQualityUnrated();
}
