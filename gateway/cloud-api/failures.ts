import { refuse, Refusal, type ErrorObject } from '../errors';
import { memberText, withMember } from './json/exact-json';
import { at, parsed } from './json/json-value';
import { adviceBesideSends, documentedReason } from './failure-reasons';

/** An answer of the platform that is an error: its HTTP status and the bytes of its `error` object. */
export interface UpstreamError {
  status: number;
  code: number;
  message: string;
  /** Null if it did not answer with an error of its own. */
  verbatim: string | null;
  /** The number of seconds after which the platform allows another request, if it says so. */
  retryAfter: number | null;
  /** What the platform was asked for, if not to send a message. */
  about?: RequestSubject | undefined;
}

/** A file by its id, or anything else that is no message: advice on sends fits neither. */
export type RequestSubject = 'file' | 'record';

/** The platform could not be reached, or did not answer a read: the request may be repeated. */
export class UpstreamUnreachable extends Error {
  override name = 'UpstreamUnreachable';
}

/** The request was handed over and no answer came: its outcome is unknown. */
export class UpstreamSilent extends Error {
  override name = 'UpstreamSilent';
  /** What the customer reads. */
  said = {
    happened: 'The message was handed to the platform, which did not answer. It may have been sent.',
    action: 'Wait for its status before you send it again.',
  };
}

/** The platform answered that it did not carry out the request, without a reason. */
export class UpstreamDeclined extends Error {
  override name = 'UpstreamDeclined';
}

/** An answer in which the platform refuses or fails. */
export class UpstreamRefused extends Error {
  override name = 'UpstreamRefused';
  constructor(readonly answer: UpstreamError) {
    super(answer.message);
  }
}

/**
 * The platform's error bodies are a few hundred bytes; one beyond this comes from something else, and goes to no
 * customer.
 */
const LONGEST_ERROR_BODY = 64 * 1024;

/**
 * Reads an answer that is not a success. Something that is not the platform's error body counts as code 2.
 * @param retryAfter the header `Retry-After`; only seconds are read of it, which is what the platform writes
 */
export function readUpstreamError(
  status: number,
  text: string,
  retryAfter?: unknown,
  about?: RequestSubject,
): UpstreamError {
  const common = { status, retryAfter: seconds(retryAfter), about };
  const own = text.length > LONGEST_ERROR_BODY ? null : upstreamsOwn(text);
  if (own) return { ...common, ...own };
  return {
    ...common,
    code: 2,
    message: `The platform answered HTTP ${status} without an error`,
    verbatim: null,
  };
}

/** Null for anything but the platform's error body, as when a proxy between answers in the platform's place. */
function upstreamsOwn(text: string): Pick<UpstreamError, 'code' | 'message' | 'verbatim'> | null {
  const error = at(parsed(text), 'error') as Partial<ErrorObject> | null | undefined;
  const verbatim = error && memberText(text, 'error');
  if (!verbatim || !Number.isInteger(error.code)) return null;
  return { code: error.code as number, message: String(error.message), verbatim };
}

const seconds = (header: unknown): number | null =>
  typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : null;

/** The platform's codes by which it refuses the line's own credentials, besides 200 to 299. */
const CREDENTIALS = [0, 3, 10, 190];
const THROTTLED = [4, 80007, 130429, 131056];

/** The platform's codes that say the same as a refusal of ours. */
const SAME_AS_OURS: Record<number, string> = {
  131047: 'outside_24h_window',
  131048: 'line_quality_low',
  132000: 'template_params_mismatch',
  132001: 'template_not_found',
  132015: 'template_not_approved',
  132016: 'template_not_approved',
};

/** What a customer is answered when the platform refuses: its own error object, with our status and word. */
export function refusalOfUpstream(answer: UpstreamError): Refusal {
  const { status, code, verbatim, retryAfter } = answer;
  const refused = (httpStatus: number, word: string) =>
    verbatim === null
      ? inItsPlace(httpStatus, word, answer)
      : Object.assign(new Refusal(httpStatus, word, { verbatim: withAction(answer, verbatim) }), {
          platformsOwn: verbatim,
        });
  const is4xx = status >= 400 && status < 500;
  // The caller's token is fine, so this is never a 401: a platform client would throw its token away.
  if (CREDENTIALS.includes(code) || (code >= 200 && code <= 299)) return refused(502, 'upstream_auth_failed');
  const word = SAME_AS_OURS[code];
  if (THROTTLED.includes(code) || (status === 429 && !word))
    return Object.assign(refused(429, 'upstream_rate_limited'), retryAfter !== null && { retryAfter });
  if (word) return refused(is4xx && status !== 401 && status !== 429 ? status : 400, word);
  if (!is4xx) return refused(502, 'upstream_unavailable');
  return status === 401 ? refused(502, 'upstream_auth_failed') : refused(status, 'upstream_error');
}

const inItsPlace = (httpStatus: number, word: string, answer: UpstreamError): Refusal =>
  refuse(
    [httpStatus, word, 2, answer.message],
    'Something between the gateway and the platform answered in its place.',
    'Try again in a moment; if it was a message, it may have been sent: wait for its status first.',
    isOutcomeUnknown(answer) ? { outcome: 'unknown' } : {},
  );

/** The subcode of an object that the platform does not have, or does not show to this line. */
const OBJECT_MISSING = '33';
const CHECK_FILE =
  'Check the id. A file is found by the line that has it alone: 30 days after its upload, 7 days after a contact sent it.';
const CHECK_IDS =
  'Check the line’s phone number id and business account id, and that its access token of the platform has whatsapp_business_messaging and whatsapp_business_management for them.';

/** Advice on a refusal, in words that fit the request. */
function adviceOn({ code, about }: UpstreamError, verbatim: string): string | undefined {
  if (code === 100 && memberText(verbatim, 'error_subcode') === OBJECT_MISSING)
    return about === 'file' ? CHECK_FILE : CHECK_IDS;
  const action = documentedReason(code)?.action;
  return about === undefined ? action : action && adviceBesideSends(action);
}

/**
 * The platform's own object with what to do about it, if known, as `error_data.action`: one member more, and
 * every byte of it as it came. Where the platform puts something else than an object there, that stays.
 */
function withAction(answer: UpstreamError, verbatim: string): string {
  const action = adviceOn(answer, verbatim);
  const data = memberText(verbatim, 'error_data') ?? '{}';
  if (action === undefined || !data.startsWith('{') || memberText(data, 'action') !== null) return verbatim;
  return withMember(verbatim, 'error_data', withMember(data, 'action', JSON.stringify(action)));
}

/** A server error from a proxy says nothing about what the platform did. */
export const isOutcomeUnknown = ({ status, verbatim }: UpstreamError): boolean =>
  verbatim === null && status >= 500;

/**
 * The answer to a customer after a failed call to the platform; null if the error is not from the platform.
 */
export function refusalOfFailure(error: unknown): Refusal | null {
  if (error instanceof UpstreamRefused) return refusalOfUpstream(error.answer);
  if (error instanceof UpstreamUnreachable) {
    return refuse(
      [503, 'upstream_unavailable', 2, 'Platform unreachable'],
      'The platform cannot be reached. Nothing was sent.',
      'Try again in a moment.',
      { retryAfter: 5 },
    );
  }
  if (error instanceof UpstreamDeclined) {
    return refuse(
      [502, 'upstream_unavailable', 2, 'Platform declined'],
      'The platform did not do what it was asked to, and did not say why.',
      'Try again in a moment.',
    );
  }
  if (error instanceof UpstreamSilent) {
    const { happened, action } = error.said;
    return refuse([504, 'upstream_timeout', 2, 'Platform did not answer'], happened, action, {
      outcome: 'unknown',
    });
  }
  return null;
}
