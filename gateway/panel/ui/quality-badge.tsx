import { type VNode } from 'preact';
import { qualityOf } from '../../cloud-api/phone-number';
import { Badge } from './parts';
import { t } from '../languages/t';

export function QualityBadge({ rating }: { rating: string | null | undefined }): VNode {
  switch (qualityOf(rating)) {
    case 'HIGH':
      return <Badge tone="good">{t.of('quality', 'High')}</Badge>;
    case 'MEDIUM':
      return <Badge tone="warn">{t.of('quality', 'Medium')}</Badge>;
    case 'LOW':
      return <Badge tone="bad">{t.of('quality', 'Low')}</Badge>;
    default:
      return <Badge tone="idle">{t.of('quality', 'Not rated')}</Badge>;
  }
}
