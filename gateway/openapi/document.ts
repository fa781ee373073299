import { type Answer, type Body, type Described, type OperationDescription } from '../api/operation';
import { parameterNames, PATH_PARAMETERS } from '../api/path-parameters';
import { type Json } from '../cloud-api/json/json-value';
import { ERROR_OBJECTS, refusedAnswers, type CommonRefusals } from './refusals';
import { toOpenApi } from './schema';
import { Shared } from './shared';

/** An API of the gateway, as its document and its reference page describe it. */
export interface ApiDescription {
  title: string;
  /** Markdown. */
  description: string;
  /** Paths after the gateway's address under which all operations are served. */
  servers: string[];
  /** What the paths of all operations begin with. */
  prefix: string;
  /** The headings, and what belongs under them. */
  tags: Record<string, string>;
  operations: readonly OperationDescription[];
  /** Describes the token. */
  token: string;
  /** Headers of every response that is no refusal. */
  headers: Record<string, Described>;
  /** Schemas that operations refer to by name, in OpenAPI's form. */
  schemas: Record<string, Json>;
  refusals: CommonRefusals;
}

/**
 * The OpenAPI 3.0.3 document of an API, built from the schemas that validate requests.
 * @param publicUrl where customers reach the gateway, without a trailing slash; null if unknown: the document
 * then has relative URLs
 */
export function openApiDocument(api: ApiDescription, publicUrl: string | null): Json {
  const shared = new Shared();
  const paths = pathsOf(api, shared);
  return {
    openapi: '3.0.3',
    info: {
      title: api.title,
      version: '1.0.0',
      description: api.description,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: api.servers.map((path) => ({ url: `${publicUrl ?? ''}${path}` || '/' })),
    tags: Object.entries(api.tags).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: api.token,
        },
      },
      headers: headerObjects({ ...api.headers, ...RATE_HEADERS }),
      schemas: { ...api.schemas, ...ERROR_OBJECTS },
      ...shared.components(),
    },
  };
}

function pathsOf(api: ApiDescription, shared: Shared): Json {
  const byPath = Map.groupBy(api.operations, ({ path }) => path);
  return Object.fromEntries(
    Array.from(byPath, ([path, operations]) => [
      api.prefix + path,
      Object.fromEntries(
        operations.map((operation) => [operation.method, operationObject(operation, api, shared)]),
      ),
    ]),
  );
}

function operationObject(operation: OperationDescription, api: ApiDescription, shared: Shared): Json {
  const { tag, id, summary, description, body } = operation;
  const refusals = Object.entries(refusedAnswers(operation, api.refusals)).map(([status, answer]) => [
    status,
    // Shared, because most operations have the same refusals.
    shared.refer('responses', refusal(status, answer, shared), `Refused${status}`),
  ]);
  return {
    tags: [tag],
    operationId: id,
    summary,
    description,
    parameters: [
      ...pathParameters(operation, shared),
      ...queryParameters(operation, shared),
      ...headerParameters(operation, shared),
    ],
    ...(body && { requestBody: { required: !body.isOptional, content: content(body) } }),
    responses: Object.fromEntries([
      ...Object.entries(operation.answers).map(([status, answer]) => [status, response(answer, api.headers)]),
      ...refusals,
    ]),
  };
}

/** Shares one example per `error_code`. */
const sharedExamples = ({ examples = {} }: Answer, shared: Shared): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(examples).map(([name, example]) => {
      const { error_code: word } = example.value as Json;
      return [name, shared.refer('examples', { ...example }, String(word))];
    }),
  );

const pathParameters = ({ path }: OperationDescription, shared: Shared): Json[] =>
  parameterNames(path).map((name) => {
    const known = PATH_PARAMETERS[name];
    if (!known) throw new Error(`PATH_PARAMETERS has no line for {${name}} of ${path}`);
    const { pattern, ...described } = known;
    const schema = { type: 'string', ...(pattern && { pattern }) };
    return shared.refer('parameters', { name, in: 'path', required: true, ...described, schema }, name);
  });

function queryParameters({ id, query }: OperationDescription, shared: Shared): Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Record<string, { description?: string }>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    if (!description) throw new Error(`The query parameter ${name} of ${id} has no description`);
    const isRequired = required.includes(name) && { required: true };
    const parameter = { name, in: 'query', ...isRequired, description, schema: toOpenApi(schema) };
    return shared.refer('parameters', parameter, `${name}_query`);
  });
}

const headerParameters = ({ headers = {} }: OperationDescription, shared: Shared): Json[] =>
  Object.entries(headers).map(([name, { description, schema }]) =>
    shared.refer('parameters', { name, in: 'header', description, schema: toOpenApi(schema) }, name),
  );

const content = ({
  contentType = 'application/json',
  schema = {},
  examples,
}: Omit<Body | Answer, 'examples'> & { examples?: Record<string, object> }): Json => ({
  [contentType]: {
    schema: typeof schema === 'string' ? { $ref: `#/components/schemas/${schema}` } : toOpenApi(schema),
    ...(examples && { examples }),
  },
});

/**
 * Listed only with 429 and explained in the introduction. With every answer they would take 5% of the
 * document.
 */
const RATE_HEADERS: Record<string, Described> = {
  'X-RateLimit-Limit': {
    description: 'How many requests of this kind (sends, changes, reads) the line may make at once.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': { description: 'How many of them are left.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Seconds until all of them are back.', schema: { type: 'integer' } },
};

const referred = (headers: Record<string, Described>): Json =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

type Answered = Omit<Answer, 'examples'> & { examples?: Record<string, object> };

function response(answer: Answered, common: Record<string, Described>): Json {
  const headers = { ...referred(common), ...headerObjects(answer.headers) };
  return {
    description: answer.description,
    ...(Object.keys(headers).length && { headers }),
    ...(answer.schema && { content: content(answer) }),
  };
}

const refusal = (status: string, answer: Answer, shared: Shared): Json =>
  response({ ...answer, examples: sharedExamples(answer, shared) }, status === '429' ? RATE_HEADERS : {});

const headerObjects = (headers: Record<string, Described> = {}): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, { description, schema }]) => [
      name,
      { description, schema: toOpenApi(schema) },
    ]),
  );
