import { hash, randomFillSync } from 'node:crypto';

/**
 * W3C trace context, level 1 (w3.org/TR/trace-context): the `traceparent` header, which gives everything caused by
 * one request, on any machine, the same id. A request with the header continues its trace; any other starts one.
 * `tracestate` is for systems that sample and record, which the gateway does not do.
 */
export interface Trace {
  /** 32 hex digits. */
  id: string;
  /** Two hex digits: whether earlier systems recorded the trace. */
  flags: string;
}

/** A later version may append more parts. `ff` is not a version, and all zeros is not an id. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;

/**
 * The "recorded" flag is always set, because a receiver that follows "not recorded" would drop the gateway's part of
 * the trace.
 */
const RECORDED = '01';

/** @param header as received; an invalid or repeated header counts as none */
export function traceOf(header: string | string[] | undefined): Trace {
  const [, version, id, flags, more] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (id === undefined || flags === undefined || (version === '00' && more !== undefined))
    return { id: randomHex(16), flags: RECORDED };
  return { id, flags };
}

const TRACE = Symbol('trace');

/** The trace of an incoming request, the same at each call. */
export const traceOfRequest = (request: {
  headers: NodeJS.Dict<string | string[]>;
  [TRACE]?: Trace;
}): Trace => (request[TRACE] ??= traceOf(request.headers.traceparent));

/** The log with the ids of a request, made when something is logged, because most requests log nothing. */
export const logOf = <Log extends { child(ids: object): Log }>(request: {
  log: Log;
  id: string;
  raw: Parameters<typeof traceOfRequest>[0];
}): Log => request.log.child({ reqId: request.id, traceId: traceOfRequest(request.raw).id });

/**
 * The trace of an event: derived from its id, so that every attempt, replay and process has the same one without
 * storing it.
 */
export const traceOfEvent = (eventId: string): Trace => ({
  id: hash('sha256', eventId).slice(0, 32),
  flags: RECORDED,
});

/** The header for a call within a trace, with a new span id. */
export const traceparent = ({ id, flags }: Trace): string => `00-${id}-${randomHex(8)}-${flags}`;

const pool = Buffer.alloc(8 * 1024);
let used = pool.length;

/** An id of random bytes as hexadecimal digits. A UUID takes four times as long, because Node joins it from pieces. */
export function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}
