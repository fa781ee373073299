import { type FastifyReply, type FastifyRequest } from 'fastify';
import { isPublicAddress } from '../http/destination-address';
import { notFound } from '../errors';
import { type Store } from '../store/database';
import { type Metrics } from './metrics';

export interface HealthDeps {
  store: Store;
  metrics: Metrics;
  /** False from the moment at which it is told to end. */
  isServing: () => boolean;
}

/** What tells whoever runs the gateway how it is: nothing here needs a token, and nothing here tells a secret. */
export const healthRoutes = ({ store, metrics, isServing }: HealthDeps) => ({
  /** GET /healthz: the process answers. */
  alive: async () => ({ status: 'ok' }),

  /** GET /readyz: it can do its work, so that requests may be sent to it. 503 where it cannot. */
  ready: async (_request: FastifyRequest, reply: FastifyReply) => {
    if (!isServing()) return reply.code(503).send({ status: 'stopping' });
    try {
      await store.registry.revision();
      return { status: 'ok' };
    } catch (error) {
      reply.log.warn({ error }, 'not ready: the database does not answer');
      return reply.code(503).send({ status: 'database_unavailable' });
    }
  },

  /**
   * GET /metrics, in the format of Prometheus: for those who ask from this machine or a private network, and not
   * through a proxy, which would carry it to everyone.
   */
  metrics: async (request: FastifyRequest, reply: FastifyReply) => {
    const { headers, socket } = request;
    const isForwarded = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'].some((name) => name in headers);
    if (isForwarded || isPublicAddress(socket.remoteAddress ?? '')) throw notFound('/metrics');
    return reply.type(metrics.contentType).send(await metrics.text());
  },
});
