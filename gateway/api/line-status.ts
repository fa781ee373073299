import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type CloudApi } from '../cloud-api/client';
import { type LineRegistry } from '../lines/line-registry';
import { lineStatus, pollLineStatus } from '../lines/line-status';
import { type RefreshReport, type Refresher } from '../lines/refresh';
import { type Store } from '../store/database';
import { type FollowedRegistry } from '../store/follow-registry';
import { type Clock } from '../time';
import { readFlag } from './query';

/** GET …/{tid}/status: the line's state by what upstream last told; with `refresh=1` upstream is asked first. */
export const getLineStatus =
  (deps: {
    store: Store;
    cloudApi: CloudApi;
    lines: LineRegistry;
    registry: FollowedRegistry;
    refresher: Refresher;
    clock: Clock;
  }) =>
  async (
    request: FastifyRequest<{ Querystring: Record<string, unknown> }>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const { line } = request;
    const poll = async () => {
      await pollLineStatus(deps.store, deps.cloudApi, line, deps.clock);
      await deps.registry.refresh();
    };
    const refresh: RefreshReport = readFlag('refresh', request.query.refresh)
      ? await deps.refresher.refresh(line, 'status', poll, line.upstream === null)
      : { requested: false };
    return reply.send(lineStatus(deps.lines.byId(line.id) ?? line, refresh, deps.clock));
  };
