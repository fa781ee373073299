import { hash, randomUUID } from 'node:crypto';

/**
 * W3C trace context, level 1 (w3.org/TR/trace-context): the header `traceparent`, by which all that one request causes,
 * on whatever machine, can be found under one id. A request that brings one is followed under it; any other begins one.
 * `tracestate` is for those who sample and record, which the gateway does not.
 */
export interface Trace {
  /** 32 hex digits. */
  id: string;
  /** Two hex digits: whether those before recorded it. */
  flags: string;
}

/** A later version may have more parts behind these four. `ff` is no version, and all zeros no id. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;

/** Recorded, as far as whoever began it is concerned: a receiver that follows "no" would leave out what it owes to us. */
const RECORDED = '01';

/** @param header as received; one that is invalid, or comes twice, counts as none */
export function traceOf(header: string | string[] | undefined): Trace {
  const [, version, id, flags, more] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (id === undefined || flags === undefined || (version === '00' && more !== undefined))
    return { id: randomUUID().replaceAll('-', ''), flags: RECORDED };
  return { id, flags };
}

const TRACE = Symbol('trace');

/** Of a request that arrived: the same each time it is asked for. */
export const traceOfRequest = (request: {
  headers: NodeJS.Dict<string | string[]>;
  [TRACE]?: Trace;
}): Trace => (request[TRACE] ??= traceOf(request.headers.traceparent));

/** Of an event: derived from its id, so that every attempt, replay and process tells the same without storing it. */
export const traceOfEvent = (eventId: string): Trace => ({
  id: hash('sha256', eventId).slice(0, 32),
  flags: RECORDED,
});

/** The header for a call that belongs to a trace, with an id of its own. */
export const traceparent = ({ id, flags }: Trace): string =>
  // Of a UUID, the 16 digits behind its version are random but for two bits that are never all zero.
  `00-${id}-${randomUUID().replaceAll('-', '').slice(-16)}-${flags}`;
