import { hash, randomUUID } from 'node:crypto';

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
    return { id: randomUUID().replaceAll('-', ''), flags: RECORDED };
  return { id, flags };
}

const TRACE = Symbol('trace');

/** The trace of an incoming request, the same at each call. */
export const traceOfRequest = (request: {
  headers: NodeJS.Dict<string | string[]>;
  [TRACE]?: Trace;
}): Trace => (request[TRACE] ??= traceOf(request.headers.traceparent));

/**
 * The trace of an event: derived from its id, so that every attempt, replay and process has the same one without
 * storing it.
 */
export const traceOfEvent = (eventId: string): Trace => ({
  id: hash('sha256', eventId).slice(0, 32),
  flags: RECORDED,
});

/** The header for a call within a trace, with a new span id. */
export const traceparent = ({ id, flags }: Trace): string =>
  // In a UUID, the 16 digits after its version are random except for two bits that are never both zero.
  `00-${id}-${randomUUID().replaceAll('-', '').slice(-16)}-${flags}`;
