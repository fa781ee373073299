import { type FastifyReply, type FastifyRequest } from 'fastify';
import { refusalOfFailure } from '../../cloud-api/failures';
import {
  databaseAway,
  internalError,
  malformedRequest,
  notFound,
  Refusal,
  TOO_SLOW,
  type Suspicion,
  unsupportedMediaType,
} from '../../errors';
import { logOf, randomHex } from '../../http/trace-context';
import { isDatabaseUnavailable } from '../../store/unavailable';
import { SECOND, type Clock } from '../../time';

/** Kinds of failures that are logged only at their start and end. */
const TOLD_ELSEWHERE = ['overloaded', 'stopping'];

/** How often the log repeats that the database is unavailable, which fails every request. */
const AWAY_TOLD = 5 * SECOND;

/**
 * Creates the responses to refusals and failures, and logs the relevant ones.
 * @param suspected called for a possible attack
 * @param credentialsRefused called for a line whose own credentials the platform refused
 */
export function errorAnswers(
  clock: Clock,
  suspected: (request: FastifyRequest, suspicion: Suspicion) => void = () => undefined,
  credentialsRefused: (lineId: number) => void = () => undefined,
) {
  let awayToldAt = Number.NEGATIVE_INFINITY;

  function isWorthALine(error: unknown, { status, errorCode }: Refusal): boolean {
    if (status < 500 || TOLD_ELSEWHERE.includes(errorCode)) return false;
    if (!isDatabaseUnavailable(error)) return true;
    const now = clock();
    const isDue = Math.abs(now - awayToldAt) >= AWAY_TOLD;
    if (isDue) awayToldAt = now;
    return isDue;
  }

  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refused = refusalOf(error, request);
    if (isWorthALine(error, refused)) {
      logOf(request).error(
        { error, method: request.method, route: request.routeOptions?.url, status: refused.status },
        'request failed',
      );
    }
    if (refused.suspicion) suspected(request, refused.suspicion);
    if (refused.errorCode === 'upstream_auth_failed' && request.line) credentialsRefused(request.line.id);
    if (refused.retryAfter !== undefined) reply.header('retry-after', String(refused.retryAfter));
    return reply
      .code(refused.status)
      .type('application/json; charset=utf-8')
      .send(errorBody(refused, request.id, request.token?.answers));
  };
}

/** A path with invalid escapes, or with a segment that is longer than any id. */
const UNREADABLE_PATH = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH'];

/** The response that a customer gets for a refusal or failure. */
export function refusalOf(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType();
  if (code && UNREADABLE_PATH.includes(code)) return notFound(pathOf(request));
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return malformedRequest('The body was not received whole.', 'Send the request again.');
  if (isDatabaseUnavailable(error)) return databaseAway();
  return refusalOfFailure(error) ?? internalError();
}

/**
 * The error body. An error object of the platform is inserted byte for byte.
 * @param answers `platform` for only the platform's fields
 */
export function errorBody(
  { errorCode, error, outcome, platformsOwn }: Refusal,
  requestId: string,
  answers?: 'platform' | null,
): string {
  if (answers === 'platform') return `{"error":${platformsOwn ?? platformError(error, requestId)}}`;
  const object = 'verbatim' in error ? error.verbatim : JSON.stringify({ ...error, fbtrace_id: requestId });
  const parts = [
    '"success":false',
    `"error_code":${JSON.stringify(errorCode)}`,
    ...(outcome ? [`"outcome":${JSON.stringify(outcome)}`] : []),
    `"error":${object}`,
    `"request_id":${JSON.stringify(requestId)}`,
  ];
  return `{${parts.join(',')}}`;
}

function platformError(error: Refusal['error'], requestId: string): string {
  if ('verbatim' in error) return error.verbatim;
  const { messaging_product: product, details = error.message } = error.error_data ?? {};
  const data = { messaging_product: product, details };
  return JSON.stringify({ ...error, error_data: data, fbtrace_id: requestId });
}

/** As the client wrote it, without the query, which may contain a token. */
export const pathOf = (request: FastifyRequest): string => request.originalUrl.split('?')[0] ?? '';

const UNREADABLE: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
  HPE_HEADER_OVERFLOW: 'The headers of the request are larger than 16 KB.',
};

/** @param code Node's error code */
export function unreadableRequest(code: string | undefined): string {
  const refused = malformedRequest(
    UNREADABLE[code ?? ''] ?? 'What arrived is not an HTTP request that can be read.',
  );
  return answerInBytes(refused, '400 Bad Request');
}

/** A raw HTTP response, for connections that cannot be answered in the usual way and are closed afterwards. */
export function answerInBytes(refused: Refusal, statusLine: string): string {
  const body = errorBody(refused, randomHex(16));
  return [
    `HTTP/1.1 ${statusLine}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
