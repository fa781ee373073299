import { type IncomingMessage } from 'node:http';
import { type FastifyRequest } from 'fastify';
import { malformedRequest, payloadTooLarge, tooManyNotifications, type Refusal } from '../errors';
import { countedAddress } from '../http/caller-address';
import { isPublicAddress } from '../http/destination-address';
import { SECOND } from '../time';

const MEGABYTE = 1024 * 1024;
/** Of one notification, as upstream documents it. */
const LIMIT = 3 * MEGABYTE;
/** Of all notifications that are still arriving: anybody may send some, since a signature is known last. */
const ARRIVING_LIMIT = 64 * MEGABYTE;
/** Beyond that, for those that are small so far, as nearly all of upstream's are: a few that are large keep none of them out. */
const SMALL = 64 * 1024;
const RESERVE = 16 * MEGABYTE;
/** Of one address on the Internet: a stranger has few of them. A private one may be a proxy, behind which all others are. */
const LIMIT_OF_ONE = 16 * MEGABYTE;
/** Where there is no room, one that has been arriving for this long gives way: upstream's arrive within a second. */
const SLOW = 2 * SECOND;

interface Arriving {
  since: number;
  refuse(refused: Refusal): void;
}

/** Reads notifications as bytes: a signature is over them, whatever their type is said to be. */
export function notificationBodies(log: { warn(fields: object, message: string): void }) {
  let arriving = 0;
  let isFull = false;
  /** Longest first. */
  const all = new Set<Arriving>();
  const ofAddress = new Map<string, number>();

  function tooManyAtOnce(): Refusal {
    if (!isFull) log.warn({ bytes: arriving }, 'more notifications arrive at once than are taken');
    isFull = true;
    return tooManyNotifications();
  }

  /** @returns whether there was one that had to */
  function slowestGivesWay(): boolean {
    const [slowest] = all;
    if (!slowest || performance.now() - slowest.since < SLOW) return false;
    slowest.refuse(tooManyAtOnce());
    return true;
  }

  function count(address: string, bytes: number): void {
    arriving += bytes;
    const left = (ofAddress.get(address) ?? 0) + bytes;
    if (left) ofAddress.set(address, left);
    else ofAddress.delete(address);
  }

  return ({ headers }: FastifyRequest, payload: IncomingMessage): Promise<Buffer> => {
    const address = countedAddress(payload.socket.remoteAddress ?? '');
    const isBounded = isPublicAddress(payload.socket.remoteAddress ?? '');
    const own: Arriving = { since: performance.now(), refuse };
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    let size = 0;

    function take(chunk: Buffer): void {
      if (size + chunk.length > LIMIT) return refuse(payloadTooLarge('3 MB'));
      if (isBounded && (ofAddress.get(address) ?? 0) + chunk.length > LIMIT_OF_ONE)
        return refuse(tooManyNotifications());
      const limit = size + chunk.length > SMALL ? ARRIVING_LIMIT : ARRIVING_LIMIT + RESERVE;
      while (arriving + chunk.length > limit && all.has(own)) {
        if (!slowestGivesWay()) return refuse(tooManyAtOnce());
      }
      // It was the slowest itself.
      if (!all.has(own)) return;
      size += chunk.length;
      count(address, chunk.length);
      chunks.push(chunk);
    }

    function whole(): void {
      leave();
      resolve(Buffer.concat(chunks));
    }

    function broken(): void {
      refuse(malformedRequest('The body was not received whole.', 'Send the request again.'));
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
      all.delete(own);
      count(address, -size);
      size = 0;
      if (!isFull || arriving >= ARRIVING_LIMIT / 2) return;
      isFull = false;
      log.warn({ bytes: arriving }, 'all notifications are taken again');
    }

    if (Number(headers['content-length']) > LIMIT) return Promise.reject(payloadTooLarge('3 MB'));
    all.add(own);
    // One that breaks off closes without an end.
    payload.on('data', take).once('end', whole).once('close', broken).on('error', broken);
    return promise;
  };
}
