import {
  refusalOfFailure,
  refusalOfUpstream,
  UpstreamSilent,
  UpstreamUnreachable,
} from '../cloud-api/failures';
import {
  apiDisabled,
  databaseAway,
  type ErrorObject,
  internalError,
  invalidJson,
  invalidPayload,
  invalidQuery,
  invalidToken,
  lineInactive,
  malformedRequest,
  missingToken,
  mistypedToken,
  overloaded,
  payloadTooLarge,
  Refusal,
  scopeMissing,
  tokenRateExceeded,
  tooManyWrongTokens,
  unsupportedMediaType,
} from '../errors';
import { SCOPES } from '../store/schema';
import { type Answer, type Operation } from './operation';
import { type Json } from './schema';

/** What every operation may answer: the checks that open a line, and what goes wrong anywhere. */
export const ANY: Refusal[] = [
  missingToken(),
  invalidToken(),
  mistypedToken(),
  lineInactive(),
  apiDisabled(),
  tooManyWrongTokens(20, 3),
  databaseAway(),
  overloaded('its disk is almost full'),
  internalError(),
];

/** Of operations that read, and of those that change something beside sending: each has its rate. */
export const READS = tokenRateExceeded('reads', 600, 1);
export const CHANGES = tokenRateExceeded('changes', 60, 1);

/** Of operations that take a body, whatever they do with it. */
export const WITH_BODY: Refusal[] = [
  invalidJson('look at line 1, column 8: a comma, a quote or a bracket may be missing or too many.'),
  malformedRequest('The body was not received whole.', 'Send the request again.'),
  unsupportedMediaType(),
  payloadTooLarge('1 MB'),
];

export const badPayload = (path: string, rule: string, message: string): Refusal =>
  invalidPayload([{ path, rule, message, code: rule === 'required' ? 131008 : 131009 }]);

export const badQuery = (details: string): Refusal[] => [invalidQuery(details)];

/** What upstream may answer to anything: read by the same rules as its real answers. */
const OF_UPSTREAM: Refusal[] = [
  ofUpstream(401, 190, 'Invalid OAuth access token data.'),
  ofUpstream(400, 130429, '(#130429) Rate limit hit'),
  ofUpstream(500, 131000, '(#131000) Something went wrong'),
];

/** Nobody could be asked, or nobody answered. */
const failures = (): Refusal[] =>
  [new UpstreamUnreachable(), new UpstreamSilent()].flatMap((failure) => refusalOfFailure(failure) ?? []);

/** Of operations that hand a request on and answer what upstream answers. */
export const FORWARDED: Refusal[] = [...OF_UPSTREAM, ...failures()];

/** Upstream's own refusals, whose status is kept. */
export const KEPT: Refusal[] = [
  ofUpstream(400, 131026, '(#131026) Message undeliverable'),
  ofUpstream(400, 131047, '(#131047) Re-engagement message'),
  ofUpstream(400, 131048, '(#131048) Spam rate limit hit'),
  ofUpstream(400, 132000, '(#132000) Number of parameters does not match the expected number of params'),
  ofUpstream(404, 132001, '(#132001) Template name does not exist in the translation'),
  ofUpstream(400, 132015, '(#132015) Template is paused'),
];

/** Of a refresh that failed where nothing is stored to answer with: 502, whatever upstream said. */
export const REFRESHED: Refusal[] = [...OF_UPSTREAM, ...KEPT, ...failures()].map(
  ({ errorCode, error }) => new Refusal(502, errorCode, error),
);

function ofUpstream(status: number, code: number, message: string): Refusal {
  const error = { message, type: 'OAuthException', code, fbtrace_id: 'AXJv9EYO5a_DEvg5qOAwEqM' };
  return refusalOfUpstream({ status, code, message, verbatim: JSON.stringify(error), retryAfter: null });
}

const isVerbatim = ({ error }: Refusal): boolean => 'verbatim' in error;

/** The statuses that upstream's own refusal may have beside those that are described one by one. */
const OTHERS = '4XX';

/** What an operation answers when it is refused, by status. */
export function refusedAnswers(operation: Operation): Record<string, Answer> {
  const { scope, keepsUpstreamStatus } = operation;
  const others = SCOPES.filter((one) => one !== scope);
  const refusals = [...operation.refusals, scopeMissing(scope, others)];
  const byStatus = Map.groupBy(refusals, ({ status }) => String(status));
  const answers: [string, Answer][] = Array.from(byStatus, ([status, ones]) => {
    // Never a 401: the caller's token is fine.
    const mayBeOfPlatform = /^4(?!01)/.test(status) && keepsUpstreamStatus === true;
    return [status, answerOf(ones, mayBeOfPlatform)];
  });
  if (keepsUpstreamStatus) answers.push([OTHERS, keptAnswer()]);
  return Object.fromEntries(answers);
}

/** @param mayBeOfPlatform whether the platform's own refusals may come with that status too */
function answerOf(refusals: Refusal[], mayBeOfPlatform: boolean): Answer {
  const bodies = Map.groupBy(refusals, isVerbatim);
  const schemas = Array.from(bodies, ([verbatim, ones]) =>
    bodySchema(
      ones.map(({ errorCode }) => errorCode),
      verbatim ? 'PlatformRefusal' : 'GatewayRefusal',
    ),
  );
  if (mayBeOfPlatform) schemas.push({ $ref: '#/components/schemas/KeptRefusal' });
  const [only] = schemas;
  const retry = refusals.find(({ retryAfter }) => retryAfter !== undefined);
  return {
    description: [
      ...Array.from(
        Map.groupBy(refusals, ({ errorCode }) => errorCode),
        ([word, [first]]) => `- \`${word}\`: ${first ? sentenceOf(first) : ''}`,
      ),
      ...(mayBeOfPlatform ? [`- what the platform itself refuses: see ${OTHERS}`] : []),
    ].join('\n'),
    schema: schemas.length === 1 && only ? only : { anyOf: schemas },
    examples: examplesOf(refusals),
    ...(retry && {
      headers: {
        'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
      },
    }),
  };
}

/** The platform's own refusals, which keep their status. */
function keptAnswer(): Answer {
  const { description, ...answer } = answerOf(KEPT, false);
  return {
    ...answer,
    description: `What the platform itself refuses keeps its status:\n${description}`,
    schema: 'KeptRefusal',
  };
}

const bodySchema = (words: string[], body: 'PlatformRefusal' | 'GatewayRefusal'): Json => ({
  allOf: [
    { $ref: `#/components/schemas/${body}` },
    { properties: { error_code: { enum: [...new Set(words)] } } },
  ],
});

const refusalBody = (error: 'PlatformError' | 'GatewayError'): Json => ({
  type: 'object',
  required: ['success', 'error_code', 'error', 'request_id'],
  properties: {
    success: { type: 'boolean', enum: [false] },
    error_code: { type: 'string', description: 'The word to branch on; it stays the same for good.' },
    outcome: {
      type: 'string',
      enum: ['unknown'],
      description: 'The message was handed to the platform, which did not answer. It may have been sent.',
    },
    error: { $ref: `#/components/schemas/${error}` },
    request_id: { type: 'string', description: "Under this id the gateway's log has the request." },
  },
});
/** What the customer reads first: what to do, or the words of upstream. */
const sentenceOf = ({ message, error }: Refusal): string =>
  'verbatim' in error
    ? (JSON.parse(error.verbatim) as ErrorObject).message
    : (error.error_data?.details ?? message);

/** One example of each refusal, by its word. */
function examplesOf(refusals: Refusal[]) {
  const byWord = Map.groupBy(refusals, ({ errorCode }) => errorCode);
  return Object.fromEntries(
    Array.from(byWord).flatMap(([word, ones]) =>
      ones.map((one, index) => [
        index ? `${word}_${index + 1}` : word,
        { summary: `${word}: ${titleOf(one)}`, value: bodyOf(one) },
      ]),
    ),
  );
}

const titleOf = (one: Refusal): string =>
  ('verbatim' in one.error ? sentenceOf(one) : one.message).replace(/^\(#\d+\) /, '');

const REQUEST_ID = '0b0f2c1e-7d0a-4f0e-9d61-2f6f3a6d8c55';

const bodyOf = ({ errorCode, error, outcome }: Refusal): Json => ({
  success: false,
  error_code: errorCode,
  ...(outcome && { outcome }),
  error: 'verbatim' in error ? JSON.parse(error.verbatim) : { ...error, fbtrace_id: REQUEST_ID },
  request_id: REQUEST_ID,
});

const ACTION: Json = { type: 'string', description: 'What to do about it, in a sentence for a person.' };

/** The `error` object of a refusal of the gateway's own. */
const GatewayError: Json = {
  type: 'object',
  description: "The gateway's own refusal, in the form that the platform's clients read.",
  required: ['message', 'type', 'code', 'error_data', 'fbtrace_id'],
  properties: {
    message: { type: 'string' },
    type: { type: 'string' },
    code: { type: 'integer', description: "The platform's number for this kind of error." },
    error_data: {
      type: 'object',
      required: ['messaging_product', 'details'],
      properties: {
        messaging_product: { type: 'string', enum: ['whatsapp'] },
        details: { type: 'string', description: 'What is wrong and what to do next, in a sentence.' },
        action: ACTION,
        fields: {
          type: 'array',
          description: 'Everything that is wrong with the body.',
          items: {
            type: 'object',
            required: ['path', 'rule', 'message'],
            properties: {
              path: { type: 'string', example: 'text.body' },
              rule: { type: 'string', example: 'required' },
              message: { type: 'string' },
            },
          },
        },
      },
    },
    fbtrace_id: { type: 'string' },
  },
};

/** The `error` object of upstream, which is handed on as it came but for what to do about it. */
const PlatformError: Json = {
  type: 'object',
  description:
    "The platform's own error, handed on as it came. Where the gateway knows what to do about it, `error_data.action` is added.",
  required: ['code'],
  properties: {
    message: { type: 'string' },
    type: { type: 'string' },
    code: { type: 'integer' },
    error_subcode: { type: 'integer' },
    error_data: {
      description: 'The platform may put a text here in place of an object.',
      anyOf: [
        {
          type: 'object',
          nullable: true,
          properties: { details: {}, action: ACTION },
          additionalProperties: true,
        },
        { type: 'string' },
      ],
    },
    fbtrace_id: { type: 'string' },
  },
  additionalProperties: true,
};

/** What a path that is unknown answers, and a method that a path does not have. */
const Refused: Json = {
  type: 'object',
  description: 'The answer to a path or a method that is none of this API: 404 and 405.',
  required: ['success', 'error_code', 'error', 'request_id'],
  properties: {
    success: { type: 'boolean', enum: [false] },
    error_code: { type: 'string', example: 'not_found' },
    error: { $ref: '#/components/schemas/GatewayError' },
    request_id: { type: 'string' },
  },
};

export const ERROR_OBJECTS = {
  GatewayError,
  PlatformError,
  GatewayRefusal: refusalBody('GatewayError'),
  PlatformRefusal: refusalBody('PlatformError'),
  KeptRefusal: bodySchema(
    KEPT.map(({ errorCode }) => errorCode),
    'PlatformRefusal',
  ),
  Refused,
};
