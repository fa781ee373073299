import { type Agent } from 'undici';

/** undici's internal symbols for a client's socket and a socket's parser. */
const { kSocket, kParser } = require('undici/lib/core/symbols.js') as { kSocket: symbol; kParser: symbol };

interface Parser {
  onHeadersComplete(status: number, upgrade: boolean, keepsAlive: boolean): number;
}

const [CONTINUE, PROCESSING] = [100, 102];

/**
 * Ignores an unrequested 100, like every other response below 200. Some servers send it before each response, and
 * undici would treat the connection as broken.
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
