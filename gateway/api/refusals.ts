import {
  refusalOfFailure,
  refusalOfUpstream,
  UpstreamSilent,
  UpstreamUnreachable,
} from '../cloud-api/failures';
import { invalidPayload, invalidQuery, type Refusal } from '../errors';

/** Refusals that several operations declare (`Operation.refusals`). */

export const badPayload = (path: string, rule: string, message: string): Refusal =>
  invalidPayload([{ path, rule, message, code: rule === 'required' ? 131008 : 131009 }]);

/** For operations with a validated query. */
export const BAD_QUERY = invalidQuery('limit is "0"; it takes a whole number from 1 to 500.');

/** Errors that the platform may return to any request, parsed by the same rules as real ones. */
const OF_PLATFORM: Refusal[] = [
  ofPlatform(401, 190, 'Invalid OAuth access token data.'),
  ofPlatform(400, 130429, '(#130429) Rate limit hit'),
  ofPlatform(500, 131000, '(#131000) Something went wrong'),
];

/** The platform was unreachable, or did not respond. */
const failures = (): Refusal[] =>
  [new UpstreamUnreachable(), new UpstreamSilent()].flatMap((failure) => refusalOfFailure(failure) ?? []);

/** For operations that forward a request and return the platform's response. */
export const FORWARDED: Refusal[] = [...OF_PLATFORM, ...failures()];

/** The platform's own refusals, whose status is kept. */
export const KEPT: Refusal[] = [
  ofPlatform(400, 131026, '(#131026) Message undeliverable'),
  ofPlatform(400, 131047, '(#131047) Re-engagement message'),
  ofPlatform(400, 131048, '(#131048) Spam rate limit hit'),
  ofPlatform(400, 132000, '(#132000) Number of parameters does not match the expected number of params'),
  ofPlatform(404, 132001, '(#132001) Template name does not exist in the translation'),
  ofPlatform(400, 132015, '(#132015) Template is paused'),
];

/** For a failed refresh without stored data: 502 for any platform error. */
export const REFRESHED: Refusal[] = [...OF_PLATFORM, ...KEPT, ...failures()].map((refused) =>
  refused.as(502),
);

function ofPlatform(status: number, code: number, message: string): Refusal {
  const error = { message, type: 'OAuthException', code, fbtrace_id: 'AXJv9EYO5a_DEvg5qOAwEqM' };
  return refusalOfUpstream({ status, code, message, verbatim: JSON.stringify(error), retryAfter: null });
}
