import { hash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { isPublicAddress } from '../http/destination-address';
import { notFound, overloaded, stopping, wrongMetricsToken } from '../errors';
import { type Store } from '../store/store';
import { withTimeout } from './with-timeout';
import { singleFlight } from './single-flight';
import { type Metrics } from './metrics';
import { SHORTAGES, type Pressure } from './pressure';

export interface HealthDeps {
  store: Store;
  metrics: Metrics;
  pressure: Pick<Pressure, 'cause'>;
  /** The token for /metrics; null: private addresses need no token. */
  metricsToken: string | null;
  /** False from the request to stop on. */
  isServing: () => boolean;
}

/** Health and metrics for operators. Reveals no secret, and needs no line token. */
export const healthRoutes = ({ store, metrics, metricsToken, pressure, isServing }: HealthDeps) => ({
  /** GET /healthz: 200 if the process responds. */
  alive: async () => ({ status: 'ok' }),

  /** GET /readyz: 200 if the gateway can work, otherwise 503. */
  ready: singleFlight(async () => {
    if (!isServing()) throw stopping();
    const cause = pressure.cause();
    if (cause !== null) throw overloaded(SHORTAGES[cause]);
    // A failure here gets the same response as any request that needs the database.
    await withTimeout(Promise.all([store.registry.revision(), store.canWrite()]));
    return { status: 'ok' };
  }),

  /**
   * GET /metrics, in the Prometheus format. With a token set, only requests with the token are allowed. Otherwise
   * only requests from this machine or a private network, without a proxy, which would publish it, and without a
   * public host name: a web page whose name resolves to this machine could read it in a local user's browser.
   */
  metrics: async (request: FastifyRequest, reply: FastifyReply) => {
    const { headers, socket } = request;
    if (metricsToken !== null) {
      if (!isSame(headers.authorization ?? '', `Bearer ${metricsToken}`)) throw wrongMetricsToken();
      return reply.type(metrics.contentType).send(await metrics.text());
    }
    const isForwarded = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'].some((name) => name in headers);
    if (isForwarded || isPublicAddress(socket.remoteAddress ?? '') || isPublicName(headers.host ?? ''))
      throw notFound('/metrics');
    return reply.type(metrics.contentType).send(await metrics.text());
  },
});

/** Host names that no public web page can have: without a dot, or reserved for private networks. */
const PRIVATE_NAME = /^([^.]+|.+\.(localhost|local|internal|lan|home\.arpa|svc))$/i;

function isPublicName(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '') ?? '';
  return name !== '' && !isIP(name.replace(/^\[|\]$/g, '')) && !PRIVATE_NAME.test(name);
}

/** Compares hashes, so that the duration does not depend on the given text. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
