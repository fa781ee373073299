import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { type ForwardedRequest } from '../../cloud-api/client';
import { invalidToken, lineNotConfigured, sharedBusinessAccount, tooManyPlatformReads } from '../../errors';
import { accessTokenOf, type Line } from '../../lines/line';
import { forwardChange } from '../../management/change-at-platform';
import { isShared } from '../../management/templates';
import { actorOf } from '../access/actor';
import { lastOf, plainFields, type Query } from '../http/graph-read';
import { type ParsedBody } from '../http/parse-body';
import { operation, type ApiDeps, type Body, type Operation } from '../operation';
import { BAD_QUERY, FORWARDED } from '../refusals';

/** An operation of the platform that the gateway forwards. */
interface Forwarded extends Pick<Operation, 'id' | 'isList' | 'summary' | 'description' | 'refusals'> {
  tag?: string;
  /** The forwarded query parameters, each with its description. */
  query?: Record<string, string>;
  body?: Body;
  answer: { description: string; schema: object };
  /** Whether it concerns the whole business account, so that its lines must all be the token's customer's. */
  isOfAccount?: boolean;
  /** The last check before the request is forwarded. @throws Refusal */
  check?: (deps: ApiDeps, request: FastifyRequest) => void | Promise<void>;
}

/** The answer of a change. */
export const SUCCESS = Type.Object({ success: Type.Boolean() }, { additionalProperties: true });

/** Any object of the platform. */
export const NODE = Type.Object({}, { additionalProperties: true });

/** A list of the platform. */
export const NODES = Type.Object(
  {
    data: Type.Array(NODE),
    paging: Type.Optional(NODE),
  },
  { additionalProperties: true },
);

/** The query parameters of lists. */
export const PAGE_QUERY = {
  fields: 'The fields to return, separated by commas.',
  limit: 'Entries on a page.',
  after: 'A cursor: returns the entries after it.',
  before: 'A cursor: returns the entries before it.',
};

/**
 * Describes an operation that forwards the request to the same path at the platform and answers with the platform's
 * bytes. The first parameter of the path is the line or its business account.
 * @param route method and path
 */
export function forwarded(
  route: Parameters<typeof operation>[0],
  { tag = 'Management', query, answer, isOfAccount = false, check, refusals, ...described }: Forwarded,
): Operation {
  const isRead = route.startsWith('get ');
  return operation(route, {
    tag,
    ...described,
    scope: isRead ? 'manage:read' : 'manage',
    rate: isRead ? 'reads' : 'changes',
    ...(query && { query: textQuery(query) }),
    answers: { 200: answer },
    refusals: () => [
      lineNotConfigured(),
      ...(query?.fields === undefined ? [] : [BAD_QUERY]),
      ...(isRead ? [tooManyPlatformReads(5)] : []),
      ...(isOfAccount ? [sharedBusinessAccount()] : []),
      ...refusals(),
      ...FORWARDED,
    ],
    keepsPlatformStatus: true,
    handler: (deps) => async (request, reply) => {
      const { line } = request;
      if (isOfAccount) requireWholeAccount(deps, line);
      await check?.(deps, request);
      const [method, path] = route.split(' ') as [ForwardedRequest['method'], string];
      const text = await forward(deps, request, {
        method,
        path: pathAtPlatform(deps, request, path),
        query: givenOf(request, Object.keys(query ?? {})),
      });
      return sendText(reply, text);
    },
  });
}

export const textQuery = (query: Record<string, string>) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(query).map(([name, description]) => [name, Type.Optional(Type.String({ description }))]),
    ),
  );

export const sendText = (reply: FastifyReply, text: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(text);

/** Forwards a read, or a change with its audit entry and the body of the request. */
export async function forward(
  deps: ApiDeps,
  request: FastifyRequest,
  forwards: Pick<ForwardedRequest, 'method' | 'path' | 'query'>,
): Promise<string> {
  const { line } = request;
  if (forwards.method !== 'get') {
    const { raw: body, value = {} } = (request.body ?? {}) as Partial<ParsedBody>;
    return forwardChange(deps, actorOf(request), line, { ...forwards, body, names: Object.keys(value) });
  }
  const accessToken = accessTokenOf(line);
  await deps.platformReads.take(line);
  return deps.cloudApi.forward(forwards, accessToken);
}

/** The path at the platform, with the ids of the line and its business account. @throws Refusal for another account */
function pathAtPlatform(deps: ApiDeps, request: FastifyRequest, path: string): string {
  const { line, params } = request;
  const given = params as Record<string, string>;
  const known = {
    tid: () => line.phoneNumberId,
    account_id: () => accountOf(deps, request),
  };
  return path
    .slice(1)
    .replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(name in known ? known[name as keyof typeof known]() : (given[name] ?? '')),
    );
}

/** The business account of the line, which the path names by its id or by the line. @throws Refusal for another one */
export function accountOf({ lines }: Pick<ApiDeps, 'lines'>, { line, params }: FastifyRequest): string {
  const { account_id: id = '' } = params as Record<string, string>;
  if (id !== line.wabaId && lines.byTid(id)?.id !== line.id) throw invalidToken();
  return line.wabaId;
}

/** @throws Refusal if the account has a line of another customer */
export function requireWholeAccount({ lines }: Pick<ApiDeps, 'lines'>, line: Line): void {
  if (isShared({ lines }, line)) throw sharedBusinessAccount();
}

/** The query parameters of these names. Of `fields`, subfields are left out: they could reach other objects. */
export const givenOf = ({ query }: FastifyRequest, names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = lastOf((query as Query)[name]);
      if (value === undefined) return [];
      return [[name, name === 'fields' ? plainFields(value).join(',') : value]];
    }),
  );
