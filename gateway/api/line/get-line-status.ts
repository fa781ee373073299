import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { healthOf } from '../../alerts/conditions/lines';
import { healthFacts } from '../../alerts/facts';
import { CONNECTION_STATES, QUALITIES } from '../../cloud-api/phone-number';
import { LINE_HEALTH } from '../../lines/health';
import { lineStatus, pollLineStatus, storedStatus } from '../../lines/line-status';
import { type RefreshReport } from '../../lines/refresh';
import { RefreshAnswer, TextOrNull, TimeOrNull } from '../http/answer-parts';
import { readFlag, Refresh } from '../http/query';
import { operation, type ApiDeps } from '../operation';
import { BAD_QUERY, REFRESHED } from '../refusals';

const StatusQuery = Type.Object({ refresh: Type.Optional(Refresh) });

const LineStatusAnswer = Type.Object({
  success: Type.Literal(true),
  connected: Type.Union([Type.Boolean(), Type.Null()]),
  state: Type.Enum([...CONNECTION_STATES]),
  health: Type.Enum([...LINE_HEALTH], { description: 'What stops or limits the line, most urgent first.' }),
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

export const getLineStatus = operation('get /{tid}/status', {
  tag: 'Line',
  id: 'getLineStatus',
  scope: 'read',
  rate: 'reads',
  summary: 'Ask how your line is doing',
  description:
    'Whether the platform has your line connected, how it rates its quality, and how much it may send.',
  query: StatusQuery,
  answers: { 200: { description: 'The state of the line.', schema: LineStatusAnswer } },
  refusals: () => [BAD_QUERY, ...REFRESHED],
  handler: readStatus,
});

/** The line's state from stored data; with `refresh=1` the platform is asked first. */
function readStatus(deps: ApiDeps) {
  return async (request: FastifyRequest): Promise<Type.Static<typeof LineStatusAnswer>> => {
    const { line } = request;
    const query = request.query as Record<string, unknown>;
    const poll = () => pollLineStatus(deps, line);
    const refresh: RefreshReport = readFlag('refresh', query.refresh)
      ? await deps.refresher.refresh(line, 'status', 'person', poll, line.upstream === null)
      : { requested: false };
    const stored = await storedStatus(deps.store, line);
    return lineStatus(stored, healthOf(stored, await healthFacts(deps, line)), refresh, deps.clock);
  };
}
