import { LARGE_BODIES, LISTS, TRANSFERS } from '../api/http/line-slots';
import { MESSAGE_LIMIT, type Answer, type OperationDescription } from '../api/operation';
import { parameterNames, PATH_PARAMETERS } from '../api/path-parameters';
import { KEPT } from '../api/refusals';
import {
  adminTokenInvalid,
  adminTokenMissing,
  apiDisabled,
  customerSuspended,
  databaseAway,
  type ErrorObject,
  formEncoded,
  internalError,
  invalidJson,
  invalidToken,
  lineInactive,
  lineRateExceeded,
  malformedRequest,
  missingToken,
  mistypedToken,
  notFound,
  overloaded,
  payloadTooLarge,
  permissionMissing,
  type Refusal,
  scopeMissing,
  tokenRateExceeded,
  tokenSuspended,
  tooManyWrongTokens,
  unsupportedMediaType,
} from '../errors';
import { inWords } from '../http/arriving-bodies';
import { type Json } from '../cloud-api/json/json-value';

/** General failures. */
const FAILURES: Refusal[] = [
  tooManyWrongTokens(20, 3),
  databaseAway(),
  overloaded('its disk is almost full'),
  internalError(),
];

/** Refusals that every operation of an API may return. */
export interface CommonRefusals {
  /** Token checks and general failures. */
  ofAll: Refusal[];
  ofRate: Partial<Record<OperationDescription['rate'], Refusal>>;
}

export const OF_LINE: CommonRefusals = {
  ofAll: [
    missingToken(),
    invalidToken(),
    mistypedToken(),
    customerSuspended(),
    lineInactive(),
    apiDisabled(),
    scopeMissing('destinations', ['send', 'read']),
    ...FAILURES,
  ],
  ofRate: {
    sends: lineRateExceeded(80, 1),
    reads: tokenRateExceeded('line', 'reads', 600, 1),
    changes: tokenRateExceeded('line', 'changes', 60, 1),
  },
};

export const OF_ADMIN: CommonRefusals = {
  ofAll: [
    adminTokenMissing(),
    adminTokenInvalid(),
    mistypedToken(),
    tokenSuspended(),
    permissionMissing('gateway', ['events.read']),
    ...FAILURES,
  ],
  ofRate: {
    reads: tokenRateExceeded('admin', 'reads', 6000, 1),
    changes: tokenRateExceeded('admin', 'changes', 600, 1),
  },
};

/** Refusals of operations with a JSON body. */
const WITH_BODY: Refusal[] = [
  invalidJson('look at line 1, column 8: a comma, a quote or a bracket may be missing or too many.'),
  malformedRequest('The body was not received whole.', 'Send the request again.'),
  unsupportedMediaType(),
  formEncoded(),
];

/** Refusal of operations whose path requires ids in a certain format. */
const UNKNOWN_PATH = notFound('/v22.0/unknown');

const isVerbatim = ({ error }: Refusal): boolean => 'verbatim' in error;

/** Range for statuses of the platform that the document doesn't list one by one. */
const OTHERS = '4XX';

/** Every refusal of an operation: its own, and the ones implied by its properties. */
function refusalsOf(
  { method, path, rate, body, bodyLimit, isTransfer, isList, refusals }: OperationDescription,
  { ofAll, ofRate }: CommonRefusals,
): Refusal[] {
  const takesJson = method !== 'get' && body?.contentType === undefined;
  return [
    ...ofAll,
    ...(ofRate[rate] ? [ofRate[rate]] : []),
    ...(takesJson ? [...WITH_BODY, payloadTooLarge(inWords(bodyLimit ?? MESSAGE_LIMIT))] : []),
    ...(bodyLimit === undefined ? [] : [LARGE_BODIES.refusal()]),
    ...(isTransfer ? [TRANSFERS.refusal()] : []),
    ...(isList ? [LISTS.refusal()] : []),
    ...(parameterNames(path).some((name) => PATH_PARAMETERS[name]?.pattern) ? [UNKNOWN_PATH] : []),
    ...refusals(),
  ];
}

/**
 * The error responses of an operation, by HTTP status.
 */
export function refusedAnswers(
  operation: OperationDescription,
  common: CommonRefusals,
): Record<string, Answer> {
  const { keepsPlatformStatus } = operation;
  const byStatus = Map.groupBy(refusalsOf(operation, common), ({ status }) => String(status));
  const answers: [string, Answer][] = Array.from(byStatus, ([status, ones]) => {
    // A 401 of the platform never keeps its status: the caller's token is valid.
    const mayBeOfPlatform = /^4(?!01)/.test(status) && keepsPlatformStatus === true;
    return [status, answerOf(ones, mayBeOfPlatform)];
  });
  if (keepsPlatformStatus) answers.push([OTHERS, keptAnswer()]);
  return Object.fromEntries(answers);
}

/** @param mayBeOfPlatform whether the platform's own refusals may have this status too */
function answerOf(refusals: Refusal[], mayBeOfPlatform: boolean): Answer {
  const [kept = [], own = []] = [true, false].map((is) => refusals.filter((one) => isKept(one) === is));
  const bodies = Map.groupBy(own, isVerbatim);
  const schemas = Array.from(bodies, ([verbatim, ones]) =>
    bodySchema(
      ones.map(({ errorCode }) => errorCode),
      verbatim ? 'PlatformRefusal' : 'GatewayRefusal',
    ),
  );
  const hasKept = mayBeOfPlatform || kept.length > 0;
  if (hasKept) schemas.push({ $ref: '#/components/schemas/KeptRefusal' });
  const [only] = schemas;
  const retry = refusals.find(({ retryAfter }) => retryAfter !== undefined);
  return {
    description: [...described(own), ...(hasKept ? [OF_PLATFORM] : [])].join('\n'),
    schema: schemas.length === 1 && only ? only : { anyOf: schemas },
    examples: exampleOf(own),
    ...(retry && {
      headers: {
        'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
      },
    }),
  };
}

/** One line per `error_code`. */
const described = (refusals: Refusal[]): string[] =>
  Array.from(
    Map.groupBy(refusals, ({ errorCode }) => errorCode),
    ([word, [first]]) => `- \`${word}\`: ${first ? sentenceOf(first) : ''}`,
  );

const KEPT_WORDS = [...new Set(KEPT.map(({ errorCode }) => errorCode))];
const isKept = (refused: Refusal): boolean => isVerbatim(refused) && KEPT_WORDS.includes(refused.errorCode);
const OF_PLATFORM = '- what the platform itself refuses: `KeptRefusal` names it';

/** The response for the platform's own refusals, which keep their status. */
const keptAnswer = (): Answer => ({
  description: ['What the platform itself refuses keeps its status:', ...described(KEPT)].join('\n'),
  schema: 'KeptRefusal',
  examples: exampleOf(KEPT),
});

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
/** What happened, or the platform's message. The advice is cut off, because the response contains it. */
function sentenceOf({ message, error }: Refusal): string {
  if ('verbatim' in error) return (JSON.parse(error.verbatim) as ErrorObject).message;
  const { details = message, action = '' } = error.error_data ?? {};
  return details.slice(0, details.length - action.length).trimEnd();
}

/**
 * One example per status, because one per refusal would take a quarter of the document. Prefers a refusal
 * that lists fields.
 */
function exampleOf(refusals: Refusal[]) {
  const listing = refusals.find(({ error }) => 'error_data' in error && error.error_data?.fields);
  const one = listing ?? refusals[0];
  return one ? { [one.errorCode]: { value: bodyOf(one) } } : {};
}

const REQUEST_ID = '0b0f2c1e7d0a4f0e9d612f6f3a6d8c55';

const bodyOf = ({ errorCode, error, outcome }: Refusal): Json => ({
  success: false,
  error_code: errorCode,
  ...(outcome && { outcome }),
  error: 'verbatim' in error ? JSON.parse(error.verbatim) : { ...error, fbtrace_id: REQUEST_ID },
  request_id: REQUEST_ID,
});

const ACTION: Json = { type: 'string', description: 'What to do about it, in a sentence for a person.' };

/** The `error` object of the gateway's own refusals. */
const GatewayError: Json = {
  type: 'object',
  description: "The gateway's own refusal, in the form that the platform's clients read.",
  required: ['message', 'type', 'code', 'error_data', 'fbtrace_id'],
  properties: {
    message: { type: 'string' },
    type: { type: 'string' },
    code: { type: 'integer', description: "The platform's number for this kind of error." },
    error_subcode: {
      type: 'integer',
      description: "The platform's number for the first fault of a template.",
    },
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

/** The `error` object of the platform, unchanged except for added advice. */
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

export const ERROR_OBJECTS = {
  GatewayError,
  PlatformError,
  GatewayRefusal: refusalBody('GatewayError'),
  PlatformRefusal: refusalBody('PlatformError'),
  KeptRefusal: bodySchema(KEPT_WORDS, 'PlatformRefusal'),
};
