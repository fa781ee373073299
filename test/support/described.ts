import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { ADMIN_API } from '../../gateway/openapi/admin-api';
import { openApiDocument } from '../../gateway/openapi/document';
import { LINE_API } from '../../gateway/openapi/line-api';
import { PATH_PARAMETERS } from '../../gateway/api/path-parameters';

type Json = { [key: string]: unknown };
type Response = { headers?: Json; content?: Record<string, Json> };
type OperationObject = {
  responses: Record<string, Response | Reference>;
  requestBody?: { content: Record<string, Json> };
};

/** A reference to a component of the document. */
type Reference = { $ref: string };

/** A request and the gateway's answer. */
export interface Exchange {
  method: string;
  url: string;
  /** The body of the request, if it is text. */
  sent?: string;
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Paths that are not operations of the API: webhooks from the platform, the description itself, health
 * checks, the panel and the sandbox.
 */
const OTHER_PATHS =
  /^\/($|panel($|\/)|sandbox($|\/)|webhooks\/|(v1\/)?docs($|\/)|(v1\/)?openapi\.json$|healthz$|readyz$|metrics$)/;
/** The API version, which may be omitted before an ID. */
const VERSIONED = /^(?:\/api)?(?:\/v(?:1[3-9]|2[0-6])\.0(?=\/)|(?=\/\d+(?:\/|$)))/;
/** Longer path segments are answered with 404. */
const LONGEST_WORD = 1024;

/** Headers that belong to the API; all others belong to HTTP. */
const TELLING = /^(x-(?!content-type-options$)|idempotency-|retry-after$|ratelimit|etag$|location$)/;

interface Document {
  paths: Record<string, Record<string, OperationObject>>;
  components: Json & { headers: Json };
}

const SHARED = { strict: false, validateSchema: false, discriminator: false } as const;
const DOCUMENTS = { api: openApiDocument(LINE_API, null), admin: openApiDocument(ADMIN_API, null) } as {
  api: unknown;
  admin: unknown;
} as Record<Api, Document>;
type Api = 'api' | 'admin';
const requests = new Ajv({ ...SHARED, formats: { date: true, 'date-time': true } });
const answers = new Ajv({
  ...SHARED,
  // Functions, because Ajv does not recognize RegExp objects of the tests.
  formats: {
    date: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
    'date-time': (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text),
  },
});
for (const [api, document] of Object.entries(DOCUMENTS)) {
  requests.addSchema(document, api);
  answers.addSchema(closed(document, document) as Json, api);
}
const apiOf = (pathname: string): Api => (/^\/v1(\/|$)/.test(pathname) ? 'admin' : 'api');

/** Returns the path of a part, or of the component that it refers to. */
function placeOf(part: object, place: string[]): string[] {
  return '$ref' in part ? (part as Reference).$ref.split('/').slice(1) : place;
}

/**
 * Returns the schemas with unknown properties forbidden, except in objects that allow them explicitly. An object of
 * several parts becomes one, because each part would forbid the properties of the others.
 */
function closed(part: unknown, document: Document): unknown {
  if (Array.isArray(part)) return part.map((one) => closed(one, document));
  if (typeof part !== 'object' || part === null) return part;
  if ('allOf' in part) return closed(merged(part.allOf as Json[], document), document);
  const all = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value, document)]));
  const isOpenObject = all.type === 'object' && 'properties' in all && !('additionalProperties' in all);
  return isOpenObject ? { ...all, additionalProperties: false } : all;
}

function merged(parts: Json[], document: Document): Json {
  const schemas = parts.map((part) =>
    '$ref' in part
      ? (placeOf(part, []).reduce<unknown>((at, step) => (at as Json)[step], document) as Json)
      : part,
  );
  return {
    type: 'object',
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties)) as Json,
    required: schemas.flatMap(({ required = [] }) => required as string[]),
  };
}

const compiled = new Map<string, ValidateFunction>();

function faultsOf(ajv: Ajv, api: Api, pointer: string[], value: unknown): ErrorObject[] {
  const place = `${api}#/${pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
  const key = `${ajv === requests ? 'request' : 'answer'} ${place}`;
  const validate = compiled.get(key) ?? ajv.compile({ $ref: place });
  compiled.set(key, validate);
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Resolves a reference to its component. */
export const resolved = <Part extends object>(part: Part | Reference, api: Api = 'api'): Part =>
  '$ref' in part
    ? (placeOf(part, []).reduce<unknown>((within, step) => (within as Json)[step], DOCUMENTS[api]) as Part)
    : part;

function templateOf(path: string, document: Document): string | undefined {
  const words = path.split('/');
  if (words.some((word) => word.length > LONGEST_WORD || !isReadable(word))) return undefined;
  const fits = (template: string) => {
    const parts = template.split('/');
    return (
      parts.length === words.length &&
      parts.every((part, index) => {
        const word = words[index] ?? '';
        const isLast = index === parts.length - 1;
        const [, prefix = '', name] = /^([^{]*)\{(\w+)\}$/.exec(part) ?? [];
        if (name === undefined) return part === word;
        const pattern = PATH_PARAMETERS[name]?.pattern;
        const value = word.slice(prefix.length);
        return (
          word.startsWith(prefix) && (pattern ? new RegExp(pattern).test(value) : !isLast || value !== '')
        );
      })
    );
  };
  // A literal path wins over one with a parameter.
  return Object.keys(document.paths)
    .filter(fits)
    .sort((one, other) => one.split('{').length - other.split('{').length)[0];
}

function isReadable(word: string): boolean {
  try {
    decodeURIComponent(word);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks an exchange with the gateway against the OpenAPI document.
 * @throws Error if the status, the content type, a header or any part of the body is not described or is
 * missing; also if the gateway accepted a request that the document forbids
 */
export function expectDescribed({ method, url, sent, status, headers, text }: Exchange): void {
  const { pathname } = new URL(url);
  const api = apiOf(pathname);
  const document = DOCUMENTS[api];
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const undescribed = (what: string): Error =>
    new Error(
      `${method} ${pathname} answered ${status}, which the OpenAPI document (the operation's file in gateway/api) does not describe: ${what}\n${text.slice(0, 2000)}`,
    );
  const template = OTHER_PATHS.test(pathname)
    ? undefined
    : templateOf(
        pathname
          .replace(VERSIONED, '/v22.0')
          .replace(/(?<=.)\/$/, '')
          .replace('/upload%3A', '/upload:'),
        document,
      );
  const operation = template === undefined ? undefined : document.paths[template]?.[verb];

  if (!template || !operation) {
    if (/^\/(panel|sandbox)/.test(pathname) || (OTHER_PATHS.test(pathname) && status < 400)) return;
    if (!OTHER_PATHS.test(pathname) && status !== (template ? 405 : 404))
      throw undescribed(template ? 'it has no such method.' : 'it has no such path.');
    if (method === 'HEAD') return;
    const faults = faultsOf(answers, api, ['components', 'schemas', 'GatewayRefusal'], json(text));
    if (faults.length) throw undescribed(told(faults));
    return;
  }

  const known = String(status) in operation.responses ? String(status) : `${String(status).charAt(0)}XX`;
  const answered = operation.responses[known];
  if (!answered) throw undescribed('it has no such status there.');
  const response = resolved(answered, api);
  // Headers of all answers are listed under components.
  const described = Object.keys({ ...response.headers, ...document.components.headers });
  const unknown = [...headers.keys()].filter(
    (name) => TELLING.test(name) && !described.some((one) => one.toLowerCase() === name),
  );
  if (unknown.length) throw undescribed(`the header ${unknown.join(', ')}.`);
  if (api === 'api' && !headers.has('x-gateway-version'))
    throw undescribed('the header X-Gateway-Version is missing.');
  if (method === 'HEAD') return;

  if (!response.content) {
    if (text !== '') throw undescribed('it has no body there.');
    return;
  }
  const type = headers.get('content-type')?.split(';')[0] ?? 'no content type';
  if (!response.content[type] && !response.content['*/*']) throw undescribed(`it has no ${type} there.`);
  const at = ['paths', template, verb];
  const place = placeOf(answered, [...at, 'responses', known]);
  if (response.content['application/json']) {
    const faults = faultsOf(answers, api, [...place, 'content', type, 'schema'], json(text));
    if (faults.length) throw undescribed(told(faults));
  }
  if (status < 300 && sent !== undefined && operation.requestBody?.content['application/json']) {
    const faults = faultsOf(
      requests,
      api,
      [...at, 'requestBody', 'content', 'application/json', 'schema'],
      // The gateway accepts a byte order mark, which is not valid JSON.
      JSON.parse(sent.replace(/^\uFEFF/, '')),
    );
    if (faults.length)
      throw new Error(
        `${method} ${pathname} was carried out, although the OpenAPI document says that this cannot be sent: ${told(faults)}\n${sent.slice(0, 2000)}`,
      );
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const told = (faults: ErrorObject[]): string =>
  faults
    .map(
      ({ instancePath, message, params }) =>
        `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
    )
    .join('; ');
