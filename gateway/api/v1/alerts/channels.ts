import * as Type from 'typebox';
import { saidOfFailure } from '../../../alerts/conditions/channels';
import { CHANNEL_KINDS, channelKind, type ChannelKindName } from '../../../alerts/channels/kinds';
import { settingsOf } from '../../../alerts/outbox';
import { addChannel, REMIND_HOURS } from '../../../alerts/use-cases/add-channel';
import { LONGEST_NAME, MOST_REMIND_HOURS, type ChannelInput } from '../../../alerts/use-cases/channel-input';
import { editChannel, pauseChannel, resumeChannel } from '../../../alerts/use-cases/edit-channel';
import { removeChannel } from '../../../alerts/use-cases/remove-channel';
import { tryChannel } from '../../../alerts/use-cases/test-channel';
import { alertChannelNotFound, invalidField, lineUnknown, notPermitted } from '../../../errors';
import { type Tables } from '../../../store/store';
import { type ChannelRow } from '../../../store/tables/alerts';
import { type Vault } from '../../../store/vault';
import { LANGUAGES, type Language } from '../../../wording/language';
import { say } from '../../../wording/say';
import { TextOrNull, TimeOrNull } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { act, change, create, get, list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, found, made, type AdminContext } from '../operation';

const KINDS = Object.keys(CHANNEL_KINDS) as ChannelKindName[];

const nullable = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));

const Quiet = Type.Object(
  { from: Type.String({ examples: ['22:00'] }), to: Type.String({ examples: ['07:00'] }) },
  { additionalProperties: false },
);

export const AlertChannel = Type.Object({
  id: Type.Integer(),
  kind: Type.String(),
  name: Type.String(),
  line_id: Type.Unsafe<number | null>({ type: 'integer', nullable: true }),
  waba_id: TextOrNull,
  to: Type.String({ description: 'The receiver, without secrets.' }),
  quiet_hours: Type.Union([Quiet, Type.Null()]),
  time_zone: Type.String(),
  remind_hours: Type.Unsafe<number | null>({ type: 'integer', nullable: true }),
  language: Type.String(),
  paused: Type.Boolean(),
  registered_by_line: Type.Boolean({ description: 'Whether a token of the line registered it.' }),
  last_alert_at: TimeOrNull,
  failing_since: TimeOrNull,
  failure: TextOrNull,
  created_at: Type.String({ format: 'date-time' }),
});

const shown = (vault: Vault, row: ChannelRow): Type.Static<typeof AlertChannel> => {
  const failure = saidOfFailure(row);
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    line_id: row.scope === 'line' ? Number(row.scope_id) : null,
    waba_id: row.scope === 'account' ? row.scope_id : null,
    to: channelKind(row.kind)?.shown(settingsOf(vault, row)) ?? '',
    quiet_hours: quietOf(row),
    time_zone: row.time_zone,
    remind_hours: row.remind_hours,
    language: row.language,
    paused: row.paused_at !== null,
    registered_by_line: row.origin === 'token',
    last_alert_at: row.last_told_at,
    failing_since: row.failing_since,
    failure: failure && say('en', failure),
    created_at: row.created_at,
  };
};

const quietOf = ({ quiet_from: from, quiet_to: to }: Pick<ChannelRow, 'quiet_from' | 'quiet_to'>) =>
  from !== null && to !== null ? { from, to } : null;

const NAME = Type.String({ minLength: 1, maxLength: LONGEST_NAME });
const SETTINGS = Type.Unsafe<Record<string, string>>({
  type: 'object',
  patternProperties: { '^.*$': { type: 'string' } },
  description: `By kind. ${KINDS.map((kind) => `\`${kind}\`: ${CHANNEL_KINDS[kind].fields.map(({ name }) => `\`${name}\``).join(', ')}`).join('; ')}. Secrets are never shown again.`,
});
const TERMS = {
  line_id: nullable(Type.Integer(), 'Only alerts about this line and its business account.'),
  waba_id: nullable(
    Type.String(),
    'Only alerts about the lines of this business account. Without `line_id` and `waba_id`: all alerts, for which the token needs the permission `gateway`.',
  ),
  quiet_hours: nullable(Quiet, 'Alerts that are not urgent wait until the end.'),
  time_zone: Type.Optional(Type.String({ description: 'Of `quiet_hours`. Default: `UTC`.' })),
  remind_hours: nullable(
    Type.Integer({ minimum: 1, maximum: MOST_REMIND_HOURS }),
    `Alerts about open incidents are repeated after these hours. Default: ${REMIND_HOURS}; null: never.`,
  ),
  language: Type.Optional(Type.Enum([...LANGUAGES])),
};

const NewChannel = Type.Object(
  { kind: Type.Enum(KINDS), name: NAME, settings: SETTINGS, ...TERMS },
  { additionalProperties: false },
);
const ChannelChange = Type.Object(
  {
    name: Type.Optional(NAME),
    settings: Type.Optional(SETTINGS),
    ...TERMS,
    paused: Type.Optional(Type.Boolean({ description: 'A paused channel sends no alerts.' })),
  },
  { additionalProperties: false },
);
const readNew = bodyOf(typesOf(NewChannel));
const readChange = bodyOf(typesOf(ChannelChange));

type Terms = Pick<
  Type.Static<typeof ChannelChange>,
  'line_id' | 'waba_id' | 'quiet_hours' | 'time_zone' | 'remind_hours' | 'language'
>;

/** @param stored what omitted fields keep */
function inputOf(
  kind: string,
  given: Terms & { name: string; settings: Record<string, string> },
  stored: Pick<ChannelInput, 'scope' | 'scopeId' | 'quiet' | 'timeZone' | 'remindHours' | 'language'>,
): ChannelInput {
  const { line_id: line, waba_id: account, quiet_hours: quiet, remind_hours: remindHours } = given;
  return {
    kind: kind as ChannelKindName,
    name: given.name.trim(),
    settings: given.settings,
    ...(line === undefined && account === undefined
      ? { scope: stored.scope, scopeId: stored.scopeId }
      : scopeOf(line ?? null, account ?? null)),
    quiet: quiet === undefined ? stored.quiet : quiet,
    timeZone: given.time_zone ?? stored.timeZone,
    remindHours: remindHours === undefined ? stored.remindHours : remindHours,
    language: (given.language as Language | undefined) ?? stored.language,
  };
}

const bothScopes = () => invalidField('waba_id', 'scope', 'Give line_id or waba_id, not both.');

function scopeOf(line: number | null, account: string | null): Pick<ChannelInput, 'scope' | 'scopeId'> {
  if (line !== null && account !== null) throw bothScopes();
  if (line !== null) return { scope: 'line', scopeId: String(line) };
  return account === null ? { scope: 'gateway', scopeId: null } : { scope: 'account', scopeId: account };
}

const DEFAULTS = {
  scope: 'gateway',
  scopeId: null,
  quiet: null,
  timeZone: 'UTC',
  remindHours: REMIND_HOURS,
  language: 'en',
} as const;

async function channelIn({ params }: AdminContext, { alerts }: Pick<Tables, 'alerts'>): Promise<ChannelRow> {
  const row = await alerts.channel(Number(params.channel_id));
  if (!row) throw alertChannelNotFound();
  return row;
}

const object = async (context: AdminContext, store: Tables) =>
  shown(context.deps.vault, await channelIn(context, store));

const TAG = 'Alerts';
/** Of settings, those whose names no field outside of `settings` has. */
const FIELD_NAMES = {
  ...Object.fromEntries(
    KINDS.flatMap((kind) => CHANNEL_KINDS[kind].fields)
      .filter(({ name }) => name !== 'line' && name !== 'language')
      .map(({ name }) => [name, `settings.${name}`]),
  ),
  quiet_from: 'quiet_hours.from',
  quiet_to: 'quiet_hours.to',
};
const refusals = () => [lineUnknown(), bothScopes(), notPermitted()];

export const listAlertChannels = list('/alert-channels', {
  tag: TAG,
  id: 'listAlertChannels',
  permission: 'alerts.read',
  summary: 'List alert channels',
  description: 'Where alerts are sent, in the order of their ids.',
  schema: 'AlertChannel',
  refusals: () => [],
  handler: async (context) => {
    const { store, vault } = context.deps;
    return pageInMemory(context, await store.alerts.channels(), (row) => shown(vault, row));
  },
});

export const getAlertChannel = get('/alert-channels/{channel_id}', {
  tag: TAG,
  id: 'getAlertChannel',
  permission: 'alerts.read',
  summary: 'Get an alert channel',
  description: 'One channel, and whether it works.',
  schema: 'AlertChannel',
  refusals: () => [alertChannelNotFound()],
  object,
});

export const createAlertChannel = create('/alert-channels', {
  tag: TAG,
  id: 'createAlertChannel',
  permission: 'alerts.manage',
  fields: FIELD_NAMES,
  summary: 'Create an alert channel',
  description:
    'The channel gets the open incidents and all later ones. For `webhook`, this answer alone shows the `secret` that signs the alerts. Then send a test alert.',
  body: {
    schema: NewChannel,
    examples: {
      slack: {
        value: {
          kind: 'slack',
          name: 'On call',
          settings: { url: 'https://hooks.slack.com/services/T0/B0/x' },
          line_id: 1,
        },
      },
      webhook: { value: { kind: 'webhook', name: 'Pager', settings: { url: 'https://example.com/alerts' } } },
    },
  },
  schema: 'AlertChannel',
  secrets: { secret: Type.Optional(Type.String()) },
  refusals,
  object,
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const { kind, ...given } = readNew(request);
    const input = inputOf(kind, given, DEFAULTS);
    const row = await addChannel(deps, actor, by, { ...input, origin: 'operator', tokenId: null });
    const { secret } = row.kind === 'webhook' ? settingsOf(deps.vault, row) : {};
    return made(`/alert-channels/${row.id}`, shown(deps.vault, row), secret ? { secret } : undefined);
  },
});

export const changeAlertChannel = change('/alert-channels/{channel_id}', {
  tag: TAG,
  id: 'changeAlertChannel',
  permission: 'alerts.manage',
  fields: FIELD_NAMES,
  summary: 'Change, pause or resume an alert channel',
  description:
    'Fields that you omit stay as they are, and so do single settings. A secret must be given again if the server that receives it changes.',
  body: {
    schema: ChannelChange,
    examples: { pause: { value: { paused: true } }, rename: { value: { name: 'Night shift' } } },
  },
  schema: 'AlertChannel',
  refusals: () => [alertChannelNotFound(), ...refusals()],
  object,
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const { paused, ...given } = readChange(request);
    let row = await channelIn(context, deps.store);
    if (Object.keys(given).length) row = await editChannel(deps, actor, by, row, changed(deps, row, given));
    if (paused !== undefined && paused !== (row.paused_at !== null))
      row = await (paused ? pauseChannel : resumeChannel)(deps, actor, by, row);
    return found(shown(deps.vault, row));
  },
});

function changed(
  { vault }: { vault: Vault },
  row: ChannelRow,
  given: Omit<Type.Static<typeof ChannelChange>, 'paused'>,
): ChannelInput {
  const fields = channelKind(row.kind)?.fields ?? [];
  const settings = settingsOf(vault, row);
  const open = fields.flatMap(({ name, isSecret }) => (isSecret ? [] : [[name, settings[name] ?? '']]));
  return inputOf(
    row.kind,
    {
      ...given,
      name: given.name ?? row.name,
      settings: { ...(Object.fromEntries(open) as Record<string, string>), ...given.settings },
    },
    {
      ...{ scope: row.scope, scopeId: row.scope_id, quiet: quietOf(row), timeZone: row.time_zone },
      ...{ remindHours: row.remind_hours, language: row.language as Language },
    },
  );
}

export const removeAlertChannel = remove('/alert-channels/{channel_id}', {
  tag: TAG,
  id: 'removeAlertChannel',
  permission: 'alerts.manage',
  summary: 'Remove an alert channel',
  description: 'Its waiting alerts are dropped.',
  refusals: () => [alertChannelNotFound(), lineUnknown(), notPermitted()],
  object,
  handler: async (context) => {
    const { deps, actor, by } = context;
    await removeChannel(deps, actor, by, await channelIn(context, deps.store));
    return done;
  },
});

const Tested = Type.Object({
  accepted: Type.Boolean(),
  failure: Type.Unsafe<string | null>({
    ...TextOrNull,
    description: 'Why it did not arrive; null if it arrived or is still being sent.',
  }),
});

export const testAlertChannel = act('/alert-channels/{channel_id}/test', {
  tag: TAG,
  id: 'testAlertChannel',
  permission: 'alerts.manage',
  summary: 'Send a test alert',
  description: 'Sends an alert to the channel now, and answers whether the channel accepted it.',
  schema: Tested,
  refusals: () => [alertChannelNotFound(), lineUnknown(), notPermitted()],
  handler: async (context) => {
    const { deps, actor, by, isDryRun } = context;
    const channel = await channelIn(context, deps.store);
    const links = deps.publicUrl === null ? null : { gateway: deps.publicUrl, alerts: deps.publicUrl };
    if (isDryRun) return found({ accepted: false, failure: null });
    const { isAccepted, failure } = await tryChannel(deps, actor, by, channel, links);
    return found({ accepted: isAccepted, failure: failure && say('en', failure) });
  },
});
