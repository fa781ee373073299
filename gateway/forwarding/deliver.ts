import { performance } from 'node:perf_hooks';
import { hiddenInHeader, hiddenInUrl, hiding } from '../http/hidden-parts';
import { type HttpClient } from '../http/http-client';
import { traceOfEvent, traceparent } from '../http/trace-context';
import { type FAILED_OUTCOMES } from '../store/schema';
import { SECOND, type Clock } from '../time';
import { isOfCustomer, stillSigning, type Destination } from './destination';
import { signatureHeaders } from './signatures';

/** For the whole exchange: connect, send, and read the full response. */
const EXCHANGE_TIMEOUT = 20 * SECOND;

/** The result of one attempt. */
export interface Outcome {
  /** `delivered`, or the kind of failure. */
  outcome: 'delivered' | (typeof FAILED_OUTCOMES)[number];
  /** Null if no response arrived. */
  httpStatus: number | null;
  /** The beginning of the response with secret parts of the request removed, or the error. */
  answer: string;
  startedAt: number;
  durationMs: number;
  /** The wait that the receiver requests, in milliseconds; null if none. */
  retryAfter: number | null;
}

/** The event to deliver: its id and bytes. */
export interface DeliveryRequest {
  eventId: string;
  body: string;
  /** From 1. */
  attempt: number;
  /** Phone number id of the line. */
  line: string;
  /** Whether automations were paused for the contact when the event was recorded. */
  isAutomationPaused?: boolean;
  /** The id of the ended question that the event answers; null if none. */
  lateAnswerTo?: string | null;
}

/**
 * The headers of one attempt. The panel shows them without secrets.
 * @param own the destination's custom headers @param ofBody length and signatures of the body
 */
export function headersOf(
  { eventId, attempt, line, isAutomationPaused, lateAnswerTo = null }: Omit<DeliveryRequest, 'body'>,
  own: Record<string, string>,
  ofBody: Record<string, string>,
): Record<string, string> {
  const headers: Record<string, string> = {
    ...own,
    'content-type': 'application/json',
    ...ofBody,
    'user-agent': 'Messaging-Gateway',
    traceparent: traceparent(traceOfEvent(eventId)),
    'x-gateway-line': line,
    'x-gateway-attempt': String(attempt),
  };
  if (isAutomationPaused) headers['x-gateway-automation'] = 'paused';
  if (lateAnswerTo !== null) headers['x-gateway-late-answer-to'] = lateAnswerTo;
  return headers;
}

/** Sends one event to one destination with a single POST. Never throws: every failure is an outcome. */
export async function deliver(
  http: HttpClient,
  destination: Destination,
  request: DeliveryRequest,
  clock: Clock,
): Promise<Outcome> {
  const [startedAt, began] = [clock(), performance.now()];
  const bytes = Buffer.from(request.body);
  const took = () => ({ startedAt, durationMs: Math.round(performance.now() - began) });
  try {
    const answer = await http.exchange({
      method: 'POST',
      url: destination.url,
      body: bytes,
      headers: headersOf(request, destination.headers, {
        'content-length': String(bytes.length),
        ...signatureHeaders(secretsOf(destination, startedAt), request.eventId, startedAt, bytes),
      }),
      timeout: EXCHANGE_TIMEOUT,
      isForCustomer: isOfCustomer(destination),
    });
    return {
      outcome: answer.status >= 200 && answer.status <= 299 ? 'delivered' : 'http_error',
      httpStatus: answer.status,
      answer: hidingParts(destination)(answer.data.toString('utf8')),
      retryAfter: retryAfterOf(String(answer.headers['retry-after'] ?? ''), startedAt),
      ...took(),
    };
  } catch (error) {
    return {
      outcome: causeOf(error),
      httpStatus: null,
      answer: hidingParts(destination)(describe(error)),
      retryAfter: null,
      ...took(),
    };
  }
}

const secretsOf = (destination: Destination, now: number): [string, ...string[]] => [
  destination.secret,
  ...stillSigning(destination, now).map(({ secret }) => secret),
];

/** Bytes of a destination's response that are read and stored. */
export const DESTINATION_ANSWER_LIMIT = 16 * 1024;

const hidings = new WeakMap<Destination, (text: string) => string>();

/**
 * Removes the path, query and header values of the destination from a response that echoes them: viewers may not see
 * these.
 */
function hidingParts(destination: Destination): (text: string) => string {
  const known = hidings.get(destination);
  if (known) return known;
  const { url, headers } = destination;
  const made = hiding([...hiddenInUrl(url), ...Object.values(headers).flatMap(hiddenInHeader)]);
  hidings.set(destination, made);
  return made;
}

const describe = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'The connection failed';
};

/** Error codes of a host name that does not resolve. */
export const DNS_CODES = ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA'];

function causeOf(error: unknown): Outcome['outcome'] {
  const { name, code = '' } = error as { name?: string; code?: string };
  if (name === 'AddressRefused') return 'address_refused';
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  if (DNS_CODES.includes(code)) return 'dns';
  return /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)|EPROTO/.test(code)
    ? 'tls'
    : 'connection';
}

/** The date format of HTTP. `Date.parse` alone also accepts `-1` or `soon, in 3000`. */
const HTTP_DATE = /^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? .*\d{2}:\d{2}:\d{2}/;

/** Parses `Retry-After`, in seconds or as a date. */
function retryAfterOf(header: string, now: number): number | null {
  if (/^\d+$/.test(header)) return Number(header) * SECOND;
  const date = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
