import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { UPSTREAM_VERSION } from '../../cloud-api/client';
import { PHONE_NUMBER_FIELDS, PHONE_NUMBER_NODE, PHONE_NUMBER_SECRETS } from '../../cloud-api/phone-number';
import {
  lineNotConfigured,
  mediaNotFound,
  notToldYet,
  sharedBusinessAccount,
  tooManyPlatformReads,
} from '../../errors';
import { accessTokenOf, type Line } from '../../lines/line';
import { pollLineStatus } from '../../lines/line-status';
import { apiAddress, fieldsToAsk, lastOf, selectFields, type Node, type Query } from '../http/graph-read';
import { readAccount } from '../management/account';
import { NODE, sendText } from '../management/forward';
import { operation, type ApiDeps } from '../operation';
import { readTemplate } from '../templates/manage-templates';
import { templateById } from '../../management/templates';
import { BAD_QUERY, FORWARDED, REFRESHED } from '../refusals';
import { MediaQuery, mediaOf } from './media-file';

/** A phone number in the platform's format: the requested fields, as far as known. */
const PhoneNumberAnswer = Type.Object({ id: Type.String() }, { additionalProperties: true });

/** A media file in the platform's format. */
const MediaAnswer = Type.Object({
  id: Type.String(),
  /** The URL of this API, which needs the line token instead of the platform's. */
  url: Type.String(),
  mime_type: Type.Optional(Type.String()),
  sha256: Type.Optional(Type.String()),
  file_size: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
  messaging_product: Type.Optional(Type.String()),
});

const ObjectQuery = Type.Object({
  fields: Type.Optional(
    Type.String({
      description:
        "The fields of the line's record to return, separated by commas. Fields that the gateway does not store come from the platform.",
    }),
  ),
  ...MediaQuery.properties,
});

export const getObject = operation('get /{object_id}', {
  tag: 'Files',
  id: 'getObject',
  scope: 'read',
  scopeOf: (deps) => async (request) => ((await managedBy(deps, request)) ? 'manage:read' : 'read'),
  rate: 'reads',
  summary: 'Get a file by its id',
  description:
    "The type and size of a file, and the URL of this API where your token downloads it. With the id of your line or of its business account, the platform's record of it. A template, and fields of the business account, need the scope `manage:read` instead.",
  query: ObjectQuery,
  answers: {
    200: {
      description: 'The file, or the record.',
      schema: { anyOf: [MediaAnswer, PhoneNumberAnswer, NODE] },
    },
  },
  refusals: () => [
    BAD_QUERY,
    tooManyPlatformReads(5),
    mediaNotFound(),
    sharedBusinessAccount(),
    lineNotConfigured(),
    notToldYet('this phone number', 37),
    ...FORWARDED,
    ...REFRESHED,
  ],
  keepsPlatformStatus: true,
  handler: readObject,
});

/** The token determines the line. `authenticateObject` has already refused objects of other lines. */
function readObject(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { line } = request;
    const read = await managedBy(deps, request);
    if (read) return sendText(reply, await read());
    const { object_id: id } = request.params as { object_id: string };
    const fields = lastOf((request.query as Query).fields);
    if (deps.lines.byTid(id)?.id === line.id) {
      const asked = fieldsToAsk(fields, PHONE_NUMBER_NODE);
      return asked
        ? askPhoneNumber(deps, line, asked)
        : selectFields(await phoneNumberOf(deps, line), fields, PHONE_NUMBER_NODE);
    }
    if (id === line.wabaId) return { id };
    const node = await mediaOf(deps, request, id);
    const url = `${apiAddress(request, deps.publicUrl)}/${UPSTREAM_VERSION}/${id}/content`;
    // A token of several lines opens the address only with the line.
    const ofLine = request.token.kind === 'admin' ? `?phone_number_id=${line.phoneNumberId}` : '';
    const answer: Type.Static<typeof MediaAnswer> = { ...node, url: `${url}${ofLine}` };
    return answer;
  };
}

/** Reads a template, or fields of the business account, at the platform. @returns null for other objects */
async function managedBy(deps: ApiDeps, request: FastifyRequest): Promise<(() => Promise<string>) | null> {
  const { line } = request;
  const { object_id: id } = request.params as { object_id: string };
  const fields = lastOf((request.query as Query).fields);
  if (id === line.wabaId)
    return fields === undefined || fields === 'id' ? null : () => readAccount(deps, request);
  return (await templateById(deps, line, id)) ? () => readTemplate(deps, request, id) : null;
}

/** Reads from the platform, because a requested field is not stored. */
async function askPhoneNumber(deps: ApiDeps, line: Line, fields: string[]): Promise<Node> {
  const accessToken = accessTokenOf(line);
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

/** As last read from the platform; read now if it never was. */
async function phoneNumberOf(deps: ApiDeps, line: Line): Promise<Node> {
  if (line.upstream) return { ...line.upstream, id: line.phoneNumberId };
  if (line.accessToken === null) throw lineNotConfigured();
  const poll = () => pollLineStatus(deps, line);
  const report = await deps.refresher.refresh(line, 'status', 'gateway', poll, true);
  const told = deps.lines.byId(line.id)?.upstream;
  if (!told) throw notToldYet('this phone number', 'retry_after' in report ? report.retry_after : 1);
  return { ...told, id: line.phoneNumberId };
}
