import { Readable } from 'node:stream';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { UPSTREAM_VERSION, type CloudApi } from '../cloud-api/client';
import { PHONE_NUMBER_FIELDS, PHONE_NUMBER_NODE, PHONE_NUMBER_SECRETS } from '../cloud-api/phone-number';
import { invalidToken, lineNotConfigured, mediaNotFound, methodNotAllowed, notToldYet } from '../errors';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { pollLineStatus } from '../lines/line-status';
import { type Refresher } from '../lines/refresh';
import { type Store } from '../store/database';
import { type SyncTemplates } from '../templates/sync-templates';
import { type FollowedRegistry } from '../store/follow-registry';
import { type Clock } from '../time';
import { apiAddress, fieldsToAsk, lastOf, selectFields, type Node, type Query } from './graph-read';
import { type PlatformReads } from './platform-reads';

export interface GraphDeps {
  store: Store;
  cloudApi: CloudApi;
  lines: LineRegistry;
  registry: FollowedRegistry;
  refresher: Refresher;
  syncTemplates: SyncTemplates;
  platformReads: PlatformReads;
  clock: Clock;
  /** Null: links name the host that the request names. */
  publicUrl: string | null;
}

type ObjectRequest = FastifyRequest<{ Params: { id: string }; Querystring: Query }>;

/** A phone number in upstream's own shape: the fields asked for, as far as upstream has told them. */
export const PhoneNumberAnswer = Type.Object({ id: Type.String() }, { additionalProperties: true });

/** A media file in upstream's own shape. */
export const MediaAnswer = Type.Object({
  id: Type.String(),
  /** Of this API, opened with the line token; upstream's own address and its token are not needed. */
  url: Type.String(),
  mime_type: Type.Optional(Type.String()),
  sha256: Type.Optional(Type.String()),
  file_size: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
  messaging_product: Type.Optional(Type.String()),
});

export const MediaQuery = Type.Object({ phone_number_id: Type.Optional(Type.String()) });
export const ObjectQuery = Type.Object({ fields: Type.Optional(Type.String()), ...MediaQuery.properties });

/**
 * GET …/{id}: the line's phone number or its business account, or else a media file. The path tells no line: the
 * token does (`authenticateObject`, which has refused what is another line's).
 */
export const getObject =
  (deps: GraphDeps) =>
  async (request: FastifyRequest): Promise<unknown> => {
    const { line, params, query } = request as ObjectRequest;
    const fields = lastOf(query.fields);
    if (deps.lines.byTid(params.id)?.id === line.id) {
      const asked = fieldsToAsk(fields, PHONE_NUMBER_NODE);
      return asked
        ? askPhoneNumber(deps, line, asked)
        : selectFields(await phoneNumberOf(deps, line), fields, PHONE_NUMBER_NODE);
    }
    if (params.id === line.wabaId) return selectFields({ id: line.wabaId }, fields, ACCOUNT_NODE);
    const node = await mediaOf(deps, request as ObjectRequest);
    const url = `${apiAddress(request, deps.publicUrl)}/${UPSTREAM_VERSION}/${params.id}/content`;
    const answer: Static<typeof MediaAnswer> = { ...node, url };
    return answer;
  };

/** GET …/{id}/content: the bytes of a media file, by way of the gateway, which keeps nothing of them. */
export const getMediaContent =
  (deps: GraphDeps) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const download = new AbortController();
    reply.raw.once('close', () => download.abort());
    const opened = await openContent(deps, request as ObjectRequest, download.signal).catch(
      (error: unknown) => {
        if (download.signal.aborted) return null;
        throw error;
      },
    );
    // The customer has left while upstream was waited for: nobody is there to be answered, and nothing has failed.
    if (!opened) return reply.hijack();
    const { node, status, headers, body } = opened;
    // A contact decides what is in the file: a browser that opens it must take it for nothing that runs.
    reply.code(status).headers({
      'content-type': node.mime_type ?? 'application/octet-stream',
      ...headers,
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
    if (request.method !== 'HEAD') return reply.send(body);
    body.destroy();
    return reply.send(Readable.from([]));
  };

/** Upstream's address lives for five minutes; so one is asked for with each download, and none is kept. */
async function openContent(deps: GraphDeps, request: ObjectRequest, signal: AbortSignal) {
  const node = await mediaOf(deps, request);
  const { accessToken } = ownerOf(request.line);
  const { range } = request.headers;
  return { node, ...(await deps.cloudApi.mediaContent(accessToken, node.url, { range, signal })) };
}

/** DELETE …/{id}: deletes a media file. Anything else that the line's credential could delete upstream is left alone. */
export const deleteMedia =
  (deps: GraphDeps) =>
  async (request: FastifyRequest): Promise<unknown> => {
    const { line, params } = request as ObjectRequest;
    if (deps.lines.byTid(params.id)?.id === line.id || params.id === line.wabaId)
      throw methodNotAllowed('DELETE', 'GET');
    await mediaOf(deps, request as ObjectRequest);
    await deps.cloudApi.deleteMedia(askedOwner(deps, request as ObjectRequest), params.id);
    return { success: true };
  };

/** Upstream's name for an account, and the one of its fields that is known here. */
const ACCOUNT_NODE = { known: ['id'], usual: ['id'], named: 'WhatsAppBusinessAccount' };

/** As upstream tells it now: something is asked for that is not kept. */
async function askPhoneNumber(deps: GraphDeps, line: Line, fields: string[]): Promise<Node> {
  const { accessToken } = ownerOf(line);
  await deps.platformReads.take(line);
  const names = fields.filter((field) => !PHONE_NUMBER_SECRETS.includes(field));
  const node = await deps.cloudApi.ask(
    encodeURIComponent(line.phoneNumberId),
    names,
    PHONE_NUMBER_FIELDS,
    accessToken,
  );
  const told = Object.entries(node).filter(([field]) => field !== 'id' && names.includes(field));
  return { ...Object.fromEntries(told), id: line.phoneNumberId };
}

/** As upstream last told it; upstream is asked where it never was. */
async function phoneNumberOf(deps: GraphDeps, line: Line): Promise<Node> {
  if (line.upstream) return { ...line.upstream, id: line.phoneNumberId };
  if (line.accessToken === null) throw lineNotConfigured();
  const poll = async () => {
    await pollLineStatus(deps.store, deps.cloudApi, line, deps.clock);
    await deps.registry.refresh();
  };
  const report = await deps.refresher.refresh(line, 'status', 'gateway', poll, true);
  const told = deps.lines.byId(line.id)?.upstream;
  if (!told) throw notToldYet('this phone number', 'retry_after' in report ? report.retry_after : 1);
  return { ...told, id: line.phoneNumberId };
}

async function mediaOf(deps: GraphDeps, request: ObjectRequest) {
  const node = await deps.cloudApi.media(askedOwner(deps, request), request.params.id);
  if (!node) throw mediaNotFound();
  return node;
}

/**
 * Upstream is always told whose file it has to be: one access token may open the files of several lines, and a line's
 * token opens its own alone. A `phone_number_id` that the customer gives has to be the line's own.
 */
function askedOwner({ lines }: GraphDeps, { line, query }: ObjectRequest) {
  const asked = lastOf(query.phone_number_id);
  if (asked !== undefined && lines.byTid(asked)?.id !== line.id) throw invalidToken();
  return { ...ownerOf(line), phoneNumberId: line.phoneNumberId };
}

function ownerOf({ accessToken }: Line): { accessToken: string } {
  if (accessToken === null) throw lineNotConfigured();
  return { accessToken };
}
