import { type Agent } from 'undici';

/** undici's own names for the socket of a client and the parser of a socket. */
const { kSocket, kParser } = require('undici/lib/core/symbols.js') as { kSocket: symbol; kParser: symbol };

interface Parser {
  onHeadersComplete(status: number, upgrade: boolean, keepsAlive: boolean): number;
}

const [CONTINUE, PROCESSING] = [100, 102];

/**
 * Passes over a 100 that nobody asked for, as over every other answer below 200: some servers say it before each answer,
 * and undici takes the connection for broken.
 */
export function passOverContinue(agent: Agent): Agent {
  return agent.on('connect', (_origin, dispatchers) => {
    const client = dispatchers.at(-1) as unknown as Record<symbol, Record<symbol, Parser>>;
    const parser = client[kSocket]?.[kParser];
    if (!parser) return;
    const told = parser.onHeadersComplete;
    parser.onHeadersComplete = (status, ...more) =>
      told.call(parser, status === CONTINUE ? PROCESSING : status, ...more);
  });
}
