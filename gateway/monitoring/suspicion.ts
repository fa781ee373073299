import { type FastifyRequest } from 'fastify';
import { boundedLog, type Warn } from '../primitives/bounded-log';
import { type Suspicion } from '../errors';
import { callerAddress } from '../http/caller-address';
import { type Clock } from '../time';

interface Watched {
  log: { warn: Warn };
  metrics: { suspected(kind: Suspicion): void };
  clock: Clock;
}

/** Logs and counts requests to the API and the callbacks that may be attacks: source, target and fault. */
export function suspicions({ log, metrics, clock }: Watched) {
  const warn = boundedLog(log, clock);
  return (request: FastifyRequest, kind: Suspicion): void => {
    metrics.suspected(kind);
    const route = request.routeOptions.config.operation ?? request.routeOptions.url;
    warn({ address: callerAddress(request), method: request.method, route, kind }, 'request refused');
  };
}
