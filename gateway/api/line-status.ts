import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { type CloudApi } from '../cloud-api/client';
import { CONNECTION_STATES, QUALITIES } from '../cloud-api/phone-number';
import { lineStatus, pollLineStatus, withUpstreamStatus } from '../lines/line-status';
import { type RefreshReport, type Refresher } from '../lines/refresh';
import { type Store } from '../store/database';
import { type FollowedRegistry } from '../store/follow-registry';
import { type Clock } from '../time';
import { Flag, readFlag } from './query';
import { RefreshAnswer } from './refresh-answer';
import { TextOrNull, TimeOrNull } from './nullable';

export const StatusQuery = Type.Object({ refresh: Type.Optional(Flag) });

export const LineStatusAnswer = Type.Object({
  success: Type.Literal(true),
  connected: Type.Union([Type.Boolean(), Type.Null()]),
  state: Type.Enum([...CONNECTION_STATES]),
  checked_at: Type.String({ format: 'date-time' }),
  line: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    phone_number: Type.String(),
    channel: Type.Literal('cloud_api'),
    is_active: Type.Boolean(),
    api_enabled: Type.Boolean(),
  }),
  platform: Type.Object({
    platform_status: TextOrNull,
    quality_rating: Type.Union([Type.Enum([...QUALITIES]), Type.Null()]),
    messaging_limit: TextOrNull,
    verified_name: Type.String(),
    name_status: Type.String(),
    has_credentials: Type.Boolean(),
    last_checked_at: TimeOrNull,
    refresh: RefreshAnswer,
  }),
});

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
    const poll = async () => {
      await pollLineStatus(deps.store, deps.cloudApi, line, deps.clock);
      await deps.registry.refresh();
    };
    const refresh: RefreshReport = readFlag('refresh', query.refresh)
      ? await deps.refresher.refresh(line, 'status', 'person', poll, line.upstream === null)
      : { requested: false };
    const current = await withUpstreamStatus(deps.store, line);
    const answer: Static<typeof LineStatusAnswer> = lineStatus(current, refresh, deps.clock);
    return reply.send(answer);
  };
