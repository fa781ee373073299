import { type IncomingMessage } from 'node:http';
import { type FastifyRequest } from 'fastify';
import { malformedRequest, payloadTooLarge, tooManyNotifications } from '../errors';

const MEGABYTE = 1024 * 1024;
/** Of one notification, as upstream documents it. */
const LIMIT = 3 * MEGABYTE;
/** Of all notifications that are still arriving: anybody may send some, since a signature is known last. */
const ARRIVING_LIMIT = 64 * MEGABYTE;
/** Beyond that, for those that are small so far, as nearly all of upstream's are: a few that are large keep none of them out. */
const SMALL = 64 * 1024;
const RESERVE = 16 * MEGABYTE;

/** Reads notifications as bytes: a signature is over them, whatever their type is said to be. */
export function notificationBodies(log: { warn(fields: object, message: string): void }) {
  let arriving = 0;
  let isFull = false;

  function refuse(): never {
    if (!isFull) log.warn({ bytes: arriving }, 'more notifications arrive at once than are taken');
    isFull = true;
    throw tooManyNotifications();
  }

  return async ({ headers }: FastifyRequest, payload: IncomingMessage): Promise<Buffer> => {
    if (Number(headers['content-length']) > LIMIT) throw payloadTooLarge('3 MB');
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      // Not destroyed where it is refused: the answer still has to go out on its connection.
      for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (size + chunk.length > LIMIT) throw payloadTooLarge('3 MB');
        const limit = size + chunk.length > SMALL ? ARRIVING_LIMIT : ARRIVING_LIMIT + RESERVE;
        if (arriving + chunk.length > limit) refuse();
        size += chunk.length;
        arriving += chunk.length;
        chunks.push(chunk);
      }
    } catch (error) {
      if (payload.errored) throw malformedRequest('The body was not received whole. Send the request again.');
      payload.resume();
      throw error;
    } finally {
      arriving -= size;
      if (isFull && arriving < ARRIVING_LIMIT / 2) {
        isFull = false;
        log.warn({ bytes: arriving }, 'all notifications are taken again');
      }
    }
    return Buffer.concat(chunks);
  };
}
