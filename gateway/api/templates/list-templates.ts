import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { QUALITIES } from '../../cloud-api/phone-number';
import { TEMPLATE_STATES, type TemplateState } from '../../cloud-api/template';
import { invalidQuery, quoted } from '../../errors';
import { type RefreshReport } from '../../lines/refresh';
import { RefreshAnswer, TextOrNull, TimeOrNull } from '../http/answer-parts';
import { readFlag, readInteger, Refresh } from '../http/query';
import { sendList } from '../http/send-list';
import { operation, type ApiDeps } from '../operation';
import { BAD_QUERY, REFRESHED } from '../refusals';

const LIMIT = { minimum: 1, maximum: 500, default: 200 };

const TemplatesQuery = Type.Object({
  status: Type.Optional(
    Type.Enum([...TEMPLATE_STATES], {
      description: 'Only templates in this state. An `approved` one can be sent.',
    }),
  ),
  name: Type.Optional(Type.String({ description: 'Only templates whose name contains this.' })),
  limit: Type.Optional(Type.Integer({ ...LIMIT, description: 'Templates at most.' })),
  refresh: Type.Optional(Refresh),
});

export const Template = Type.Object({
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
  /** The platform's, unchanged. */
  components: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })),
});

const TemplatesAnswer = Type.Object({
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

export const listTemplates = operation('get /{tid}/templates', {
  tag: 'Templates',
  id: 'listTemplates',
  scope: 'read',
  rate: 'reads',
  isList: true,
  summary: 'List the templates of your line',
  description:
    'The templates of your line by name and language, with what is needed to fill one in: text, number of variables, buttons.',
  query: TemplatesQuery,
  answers: { 200: { description: 'The templates.', schema: TemplatesAnswer } },
  refusals: () => [BAD_QUERY, ...REFRESHED],
  handler: getTemplates,
});

/** The stored templates. The platform is asked first with `refresh=1`, or if they were never read. */
function getTemplates(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { line } = request;
    const query = request.query as Record<string, unknown>;
    const status = readStatus(query.status);
    const limit = readInteger('limit', query.limit, LIMIT);
    const name = readName(query.name);
    const asked = readFlag('refresh', query.refresh);

    const neverSynced = (await deps.knownTemplates.list(line.id)).syncedAt === null;
    const asker = asked ? 'person' : 'gateway';
    const perform = () => deps.syncTemplates(line);
    const refresh: RefreshReport =
      asked || neverSynced
        ? await deps.refresher.refresh(line, 'templates', asker, perform, asked && neverSynced)
        : { requested: false };

    const { syncedAt, templates } = await deps.knownTemplates.list(line.id);
    const listed = templates
      .filter((one) => one.row.name.toLowerCase().includes(name) && (status ?? one.status) === one.status)
      .slice(0, limit);
    const answer: Omit<Type.Static<typeof TemplatesAnswer>, 'data'> = {
      success: true,
      line: {
        id: line.id,
        phone_number: line.phoneNumber,
        channel: 'cloud_api',
        requires_platform_approval: true,
      },
      synced_at: syncedAt,
      refresh: asked ? refresh : { requested: false },
      count: listed.length,
    };
    const records = listed.map(({ record }) => [record]);
    return sendList(reply, `${JSON.stringify(answer).slice(0, -1)},"data":[`, records, ']}');
  };
}

function readName(value: unknown): string {
  if (value === undefined || typeof value === 'string') return (value ?? '').toLowerCase();
  throw invalidQuery('name is given more than once.');
}

function readStatus(value: unknown): TemplateState | undefined {
  if (value === undefined) return undefined;
  if (TEMPLATE_STATES.includes(value as TemplateState)) return value as TemplateState;
  throw invalidQuery(`status is ${quoted(String(value))}; possible: ${TEMPLATE_STATES.join(', ')}.`);
}
