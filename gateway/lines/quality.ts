import { qualityOf, type Quality } from '../cloud-api/phone-number';
import { lineQualityLow, lineQualityUnrated, type Refusal } from '../errors';
import { type Line } from './line';

/** The line's rating in the gateway's words; null if it was never read from the platform. */
export const lineQuality = (line: Line): Quality | null =>
  line.upstream === null ? null : qualityOf(line.upstream.quality_rating);

/**
 * The refusal if the line's rating is LOW. An unrated line may send, because otherwise no new number ever could,
 * unless the line is set to `strict`.
 */
export function refuseByQuality(line: Line): Refusal | null {
  const quality = lineQuality(line);
  if (quality === 'LOW') return lineQualityLow();
  const rated = quality === 'HIGH' || quality === 'MEDIUM';
  return rated || line.qualityMode === 'normal' ? null : lineQualityUnrated();
}
