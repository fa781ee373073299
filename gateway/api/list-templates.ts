import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { QUALITIES } from '../cloud-api/phone-number';
import { TEMPLATE_STATES, type TemplateState } from '../cloud-api/template';
import { invalidQuery, quoted } from '../errors';
import { type RefreshReport, type Refresher } from '../lines/refresh';
import { type Store } from '../store/database';
import { listTemplates } from '../templates/list-templates';
import { type SyncTemplates } from '../templates/sync-templates';
import { Flag, readFlag, readInteger } from './query';
import { RefreshAnswer } from './refresh-answer';
import { TextOrNull, TimeOrNull } from './nullable';

const LIMIT = { minimum: 1, maximum: 500, default: 200 };

export const TemplatesQuery = Type.Object({
  status: Type.Optional(Type.Enum([...TEMPLATE_STATES])),
  name: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer(LIMIT)),
  refresh: Type.Optional(Flag),
});

const Template = Type.Object({
  id: TextOrNull,
  name: Type.String(),
  language: Type.String(),
  category: Type.String(),
  status: Type.Enum([...TEMPLATE_STATES]),
  platform_status: TextOrNull,
  quality_score: Type.Enum([...QUALITIES]),
  parameter_format: Type.String(),
  header: Type.Union([Type.Object({ type: Type.String(), text: TextOrNull }), Type.Null()]),
  body: Type.String(),
  footer: TextOrNull,
  buttons: Type.Array(
    Type.Object({
      index: Type.Integer(),
      type: Type.String(),
      text: Type.String(),
      url: Type.Optional(Type.String()),
      phone_number: Type.Optional(Type.String()),
      variables: Type.Integer(),
    }),
  ),
  variables: Type.Integer(),
  variable_names: Type.Array(Type.String()),
  header_variables: Type.Array(Type.String()),
  is_starter: Type.Boolean(),
  /** Upstream's own, as it tells them. */
  components: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })),
});

export const TemplatesAnswer = Type.Object({
  success: Type.Literal(true),
  line: Type.Object({
    id: Type.Integer(),
    phone_number: Type.String(),
    channel: Type.Literal('cloud_api'),
    requires_platform_approval: Type.Boolean(),
  }),
  synced_at: TimeOrNull,
  refresh: RefreshAnswer,
  count: Type.Integer(),
  data: Type.Array(Template),
});

/** GET …/{tid}/templates: the stored templates; upstream is asked first with `refresh=1`, or if it never was. */
export const getTemplates =
  (deps: { store: Store; refresher: Refresher; syncTemplates: SyncTemplates }) =>
  async (
    request: FastifyRequest<{ Querystring: Record<string, unknown> }>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const { line, query } = request;
    const status = readStatus(query.status);
    const limit = readInteger('limit', query.limit, LIMIT);
    const name = readName(query.name);
    const asked = readFlag('refresh', query.refresh);

    const neverSynced = (await deps.store.templates.syncedAt(line.id)) === null;
    const perform = () => deps.syncTemplates(line);
    const refresh: RefreshReport =
      asked || neverSynced
        ? await deps.refresher.refresh(
            line,
            'templates',
            asked ? 'person' : 'gateway',
            perform,
            asked && neverSynced,
          )
        : { requested: false };

    const data = await listTemplates(deps.store, line.id, { status, name, limit });
    const answer: Static<typeof TemplatesAnswer> = {
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
    };
    return reply.send(answer);
  };

function readName(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value?.toLowerCase();
  throw invalidQuery('name is given more than once.');
}

function readStatus(value: unknown): TemplateState | undefined {
  if (value === undefined) return undefined;
  if (TEMPLATE_STATES.includes(value as TemplateState)) return value as TemplateState;
  throw invalidQuery(`status is ${quoted(String(value))}; possible: ${TEMPLATE_STATES.join(', ')}.`);
}
