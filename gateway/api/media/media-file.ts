import { accessTokenOf } from '../../lines/line';
import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { invalidToken, mediaNotFound } from '../../errors';
import { lastOf, type Query } from '../http/graph-read';
import { type ApiDeps } from '../operation';

export const MediaQuery = Type.Object({
  phone_number_id: Type.Optional(
    Type.String({
      description:
        'The line of the file, which a token of several lines needs. With the token of a line it has to be that line.',
    }),
  ),
});

type MediaDeps = Pick<ApiDeps, 'cloudApi' | 'lines'>;

/** Reads a media file of the line from the platform. @throws Refusal if the file does not exist */
export async function mediaOf(deps: MediaDeps, request: FastifyRequest, id: string) {
  const node = await deps.cloudApi.media(mediaOwner(deps, request), id);
  if (!node) throw mediaNotFound();
  return node;
}

/**
 * Requests to the platform always name the file's owner: an access token may read the files of several lines, a
 * line's token only its own. A given `phone_number_id` must be the line's.
 */
export function mediaOwner({ lines }: Pick<ApiDeps, 'lines'>, request: FastifyRequest) {
  const { line } = request;
  const asked = lastOf((request.query as Query).phone_number_id);
  if (asked !== undefined && lines.byTid(asked)?.id !== line.id) throw invalidToken();
  return { accessToken: accessTokenOf(line), phoneNumberId: line.phoneNumberId };
}
