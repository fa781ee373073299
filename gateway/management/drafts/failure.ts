import { refusalOfFailure } from '../../cloud-api/failures';
import { documentedReason } from '../../cloud-api/failure-reasons';
import { inside, parsed, textOf } from '../../cloud-api/json/json-value';
import { internalError, Refusal } from '../../errors';
import { type Sayable } from '../../wording/facts';

/** The most characters of a text of the platform. */
const LONGEST = 500;

/** Why a submission failed, as sentences: what happened, and what to do. @returns null for a fault of the gateway */
export function failureOf(error: unknown): Sayable[] | null {
  const refusal = error instanceof Refusal ? error : refusalOfFailure(error);
  if (!refusal) return null;
  if ('verbatim' in refusal.error) return platformsOwn(refusal.error.verbatim);
  if (refusal.issues) return refusal.issues.map(({ fact, message }) => fact ?? message);
  return sentencesOf(refusal);
}

export const faultOfGateway = (): Sayable[] => sentencesOf(internalError());

const sentencesOf = ({ said, message }: Refusal): Sayable[] =>
  said ? [said.happened, ...(said.action === undefined ? [] : [said.action])] : [message];

/** The platform's error: its text for users, or else ours about its code, or else its message. */
function platformsOwn(verbatim: string): Sayable[] {
  const error = parsed(verbatim);
  const field = (name: string) => textOf((error as Record<string, unknown>)[name]).slice(0, LONGEST);
  const reason = documentedReason(Number(field('error_subcode') || NaN));
  const action = textOf(inside(error, 'error_data').action);
  return [field('error_user_msg') || (reason?.reason ?? field('message')), ...(action ? [action] : [])];
}
