import { UPSTREAM_VERSION } from '../cloud-api/client';
import { type Answer, type Body, type Described, type Operation } from '../api/operation';
import { OPERATIONS, TAGS } from '../api/operations';
import { parameterNames, PATH_PARAMETERS } from '../api/path-parameters';
import { messageBodySchemas } from './message-body';
import { ERROR_OBJECTS, refusedAnswers } from './refusals';
import { type Json } from '../cloud-api/json/json-value';
import { toOpenApi } from './schema';
import { Shared } from './shared';

const DESCRIPTION = `
Send chat messages through your own phone line, and get every reply and delivery status back.

## Send your first message

1. **Get your line and its token.** \`npm start\` prints both for a line to try things with; nothing leaves your machine
   then. The token of a line of your own comes from the control panel, **API tokens**. It starts with \`gwl_\`.
2. Press **Authorize**, paste the token, press **Authorize** again, then **Close**.
3. Open **Send a message** below and press **Try it out**. Put your line into **tid**, the recipient's number with
   country code into \`to\`, and press **Execute**. The answer appears below, with the id of your message.

Every error says in \`details\` what to do next. Every answer to a right token, refusals too, has the headers
\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`, unless the limit is off.

The API is the one of the WhatsApp Cloud API, ${UPSTREAM_VERSION}: a client that was written for it changes only its base address
and its token. Versions from v13.0 to v26.0 in the path are served as ${UPSTREAM_VERSION}.
`.trim();

/**
 * The OpenAPI 3.0.3 document of the API, built from the schemas that validate requests.
 * @param publicUrl where customers reach the gateway, without a trailing slash; null if unknown: the document
 * then has relative URLs
 */
export function openApiDocument(publicUrl: string | null): Json {
  const shared = new Shared();
  const paths = pathsOf(shared);
  return {
    openapi: '3.0.3',
    info: {
      title: 'Messaging Gateway',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    // Every operation is served with and without `/api`.
    servers: [{ url: `${publicUrl ?? ''}/api` }, { url: publicUrl ?? '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of your line. It starts with `gwl_`.',
        },
      },
      headers: headerObjects({ ...VERSION_HEADER, ...RATE_HEADERS }),
      schemas: { ...messageBodySchemas(), ...ERROR_OBJECTS },
      ...shared.components(),
    },
  };
}

function pathsOf(shared: Shared): Json {
  const byPath = Map.groupBy(OPERATIONS, ({ path }) => path);
  return Object.fromEntries(
    Array.from(byPath, ([path, operations]) => [
      `/${UPSTREAM_VERSION}${path}`,
      Object.fromEntries(
        operations.map((operation) => [operation.method, operationObject(operation, shared)]),
      ),
    ]),
  );
}

function operationObject(operation: Operation, shared: Shared): Json {
  const { tag, id, scope, summary, body } = operation;
  const description = `${operation.description}\n\nThe token needs the scope \`${scope}\`.`;
  const refusals = Object.entries(refusedAnswers(operation)).map(([status, answer]) => [
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
      ...headerParameters(operation),
    ],
    ...(body && { requestBody: { required: !body.isOptional, content: content(body) } }),
    responses: Object.fromEntries([
      ...Object.entries(operation.answers).map(([status, answer]) => [
        status,
        response(answer, VERSION_HEADER),
      ]),
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

const pathParameters = ({ path }: Operation, shared: Shared): Json[] =>
  parameterNames(path).map((name) => {
    const known = PATH_PARAMETERS[name];
    if (!known) throw new Error(`PATH_PARAMETERS has no line for {${name}} of ${path}`);
    const { pattern, ...described } = known;
    const schema = { type: 'string', ...(pattern && { pattern }) };
    return shared.refer('parameters', { name, in: 'path', required: true, ...described, schema }, name);
  });

function queryParameters({ id, query }: Operation, shared: Shared): Json[] {
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

const headerParameters = ({ headers = {} }: Operation): Json[] =>
  Object.entries(headers).map(([name, { description, schema }]) => ({
    name,
    in: 'header',
    description,
    schema: toOpenApi(schema),
  }));

const content = ({
  contentType = 'application/json',
  schema,
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

/** Refusals send this header too, but the document doesn't list it there. */
const VERSION_HEADER: Record<string, Described> = {
  'X-Gateway-Version': {
    description: 'The version by which the request was served.',
    schema: { type: 'string', enum: [UPSTREAM_VERSION] },
  },
};

const referred = (headers: Record<string, Described>): Json =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

type Answered = Omit<Answer, 'examples'> & { examples?: Record<string, object> };

function response(answer: Answered, common: Record<string, Described>): Json {
  const headers = { ...referred(common), ...headerObjects(answer.headers) };
  return {
    description: answer.description,
    ...(Object.keys(headers).length && { headers }),
    content: content(answer),
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
