import { type IncomingMessage } from 'node:http';
import { malformedRequest, overloaded, payloadTooLarge, TOO_SLOW, type Refusal } from '../errors';
import { SECOND } from '../time';
import { rateLimitKey } from './caller-address';
import { isPublicAddress } from './destination-address';

const MEGABYTE = 1024 * 1024;
/**
 * The limit of small bodies, for which room is reserved: nearly all bodies are small, and a few large ones must not
 * block them.
 */
const SMALL = 64 * 1024;
const RESERVE = 4 * MEGABYTE;
/** For one public address, of which an attacker has few. A private address may be a proxy for all clients. */
const LIMIT_OF_ONE = 7 * MEGABYTE;
/**
 * If there is no room, a body that has been arriving for this long is dropped. The platform's bodies arrive within a
 * second.
 */
const SLOW = 2 * SECOND;
/**
 * Small chunks are gathered into pieces of this size, because each chunk of a few bytes takes some hundred bytes of
 * memory.
 */
const PIECE = 16 * 1024;

/**
 * The sender of a body. API tokens and panel sessions are checked before the body is read (`known`). For a callback,
 * a login or a new password, only the body identifies the sender (`stranger`).
 */
type Sender = 'known' | 'stranger';

/** For all bodies that are still arriving, per kind of sender, so that one kind cannot block the other. */
const ROOM: Record<Sender, number> = { known: 16 * MEGABYTE, stranger: 14 * MEGABYTE };

/**
 * A Fastify hook that reads the body of a request, if it has one, into `request.body`. Fastify itself reads none
 * (`leaveBodiesUnread`).
 * @throws Refusal for a body that is too large, breaks off, or does not fit into the room
 */
export type ReadBody = (
  request: { raw: IncomingMessage; routeOptions: { bodyLimit: number }; body: unknown },
  reply: { header(name: string, value: string): unknown },
) => Promise<void>;

interface Arriving {
  since: number;
  refuse(refused: Refusal): void;
}

interface Log {
  warn(fields: object, message: string): void;
}

/**
 * Reads bodies as bytes, each up to the limit of its route, and all together up to the available room.
 * @param patience milliseconds for a complete body
 */
export function arrivingBodies(log: Log, patience: number): Record<Sender, ReadBody> {
  return { known: reading('known', log, patience), stranger: reading('stranger', log, patience) };
}

function reading(sender: Sender, log: Log, patience: number): ReadBody {
  const gather = gathering(sender, log, patience);
  return async (request, reply) => {
    const { raw } = request;
    if (!hasBody(raw)) return;
    // Until then, Node parses what arrived together with the head.
    await null;
    const most = request.routeOptions.bodyLimit;
    const isHere = Number(raw.headers['content-length']) === raw.readableLength && raw.readableLength <= most;
    try {
      request.body = isHere ? takeAll(raw) : await gather(raw, most);
    } catch (error) {
      // The rest of the body may never come.
      reply.header('connection', 'close');
      throw error;
    }
  };
}

function takeAll(raw: IncomingMessage): Buffer {
  const body = raw.read() as Buffer;
  // Lets the request end.
  raw.resume();
  return body;
}

export const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  ((headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined);

type Gather = (payload: IncomingMessage, most: number) => Promise<Buffer>;

/** Gathers the chunks of bodies that are still arriving. */
function gathering(sender: Sender, log: Log, patience: number): Gather {
  /** Bytes. */
  let held = 0;
  let isFull = false;
  /** Oldest first. */
  const all = new Set<Arriving>();
  const ofAddress = new Map<string, number>();

  function noRoom(): Refusal {
    if (!isFull) log.warn({ sender, bytes: held }, 'more bodies arrive at once than are held');
    isFull = true;
    return tooMuch();
  }

  /** Drops the oldest body if it is slow. @returns whether there was one */
  function slowestGivesWay(): boolean {
    const [slowest] = all;
    if (!slowest || performance.now() - slowest.since < SLOW) return false;
    slowest.refuse(noRoom());
    return true;
  }

  function count(address: string, bytes: number): void {
    held += bytes;
    const left = (ofAddress.get(address) ?? 0) + bytes;
    if (left) ofAddress.set(address, left);
    else ofAddress.delete(address);
  }

  return (payload, most) => {
    const remoteAddress = payload.socket.remoteAddress ?? '';
    const address = rateLimitKey(remoteAddress);
    const isBounded = sender === 'stranger' && isPublicAddress(remoteAddress);
    const own: Arriving = { since: performance.now(), refuse };
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const pieces: Buffer[] = [];
    let size = 0;
    /** Bytes used by the pieces. */
    let taken = 0;
    /** Free bytes at the end of the last piece. */
    let free = 0;

    function take(chunk: Buffer): void {
      if (size + chunk.length > most) return refuse(payloadTooLarge(inWords(most)));
      const isCrumb = size > 0 && chunk.length < PIECE;
      const piece = isCrumb ? PIECE : chunk.length;
      const more = chunk.length <= free ? 0 : piece;
      if (isBounded && (ofAddress.get(address) ?? 0) + more > LIMIT_OF_ONE) return refuse(tooMuch());
      const limit = size + chunk.length > SMALL ? ROOM[sender] : ROOM[sender] + RESERVE;
      while (held + more > limit && all.has(own)) {
        if (!slowestGivesWay()) return refuse(noRoom());
      }
      // The body dropped was this one.
      if (!all.has(own)) return;
      count(address, more);
      taken += more;
      put(chunk, more);
      size += chunk.length;
    }

    /** @param more bytes of a new piece for the chunk; 0 if the last piece has room */
    function put(chunk: Buffer, more: number): void {
      if (more) {
        const last = pieces.pop();
        if (last) pieces.push(last.subarray(0, last.length - free));
        pieces.push(more === chunk.length ? chunk : Buffer.allocUnsafeSlow(more));
        free = more;
      }
      const piece = pieces.at(-1);
      if (piece && piece !== chunk) chunk.copy(piece, piece.length - free);
      free -= chunk.length;
    }

    function whole(): void {
      const [first] = pieces;
      const body = first?.length === size ? first : Buffer.concat(pieces, size);
      leave();
      resolve(body);
    }

    function broken(): void {
      refuse(brokenOff());
    }

    function refuse(refused: Refusal): void {
      leave();
      // The rest is discarded, so that the response can be sent on the connection.
      payload.resume();
      reject(refused);
    }

    function leave(): void {
      clearTimeout(waiting);
      payload.off('data', take).off('end', whole).off('close', broken);
      all.delete(own);
      pieces.length = 0;
      count(address, -taken);
      taken = 0;
      if (!isFull || held >= ROOM[sender] / 2) return;
      isFull = false;
      log.warn({ sender, bytes: held }, 'all bodies are accepted again');
    }

    if (Number(payload.headers['content-length']) > most)
      return Promise.reject(payloadTooLarge(inWords(most)));
    if (payload.destroyed) return Promise.reject(brokenOff());
    const waiting = setTimeout(() => refuse(malformedRequest(TOO_SLOW)), patience).unref();
    all.add(own);
    // A body that breaks off closes without an `end` event.
    payload.on('data', take).once('end', whole).once('close', broken).on('error', broken);
    return promise;
  };
}

const brokenOff = (): Refusal =>
  malformedRequest('The body was not received whole.', 'Send the request again.');

const tooMuch = (): Refusal => overloaded('more arrives at once than it holds');

/** A size in the notation of limits. */
export const inWords = (bytes: number): string =>
  bytes < MEGABYTE ? `${bytes / 1024} KB` : `${bytes / MEGABYTE} MB`;
