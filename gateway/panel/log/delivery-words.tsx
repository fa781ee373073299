import { type VNode } from 'preact';
import { type DeliveryStanding, type ListedState } from '../../store/reports/delivery-list';
import { t } from '../languages/t';
import { Badge, type Tone } from '../ui/parts';

/** The label of a delivery's state. */
export function stateWord(state: ListedState): string {
  switch (state) {
    case 'open':
      return t('Waiting or paused');
    case 'waiting':
      return t.of('delivery', 'Waiting');
    case 'parked':
      return t.of('delivery', 'Paused');
    case 'delivered':
      return t.of('delivery', 'Delivered');
    case 'dead':
      return t.of('delivery', 'Given up');
    case 'canceled':
      return t.of('delivery', 'Canceled');
  }
}

export const STATE_TONES: Record<DeliveryStanding, Tone> = {
  waiting: 'info',
  parked: 'warn',
  delivered: 'good',
  dead: 'bad',
  canceled: 'idle',
};

interface Standing {
  state: string;
  /** When the destination was paused; null if it is active. */
  paused_at: string | null;
}

export function stateOf({ state, paused_at: pausedAt }: Standing): DeliveryStanding {
  if (state !== 'pending') return state as DeliveryStanding;
  return pausedAt === null ? 'waiting' : 'parked';
}

export function StateBadge({ of }: { of: Standing }): VNode {
  const state = stateOf(of);
  return <Badge tone={STATE_TONES[state]}>{stateWord(state)}</Badge>;
}
