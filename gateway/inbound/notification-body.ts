import { type IncomingMessage } from 'node:http';
import { type FastifyRequest } from 'fastify';
import { malformedRequest, payloadTooLarge, tooManyNotifications, type Refusal } from '../errors';

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

  function tooManyAtOnce(): Refusal {
    if (!isFull) log.warn({ bytes: arriving }, 'more notifications arrive at once than are taken');
    isFull = true;
    return tooManyNotifications();
  }

  return ({ headers }: FastifyRequest, payload: IncomingMessage): Promise<Buffer> => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    let size = 0;

    function take(chunk: Buffer): void {
      if (size + chunk.length > LIMIT) return refuse(payloadTooLarge('3 MB'));
      const limit = size + chunk.length > SMALL ? ARRIVING_LIMIT : ARRIVING_LIMIT + RESERVE;
      if (arriving + chunk.length > limit) return refuse(tooManyAtOnce());
      size += chunk.length;
      arriving += chunk.length;
      chunks.push(chunk);
    }

    function whole(): void {
      leave();
      resolve(Buffer.concat(chunks));
    }

    function broken(): void {
      refuse(malformedRequest('The body was not received whole. Send the request again.'));
    }

    function refuse(refused: Refusal): void {
      leave();
      chunks.length = 0;
      // What still comes is passed over: the answer has to go out on its connection.
      payload.resume();
      reject(refused);
    }

    function leave(): void {
      payload.off('data', take).off('end', whole).off('close', broken);
      arriving -= size;
      size = 0;
      if (!isFull || arriving >= ARRIVING_LIMIT / 2) return;
      isFull = false;
      log.warn({ bytes: arriving }, 'all notifications are taken again');
    }

    if (Number(headers['content-length']) > LIMIT) return Promise.reject(payloadTooLarge('3 MB'));
    // One that breaks off closes without an end.
    payload.on('data', take).once('end', whole).once('close', broken).on('error', broken);
    return promise;
  };
}
