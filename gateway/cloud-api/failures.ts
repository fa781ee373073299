import { refuse, Refusal, type ErrorObject } from '../errors';
import { memberText, withMember } from './json/exact-json';
import { at, parsed } from './json/json-value';
import { adviceBesideSends, documentedReason } from './failure-reasons';

/** An error answer of the platform: its HTTP status and the unchanged text of its `error` object. */
export interface UpstreamError {
  status: number;
  code: number;
  message: string;
  /** Null if the answer is not in the platform's error format. */
  verbatim: string | null;
  /** Seconds until the platform allows another request; null if it does not say. */
  retryAfter: number | null;
  /** The subject of the request; undefined for a send. */
  about?: RequestSubject | undefined;
}

/** A file, or another object that is not a message. Advice about sends fits neither. */
export type RequestSubject = 'file' | 'record';

/** The platform could not be reached, or did not answer a read. The request can be repeated. */
export class UpstreamUnreachable extends Error {
  override name = 'UpstreamUnreachable';
}

/** The request was sent and no answer arrived, so its outcome is unknown. */
export class UpstreamSilent extends Error {
  override name = 'UpstreamSilent';
  /** The error text for the customer. */
  said = {
    happened: 'The message was handed to the platform, which did not answer. It may have been sent.',
    action: 'Wait for its status before you send it again.',
  };
}

/** The platform answered that it did not carry out the request, without a reason. */
export class UpstreamDeclined extends Error {
  override name = 'UpstreamDeclined';
}

/** The platform answered with an error. */
export class UpstreamRefused extends Error {
  override name = 'UpstreamRefused';
  constructor(readonly answer: UpstreamError) {
    super(answer.message);
  }
}

/**
 * Real error bodies have a few hundred bytes. A longer body is from something else and is not shown to
 * customers.
 */
const LONGEST_ERROR_BODY = 64 * 1024;

/**
 * Reads an error answer. A body that is not in the platform's error format counts as code 2.
 * @param retryAfter the `Retry-After` header; only seconds are supported, as sent by the platform
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

/** Reads the platform's error body; null for anything else, such as a proxy's answer. */
function upstreamsOwn(text: string): Pick<UpstreamError, 'code' | 'message' | 'verbatim'> | null {
  const error = at(parsed(text), 'error') as Partial<ErrorObject> | null | undefined;
  const verbatim = error && memberText(text, 'error');
  if (!verbatim || !Number.isInteger(error.code)) return null;
  return { code: error.code as number, message: String(error.message), verbatim };
}

const seconds = (header: unknown): number | null =>
  typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : null;

/** Whether an error code says that the access token lacks a permission. */
export const lacksPermission = (code: number): boolean =>
  code === 3 || code === 10 || (code >= 200 && code <= 299);

/** Error codes for an invalid access token. */
export const BAD_TOKEN = [0, 190];
const THROTTLED = [4, 80007, 80008, 130429, 131056];

/** Error codes that match a refusal of the gateway. */
const SAME_AS_OURS: Record<number, string> = {
  131047: 'outside_24h_window',
  131048: 'line_quality_low',
  132000: 'template_params_mismatch',
  132001: 'template_not_found',
  132015: 'template_not_approved',
  132016: 'template_not_approved',
};

/**
 * Builds the customer's answer for an error of the platform: its own error object, with our status and error
 * code.
 */
export function refusalOfUpstream(answer: UpstreamError): Refusal {
  const { status, code, verbatim, retryAfter } = answer;
  const refused = (httpStatus: number, word: string) =>
    verbatim === null
      ? inItsPlace(httpStatus, word, answer)
      : Object.assign(new Refusal(httpStatus, word, { verbatim: withAction(answer, verbatim) }), {
          platformsOwn: verbatim,
        });
  const is4xx = status >= 400 && status < 500;
  // Never 401: the caller's token is valid, and clients drop their token after a 401.
  if (BAD_TOKEN.includes(code) || lacksPermission(code)) return refused(502, 'upstream_auth_failed');
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

/** Subcode for an object that does not exist or that this line cannot see. */
const OBJECT_MISSING = '33';
const CHECK_FILE =
  'Check the id. A file is found by the line that has it alone: 30 days after its upload, 7 days after a contact sent it.';
const CHECK_IDS =
  'Check the line’s phone number id and business account id, and that its access token of the platform has whatsapp_business_messaging and whatsapp_business_management for them.';

/** Returns the advice that fits the request. */
function adviceOn({ code, about }: UpstreamError, verbatim: string): string | undefined {
  const subcode = code === 100 ? memberText(verbatim, 'error_subcode') : null;
  if (subcode === OBJECT_MISSING) return about === 'file' ? CHECK_FILE : CHECK_IDS;
  // Refusals of templates all have code 100; their subcode says why.
  const action = (documentedReason(Number(subcode ?? NaN)) ?? documentedReason(code))?.action;
  return about === undefined ? action : action && adviceBesideSends(action);
}

/**
 * Adds the advice as `error_data.action` to the platform's error object and keeps all other bytes. If
 * `error_data` is not an object, it stays unchanged.
 */
function withAction(answer: UpstreamError, verbatim: string): string {
  const action = adviceOn(answer, verbatim);
  const data = memberText(verbatim, 'error_data') ?? '{}';
  if (action === undefined || !data.startsWith('{') || memberText(data, 'action') !== null) return verbatim;
  return withMember(verbatim, 'error_data', withMember(data, 'action', JSON.stringify(action)));
}

/** Whether the outcome is unknown: a proxy's server error does not tell what the platform did. */
export const isOutcomeUnknown = ({ status, verbatim }: UpstreamError): boolean =>
  verbatim === null && status >= 500;

/**
 * Returns the customer's answer after a failed call to the platform; null if the error is not from the
 * platform.
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
