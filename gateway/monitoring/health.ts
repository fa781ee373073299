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
  /** Opens /metrics; null: whoever asks from a private address may look. */
  metricsToken: string | null;
  /** False from the moment at which it is told to end. */
  isServing: () => boolean;
}

/** What tells whoever runs the gateway how it is: nothing here needs a token, and nothing here tells a secret. */
export const healthRoutes = ({ store, metrics, metricsToken, pressure, isServing }: HealthDeps) => ({
  /** GET /healthz: the process answers. */
  alive: async () => ({ status: 'ok' }),

  /** GET /readyz: it can do its work, so that requests may be sent to it. 503 where it cannot. */
  ready: singleFlight(async () => {
    if (!isServing()) throw stopping();
    const cause = pressure.cause();
    if (cause !== null) throw overloaded(SHORTAGES[cause]);
    // Where that fails, it is refused as every request that needs the database.
    await withTimeout(Promise.all([store.registry.revision(), store.canWrite()]));
    return { status: 'ok' };
  }),

  /**
   * GET /metrics, in the format of Prometheus: for those who ask from this machine or a private network, and not
   * through a proxy, which would carry it to everyone. Nor by a public name: a web page whose name leads to this machine
   * would read it in the browser of somebody here. Where a token is set, for those who have it, and nobody else.
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

/** Names that no web page can have: addresses, those without a dot, and those of private networks. */
const PRIVATE_NAME = /^([^.]+|.+\.(localhost|local|internal|lan|home\.arpa|svc))$/i;

function isPublicName(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '') ?? '';
  return name !== '' && !isIP(name.replace(/^\[|\]$/g, '')) && !PRIVATE_NAME.test(name);
}

/** Compared by hashes, which takes the same time whatever is given. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
