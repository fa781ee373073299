import { type VNode } from 'preact';
import { qualityOf } from '../../cloud-api/phone-number';
import { Badge } from './parts';

export function QualityBadge({ rating }: { rating: string | null | undefined }): VNode {
  switch (qualityOf(rating)) {
    case 'HIGH':
      return <Badge tone="good">High</Badge>;
    case 'MEDIUM':
      return <Badge tone="warn">Medium</Badge>;
    case 'LOW':
      return <Badge tone="bad">Low</Badge>;
    default:
      return <Badge tone="idle">Not rated</Badge>;
  }
}
