import { type FastifyReply, type FastifyRequest } from 'fastify';
import { TEMPLATE_STATES, type TemplateState } from '../cloud-api/template';
import { invalidQuery, quoted } from '../errors';
import { type RefreshReport, type Refresher } from '../lines/refresh';
import { type Store } from '../store/database';
import { listTemplates } from '../templates/list-templates';
import { type SyncTemplates } from '../templates/sync-templates';
import { readFlag, readInteger, refuseUnknown } from './query';

const DEFAULT_LIMIT = 200;
const HIGHEST_LIMIT = 500;

/** GET …/{tid}/templates: the stored templates; upstream is asked first with `refresh=1`, or if it never was. */
export const getTemplates =
  (deps: { store: Store; refresher: Refresher; syncTemplates: SyncTemplates }) =>
  async (
    request: FastifyRequest<{ Querystring: Record<string, unknown> }>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const { line, query } = request;
    refuseUnknown(query, 'status', 'limit', 'refresh');
    const status = readStatus(query.status);
    const limit = readInteger('limit', query.limit, { from: 1, to: HIGHEST_LIMIT, default: DEFAULT_LIMIT });
    const asked = readFlag('refresh', query.refresh);

    const neverSynced = (await deps.store.templates.syncedAt(line.id)) === null;
    const perform = () => deps.syncTemplates(line);
    const refresh: RefreshReport =
      asked || neverSynced
        ? await deps.refresher.refresh(line, 'templates', perform, asked && neverSynced)
        : { requested: false };

    const data = await listTemplates(deps.store, line.id, { status, limit });
    return reply.send({
      success: true,
      line: {
        id: line.id,
        phone_number: line.phoneNumber,
        channel: 'cloud_api',
        requires_platform_approval: true,
      },
      synced_at: await deps.store.templates.syncedAt(line.id),
      refresh: asked ? refresh : { requested: false },
      count: data.length,
      data,
    });
  };

function readStatus(value: unknown): TemplateState | undefined {
  if (value === undefined || value === '') return undefined;
  if (TEMPLATE_STATES.includes(value as TemplateState)) return value as TemplateState;
  throw invalidQuery(`status is ${quoted(String(value))}; possible: ${TEMPLATE_STATES.join(', ')}.`);
}
