import * as Type from 'typebox';
import { subjectOf, textOf } from '../../../alerts/incident-text';
import { CONDITION_KINDS, isConditionKind } from '../../../alerts/kinds';
import { mute, mutedOf, unmute, type Muted } from '../../../alerts/use-cases/mute';
import {
  alertMuteNotFound,
  incidentNotFound,
  invalidField,
  lineUnknown,
  notPermitted,
} from '../../../errors';
import { SEVERITIES } from '../../../store/schema';
import { type IncidentRow, type MuteRow } from '../../../store/tables/alerts';
import { isoTime } from '../../../time';
import { fact } from '../../../wording/facts';
import { TextOrNull } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { create, list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, made, type AdminContext } from '../operation';

const IdOrNull = Type.Unsafe<number | null>({ type: 'integer', nullable: true });
const Time = Type.String({ format: 'date-time' });

export const Incident = Type.Object({
  id: Type.Integer(),
  condition: Type.String({ description: 'Such as `destination_failing`.' }),
  severity: Type.Enum([...SEVERITIES]),
  title: Type.String(),
  text: Type.String(),
  action: Type.String({ description: 'What to do.' }),
  line_id: IdOrNull,
  waba_id: TextOrNull,
  waiting_deliveries: IdOrNull,
  since: Time,
});

function incident(row: IncidentRow): Type.Static<typeof Incident> {
  const { title, text, action } = textOf('en', subjectOf(row));
  const { id, kind, severity, line_id, waba_id, waiting, since } = row;
  return {
    ...{ id, condition: kind, severity, title, text, action, line_id, waba_id },
    ...{ waiting_deliveries: waiting, since },
  };
}

export const AlertMute = Type.Object({
  id: Type.Integer(),
  what: Type.String({ description: 'What is muted, as a sentence.' }),
  condition: TextOrNull,
  line_id: IdOrNull,
  until: Time,
  created_by: Type.String(),
  created_at: Time,
});

const muteShown = (row: MuteRow): Type.Static<typeof AlertMute> => ({
  id: row.id,
  what: row.what,
  condition: row.kind,
  line_id: row.line_id,
  until: row.until,
  created_by: row.who,
  created_at: row.created_at,
});

const NewMute = Type.Object(
  {
    incident_id: Type.Optional(Type.Integer({ description: 'Only this open incident.' })),
    line_id: Type.Optional(Type.Integer({ description: 'All incidents of this line.' })),
    condition: Type.Optional(
      Type.Enum([...CONDITION_KINDS], { description: 'All incidents of this kind, or those of `line_id`.' }),
    ),
    hours: Type.Optional(Type.Integer({ minimum: 1, description: 'How long. Or give `until`.' })),
    until: Type.Optional(Time),
  },
  { additionalProperties: false },
);
const readMute = bodyOf(typesOf(NewMute));

const TAG = 'Alerts';

export const listIncidents = list('/incidents', {
  tag: TAG,
  id: 'listIncidents',
  permission: 'alerts.read',
  summary: 'List open incidents',
  description: 'What is wrong now, in the order of the ids.',
  schema: 'Incident',
  refusals: () => [],
  handler: async (context) => pageInMemory(context, await context.deps.store.alerts.open(), incident),
});

const mutesOf = ({ deps }: AdminContext) => deps.store.alerts.mutes(isoTime(deps.clock()));

export const listAlertMutes = list('/alert-mutes', {
  tag: TAG,
  id: 'listAlertMutes',
  permission: 'alerts.read',
  summary: 'List mutes',
  description: 'Incidents of which nobody is notified for a while, in the order of the ids.',
  schema: 'AlertMute',
  refusals: () => [],
  handler: async (context) => pageInMemory(context, await mutesOf(context), muteShown),
});

const nothingMuted = () =>
  invalidField('incident_id', 'required', 'Give incident_id, or line_id, condition or both of them.');

export const createAlertMute = create('/alert-mutes', {
  tag: TAG,
  id: 'createAlertMute',
  permission: 'alerts.manage',
  fields: { line: 'line_id' },
  summary: 'Mute alerts',
  description:
    'Nobody is notified of these incidents until the mute ends, for example during maintenance. The panel still shows them. Without `line_id` or `incident_id`, the token must reach all customers.',
  body: { schema: NewMute, examples: { maintenance: { value: { line_id: 1, hours: 2 } } } },
  schema: 'AlertMute',
  refusals: () => [incidentNotFound(), lineUnknown(), nothingMuted(), notPermitted()],
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const { hours, until, ...given } = readMute(request);
    const row = await mute(deps, actor, by, await mutedBy(context, given), { hours, until });
    return made(`/alert-mutes/${row.id}`, muteShown(row));
  },
});

async function mutedBy(
  { deps }: AdminContext,
  { incident_id: id, line_id: lineId, condition }: Type.Static<typeof NewMute>,
): Promise<Muted> {
  if (id !== undefined) {
    if (lineId !== undefined || condition !== undefined) throw nothingMuted();
    const row = (await deps.store.alerts.open()).find((one) => one.id === id);
    if (!row) throw incidentNotFound();
    return mutedOf(row, 'this');
  }
  if (lineId === undefined && condition === undefined) throw nothingMuted();
  if (condition !== undefined && !isConditionKind(condition))
    throw invalidField(
      'condition',
      'enum',
      fact('choice.unknown', { given: condition, possible: CONDITION_KINDS }),
    );
  return { kind: condition ?? null, subject: null, lineId: lineId ?? null, facts: null };
}

export const removeAlertMute = remove('/alert-mutes/{mute_id}', {
  tag: TAG,
  id: 'removeAlertMute',
  permission: 'alerts.manage',
  summary: 'End a mute',
  description: 'Channels are notified again.',
  refusals: () => [alertMuteNotFound(), notPermitted(), lineUnknown()],
  handler: async (context) => {
    const { deps, actor, by, params } = context;
    const muted = (await mutesOf(context)).find(({ id }) => id === Number(params.mute_id));
    if (!muted || !(await unmute(deps, actor, by, muted.id))) throw alertMuteNotFound();
    return done;
  },
});
