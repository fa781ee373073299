import * as Type from 'typebox';
import {
  idempotencyConflict,
  idempotencyInProgress,
  invalidQuery,
  preconditionFailed,
  requestOutcomeUnknown,
} from '../../errors';
import { LONGEST_KEY } from '../../sending/idempotent-send';
import { type Answer, type Described, type OperationDescription } from '../operation';
import { badPayload } from '../refusals';
import { PAGE_QUERY, pageOf } from './list-page';
import { found, type AdminOperation } from './operation';
import { refusedHere } from './refused';

/** What an operation says of itself; its kind adds the rest. */
type Given = Omit<AdminOperation, 'method' | 'path' | 'rate' | 'answers' | 'query' | 'object' | 'handler'> & {
  query?: Record<string, Type.TSchema>;
};

/** The name of a shared schema (`operations.ts`): of the object, or of the elements of a list. */
interface OfSchema {
  schema: string;
}

/** A change of the object in the path. */
type Changing = Given & OfSchema & Required<Pick<AdminOperation, 'object'>> & Pick<AdminOperation, 'handler'>;

type Added = Pick<OperationDescription, 'answers' | 'refusals' | 'headers'> & {
  query?: Record<string, Type.TSchema>;
};

const DRY_RUN = Type.Optional(
  Type.Enum(['1', 'true', '0', 'false'], {
    description:
      '`1` checks the request and changes nothing. The answer is the object as it would be, with status 200 and without secrets; an id in it is not reserved.',
  }),
);

const KEY: Record<string, Described> = {
  'Idempotency-Key': {
    description: `1 to ${LONGEST_KEY} characters, such as a UUID. For 24 hours, a repeated request with the same key and body gets the answer of the first request and changes nothing.`,
    schema: Type.String({ minLength: 1, maxLength: LONGEST_KEY }),
  },
};

const IF_MATCH: Record<string, Described> = {
  'If-Match': {
    description: 'An ETag of the object: the request is refused if the object has changed since.',
    schema: Type.String(),
  },
};

const TAG: Record<string, Described> = {
  ETag: { description: 'The version of the object, for `If-Match`.', schema: Type.String() },
};

const LOCATION: Record<string, Described> = {
  Location: { description: 'Where the object is.', schema: Type.String() },
};

const REPLAYED: Record<string, Described> = {
  'Idempotency-Replayed': {
    description: '`true`: the answer of the first request with this Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const underKey = () => [idempotencyConflict(), idempotencyInProgress(), requestOutcomeUnknown()];
const BAD_FLAG = invalidQuery('dry_run is "yes"; it takes 1 or 0.');

const reference = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });

const answer = (description: string, schema: Answer['schema'], headers?: Answer['headers']): Answer => ({
  description,
  ...(schema && { schema }),
  ...(headers && { headers }),
});

function described(
  method: AdminOperation['method'],
  path: string,
  { query, ...given }: Given,
  added: Added,
): Omit<AdminOperation, 'handler'> {
  const isRead = method === 'get';
  const parameters = { ...query, ...added.query, ...(!isRead && { dry_run: DRY_RUN }) };
  return {
    method,
    path,
    rate: isRead ? 'reads' : 'changes',
    ...given,
    ...(Object.keys(parameters).length && { query: Type.Object(parameters) }),
    headers: { ...given.headers, ...added.headers },
    answers: added.answers,
    refusals: () => [
      ...given.refusals().map((one) => refusedHere(one, given.fields)),
      ...added.refusals(),
      ...(isRead ? [] : [BAD_FLAG]),
      ...(given.body ? [badPayload('name', 'required', 'name is required.')] : []),
    ],
  };
}

export const list = (
  path: string,
  { schema, handler, ...given }: Given & OfSchema & Pick<AdminOperation, 'handler'>,
): AdminOperation => ({
  ...described('get', path, given, {
    query: PAGE_QUERY,
    answers: { 200: answer('A page of the list.', pageOf(schema)) },
    refusals: () => [invalidQuery('limit is "0"; it takes a whole number from 1 to 200.')],
  }),
  handler,
});

export const get = (
  path: string,
  {
    schema,
    object,
    ...given
  }: Given &
    OfSchema & { object: (...of: Parameters<NonNullable<AdminOperation['object']>>) => Promise<object> },
): AdminOperation => ({
  ...described('get', path, given, {
    answers: { 200: answer('The object.', schema, TAG) },
    refusals: () => [],
  }),
  object,
  handler: async (context) => found(await object(context, context.deps.store)),
});

/** @param secrets fields that only the answer to this request has */
export const create = (
  path: string,
  {
    schema,
    secrets,
    ...given
  }: Given &
    OfSchema &
    Pick<AdminOperation, 'object' | 'handler'> & { secrets?: Record<string, Type.TSchema> },
): AdminOperation => {
  const { object, handler, ...rest } = given;
  const full = secrets ? { allOf: [reference(schema), Type.Object(secrets)] } : schema;
  return {
    ...described('post', path, rest, {
      headers: KEY,
      answers: {
        200: answer('With `dry_run`: the object as it would be.', schema, object && TAG),
        201: answer('The object was made.', full, { ...LOCATION, ...REPLAYED, ...(object && TAG) }),
      },
      refusals: underKey,
    }),
    ...(object && { object }),
    handler,
  };
};

/** PATCH changes the given fields and leaves the others. */
export const change = (path: string, given: Changing): AdminOperation => changeBy('patch', path, given);

/** PUT makes the object, or changes it. */
export const put = (path: string, given: Changing): AdminOperation => {
  const operation = changeBy('put', path, given);
  const ofNew = answer('The object was made.', given.schema, { ...TAG, ...LOCATION });
  return { ...operation, answers: { ...operation.answers, 201: ofNew } };
};

function changeBy(
  method: 'patch' | 'put',
  path: string,
  { schema, object, handler, ...given }: Changing,
): AdminOperation {
  return {
    ...described(method, path, given, {
      headers: IF_MATCH,
      answers: { 200: answer('The object after the change.', schema, TAG) },
      refusals: () => [preconditionFailed()],
    }),
    object,
    handler,
  };
}

export const remove = (
  path: string,
  { object, handler, ...given }: Given & Pick<AdminOperation, 'object' | 'handler'>,
): AdminOperation => ({
  ...described('delete', path, given, {
    ...(object && { headers: IF_MATCH }),
    answers: { 204: answer('The object was removed.', undefined) },
    refusals: () => (object ? [preconditionFailed()] : []),
  }),
  ...(object && { object }),
  handler,
});

/** A POST that makes no object. @param answers the schema of its answer */
export const act = (
  path: string,
  { schema, handler, ...given }: Given & { schema: Answer['schema'] } & Pick<AdminOperation, 'handler'>,
): AdminOperation => ({
  ...described('post', path, given, {
    headers: KEY,
    answers: { [schema ? 200 : 204]: answer('Done.', schema, REPLAYED) },
    refusals: underKey,
  }),
  handler,
});
