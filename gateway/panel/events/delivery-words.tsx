import { type VNode } from 'preact';
import { type Outcome } from '../../forwarding/deliver';
import { type ListedState } from '../../store/reports/delivery-list';
import { type EventTable } from '../../store/schema';
import { Badge, type Tone } from '../ui/parts';

/** The states of deliveries, as the filter names them. */
export const STATE_WORDS: Record<ListedState, { word: string; tone: Tone }> = {
  waiting: { word: 'Waiting', tone: 'info' },
  in_flight: { word: 'Under way', tone: 'info' },
  parked: { word: 'Parked', tone: 'warn' },
  delivered: { word: 'Delivered', tone: 'good' },
  dead: { word: 'Dead', tone: 'bad' },
  canceled: { word: 'Canceled', tone: 'idle' },
};

type Cause = Exclude<Outcome['outcome'], 'delivered'>;

/** Why an attempt failed, and what helps. */
export const CAUSE_WORDS: Record<Cause, { word: string; remedy: string }> = {
  http_error: {
    word: 'Answered with an error',
    remedy:
      'The receiver answered, but not with a status of 200 to 299. Its answer stands below: look there, and in the receiver’s own log.',
  },
  timeout: {
    word: 'No answer in time',
    remedy: 'The receiver did not answer within 20 seconds. Let it answer first and do its work after that.',
  },
  dns: {
    word: 'Host name unknown',
    remedy:
      'The host name of the address cannot be found. Check its spelling, and that its domain has not expired.',
  },
  tls: {
    word: 'No secure connection',
    remedy:
      'The certificate of the receiver is not valid for its host name, has expired, or is signed by nobody who is known. Renew it.',
  },
  connection: {
    word: 'Not reachable',
    remedy:
      'No connection came about, or it broke off. Check that the receiver runs and that a firewall lets the gateway through.',
  },
  address_refused: {
    word: 'Address not allowed',
    remedy:
      'The address leads into a private network, which the gateway does not call. Use a public one, or allow it with GATEWAY_ALLOW_DESTINATIONS.',
  },
};

export const isCause = (text: string): text is Cause => Object.hasOwn(CAUSE_WORDS, text);

/** Why it failed in a few words: with the status where there was an answer. */
export function causeWord(outcome: string, httpStatus: number | null): string {
  if (httpStatus !== null) return `HTTP ${httpStatus}`;
  return isCause(outcome) ? CAUSE_WORDS[outcome].word : outcome;
}

interface Standing {
  state: string;
  attempts: number;
  paused_at: string | null;
  failing_since: string | null;
}

export function stateOf({
  state,
  attempts,
  paused_at: paused,
  failing_since: failing,
}: Standing): ListedState {
  if (state !== 'pending') return state as ListedState;
  if (paused !== null) return 'parked';
  return attempts === 0 && failing === null ? 'in_flight' : 'waiting';
}

export function StateBadge({ of }: { of: Standing }): VNode {
  const { word, tone } = STATE_WORDS[stateOf(of)];
  return <Badge tone={tone}>{word}</Badge>;
}

/** What an event tells, in words. */
export function eventWord({ subject, kind }: Pick<EventTable, 'subject' | 'kind'>): string {
  if (subject === 'message') return `Message: ${kind}`;
  if (subject === 'messageStatus') return `Status: ${kind}`;
  if (subject === 'notification') return kind === 'gathered' ? 'Gathered messages' : 'Whole notification';
  return `Account: ${kind}`;
}
