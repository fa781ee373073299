import { type DestinationRow } from '../store/tables/destinations';
import { type Fact, type Said } from '../wording/facts';

/** The stored cause of a failed attempt: its outcome, or for example `HTTP 500`. */
export const failureOf = ({ outcome, httpStatus }: { outcome: string; httpStatus: number | null }): string =>
  httpStatus === null ? outcome : `HTTP ${httpStatus}`;

/** Why a destination is paused; null if it is not. */
export const saidOfPause = ({
  paused_fact: fact,
  paused_because: prose,
}: Pick<DestinationRow, 'paused_fact' | 'paused_because'>): Said | null =>
  fact === null ? prose : (JSON.parse(fact) as Fact);

/** Failures that reveal which names and addresses exist in the gateway's network. */
const INTERNAL = ['dns', 'address_refused'];

/** The failure as customers see it, without internal causes. */
export const publicFailure = (failure: string | null): string | null =>
  failure !== null && INTERNAL.includes(failure) ? 'connection' : failure;

/** The reason of a pause as customers see it, without internal causes. */
export function publicReason(said: Said | null): Said | null {
  // Earlier versions wrote the cause into the sentence.
  if (typeof said === 'string') return said.replace(/ \(last: [^)]*\)/, '');
  if (said?.word !== 'paused.undeliverable') return said;
  const { last } = said.values;
  return { ...said, values: { ...said.values, last: publicFailure(last) ?? last } };
}
