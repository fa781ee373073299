import { type VNode } from 'preact';
import { type Outcome } from '../../forwarding/deliver';
import { type ListedState } from '../../store/reports/delivery-list';
import { t } from '../languages/t';
import { Badge, type Tone } from '../ui/parts';

/** The states of deliveries, as the filter names them. */
export function stateWord(state: ListedState): string {
  switch (state) {
    case 'waiting':
      return t.of('delivery', 'Waiting');
    case 'parked':
      return t.of('delivery', 'Parked');
    case 'delivered':
      return t.of('delivery', 'Delivered');
    case 'dead':
      return t.of('delivery', 'Dead');
    case 'canceled':
      return t.of('delivery', 'Canceled');
  }
}

export const STATE_TONES: Record<ListedState, Tone> = {
  waiting: 'info',
  parked: 'warn',
  delivered: 'good',
  dead: 'bad',
  canceled: 'idle',
};

type Cause = Exclude<Outcome['outcome'], 'delivered'>;

/** Why an attempt failed, and what helps. */
const CAUSES: Record<Cause, () => { word: string; remedy: string }> = {
  http_error: () => ({
    word: t('Answered with an error'),
    remedy: t(
      'The receiver answered, but not with a status of 200 to 299. Its answer stands below: look there, and in the receiver’s own log.',
    ),
  }),
  timeout: () => ({
    word: t('No answer in time'),
    remedy: t(
      'The receiver did not answer within 20 seconds. Let it answer first and do its work after that.',
    ),
  }),
  dns: () => ({
    word: t('Host name unknown'),
    remedy: t(
      'The host name of the address cannot be found. Check its spelling, and that its domain has not expired.',
    ),
  }),
  tls: () => ({
    word: t('No secure connection'),
    remedy: t(
      'The certificate of the receiver is not valid for its host name, has expired, or is signed by nobody who is known. Renew it.',
    ),
  }),
  connection: () => ({
    word: t('Not reachable'),
    remedy: t(
      'No connection came about, or it broke off. Check that the receiver runs and that a firewall lets the gateway through.',
    ),
  }),
  address_refused: () => ({
    word: t('Address not allowed'),
    remedy: t(
      'The address leads into a private network, which the gateway does not call. Use a public one, or allow it with GATEWAY_ALLOW_DESTINATIONS.',
    ),
  }),
};

/** Every cause, as the filter offers it. */
export const CAUSE_NAMES = Object.keys(CAUSES) as Cause[];

export const causeWords = (cause: Cause): { word: string; remedy: string } => CAUSES[cause]();

export const isCause = (text: string): text is Cause => Object.hasOwn(CAUSES, text);

/** Why it failed in a few words: with the status where there was an answer. */
export function causeWord(outcome: string, httpStatus: number | null): string {
  if (httpStatus !== null) return `HTTP ${httpStatus}`;
  return isCause(outcome) ? causeWords(outcome).word : outcome;
}

interface Standing {
  state: string;
  /** Of its destination. */
  paused_at: string | null;
}

export function stateOf({ state, paused_at: pausedAt }: Standing): ListedState {
  if (state !== 'pending') return state as ListedState;
  return pausedAt === null ? 'waiting' : 'parked';
}

export function StateBadge({ of }: { of: Standing }): VNode {
  const state = stateOf(of);
  return <Badge tone={STATE_TONES[state]}>{stateWord(state)}</Badge>;
}
