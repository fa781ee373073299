import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type CloudApi } from '../cloud-api/client';
import { lineStatus, pollLineStatus, withUpstreamStatus } from '../lines/line-status';
import { type RefreshReport, type Refresher } from '../lines/refresh';
import { type Store } from '../store/database';
import { type FollowedRegistry } from '../store/follow-registry';
import { type Clock } from '../time';
import { readFlag, refuseUnknown } from './query';

/** GET …/{tid}/status: the line's state by what upstream last told; with `refresh=1` upstream is asked first. */
export const getLineStatus =
  (deps: {
    store: Store;
    cloudApi: CloudApi;
    registry: FollowedRegistry;
    refresher: Refresher;
    clock: Clock;
  }) =>
  async (
    request: FastifyRequest<{ Querystring: Record<string, unknown> }>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const { line, query } = request;
    refuseUnknown(query, 'refresh');
    const poll = async () => {
      await pollLineStatus(deps.store, deps.cloudApi, line, deps.clock);
      await deps.registry.refresh();
    };
    const refresh: RefreshReport = readFlag('refresh', query.refresh)
      ? await deps.refresher.refresh(line, 'status', poll, line.upstream === null)
      : { requested: false };
    return reply.send(lineStatus(await withUpstreamStatus(deps.store, line), refresh, deps.clock));
  };
