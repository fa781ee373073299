import { saidOfFailure } from '../../alerts/conditions/channels';
import { type VNode } from 'preact';
import { CHANNEL_KINDS, channelKind, isChannelKind, type ChannelKindName } from '../../alerts/channels/kinds';
import { PAUSED, settingsOf } from '../../alerts/outbox';
import { addChannel } from '../../alerts/use-cases/add-channel';
import { editChannel, pauseChannel, resumeChannel } from '../../alerts/use-cases/edit-channel';
import { removeChannel } from '../../alerts/use-cases/remove-channel';
import { tryChannel } from '../../alerts/use-cases/test-channel';
import { type ChannelRow } from '../../store/tables/alerts';
import { DAY, isoTime } from '../../time';
import { FormState } from '../form-state';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { ActionButton, Confirm, Form, Submit, SubmitOrCancel } from '../ui/form';
import { Badge, Card, Facts, Notice, PageHead, ShownOnce, Table, Time } from '../ui/parts';
import { ChannelKinds, NobodyIsTold } from './channel-kinds';
import { ChannelFields, namesIn, stateOf, typedChannel } from './channel-form';
import { said, Said } from '../languages/said';
import { t } from '../languages/t';
import { pageNotPermitted } from '../ui/frame/error-page';
import { ALERTS_PATH } from '../alert/alert-path';

/** The pages of alert channels. */
export const alertChannelPages: PanelRoute[] = [
  pageRoute('alerts.read', '/alerts/channels', showChannels),
  pageRoute('alerts.manage', '/alerts/channels/new', showKinds),
  pageRoute('alerts.manage', '/alerts/channels/new/:kind', (context) => showNew(context)),
  actionRoute('alerts.manage', '/alerts/channels/new/:kind', add),
  pageRoute('alerts.read', '/alerts/channels/:id', (context) => withChannel(context, showChannel)),
  actionRoute('alerts.manage', '/alerts/channels/:id', (context) => withManaged(context, save)),
  actionRoute('alerts.manage', '/alerts/channels/:id/test', (context) => withManaged(context, test)),
  actionRoute('alerts.manage', '/alerts/channels/:id/pause', (context) => withManaged(context, pause)),
  actionRoute('alerts.manage', '/alerts/channels/:id/remove', (context) => withManaged(context, remove)),
];

const LIST = '/panel/alerts/channels';
const back = () => ({ href: LIST, label: t('Channels') });

const pathOf = ({ id }: ChannelRow): string => `${LIST}/${id}`;

type Work = (context: UserContext, channel: ChannelRow, kind: ChannelKindName) => Promise<PanelResponse>;

async function withChannel(context: UserContext, work: Work): Promise<PanelResponse> {
  const { id = '' } = context.params;
  const channel = /^\d{1,9}$/.test(id) ? await context.deps.store.alerts.channel(Number(id)) : null;
  if (!channel || !isChannelKind(channel.kind)) return seeOther(LIST, t('There is no such channel.'));
  return work(context, channel, channel.kind);
}

const withManaged = (context: UserContext, work: Work): Promise<PanelResponse> =>
  withChannel(context, (_context, channel, kind) => {
    if (!mayManage(context, channel)) throw pageNotPermitted();
    return work(context, channel, kind);
  });

/** Whether the user may change the channel and test it. */
function mayManage({ may }: UserContext, { scope, scope_id: id }: ChannelRow): boolean {
  if (scope === 'gateway') return may('gateway');
  return may('alerts.manage', scope === 'line' ? Number(id) : null);
}

function Health({ channel }: { channel: ChannelRow }): VNode {
  if (channel.paused_at !== null) return <Badge tone="idle">{t.of('channel', 'Paused')}</Badge>;
  if (channel.failing_since !== null) return <Badge tone="bad">{t('Failing')}</Badge>;
  return channel.last_told_at === null ? (
    <Badge tone="info">{t('Not tried yet')}</Badge>
  ) : (
    <Badge tone="good">{t.of('channel', 'Works')}</Badge>
  );
}

const HealthAndWhy = ({ channel }: { channel: ChannelRow }): VNode => (
  <>
    <Health channel={channel} />
    {channel.paused_at === null && channel.failing_since !== null && (
      <div class="quiet small reason">
        {t.rich('Since {when}', { when: <Time at={channel.failing_since} to="minute" /> })} ·{' '}
        <Said>{saidOfFailure(channel)}</Said>
      </div>
    )}
  </>
);

const testButton = (channel: ChannelRow): VNode => (
  <ActionButton action={`${pathOf(channel)}/test`} tone="plain">
    {t('Send a test alert')}
    <span class="sr-only">: {channel.name}</span>
  </ActionButton>
);

const kindText = (kind: string): string => t.known(channelKind(kind)?.label ?? kind);

function scopeText({ deps }: UserContext, { scope, scope_id: id }: ChannelRow): string {
  if (scope === 'line') return t('Line {name}', { name: deps.lines.byId(Number(id))?.name ?? id ?? '' });
  return scope === 'account' ? t('Business account {id}', { id: id ?? '' }) : t('Everything');
}

async function showChannels(context: UserContext): Promise<PanelResponse> {
  const { store, vault } = context.deps;
  const channels = await store.alerts.channels();
  const target = (one: ChannelRow) => channelKind(one.kind)?.shown(settingsOf(vault, one)) ?? '';
  return page(
    <PageHead
      tab={t('Alert channels')}
      title={t('Channels')}
      back={{ href: '/panel/alerts', label: t('Alerts') }}
      actions={
        context.may('alerts.manage') &&
        channels.length > 0 && (
          <a class="button primary" href={`${LIST}/new`}>
            {t('Add a channel')}
          </a>
        )
      }
    >
      {t('Where alerts are sent. Add two channels of different kinds, in case one fails.')}
    </PageHead>,
    channels.length ? (
      <Card flush>
        <Table
          caption={t('Channels')}
          rows={channels}
          rowKey={({ id }) => id}
          columns={[
            {
              label: t('Name'),
              heading: true,
              cell: (one) => (
                <>
                  <a href={pathOf(one)}>{one.name}</a>
                  <div class="quiet small">{kindText(one.kind)}</div>
                </>
              ),
            },
            { label: t('State'), cell: (one) => <HealthAndWhy channel={one} /> },
            { label: t.of('receiver', 'To'), cell: (one) => <span class="long">{target(one)}</span> },
            { label: t('Notifies about'), cell: (one) => scopeText(context, one) },
            ...(context.may('alerts.manage')
              ? [
                  {
                    label: t('Actions'),
                    actions: true,
                    cell: (one: ChannelRow) => mayManage(context, one) && testButton(one),
                  },
                ]
              : []),
          ]}
        />
      </Card>
    ) : (
      <NobodyIsTold />
    ),
  );
}

function showKinds(): PanelResponse {
  return page(
    <PageHead title={t('Add a channel')} back={back()}>
      {t('Where should alerts go?')}
    </PageHead>,
    <ChannelKinds />,
  );
}

async function showNew(context: UserContext, given?: FormState): Promise<PanelResponse> {
  const { kind = '' } = context.params;
  if (!isChannelKind(kind)) return seeOther(`${LIST}/new`);
  const label = t.known(CHANNEL_KINDS[kind].label);
  const hint = t.known(CHANNEL_KINDS[kind].hint);
  const state = given ?? stateOf(kind, context.deps.lines.all(), undefined, {}, context.look.zone);
  return page(
    <PageHead
      tab={t('Add: {label}', { label })}
      title={label}
      back={{ href: `${LIST}/new`, label: t('Add a channel') }}
    >
      {hint}
    </PageHead>,
    <Card>
      <Form action={`${LIST}/new/${kind}`} state={state}>
        <ChannelFields kind={kind} isNew ownZone={!given} />
        <SubmitOrCancel submit={t('Add it')} back={LIST} />
      </Form>
    </Card>,
    state,
  );
}

async function add(context: UserContext): Promise<PanelResponse> {
  const { kind = '' } = context.params;
  if (!isChannelKind(kind)) return seeOther(`${LIST}/new`);
  const state = new FormState(context.form);
  const given = typedChannel(context, kind, state);
  const added = await state.given(
    () =>
      addChannel(context.deps, context.actor, context.session.grants, {
        ...given,
        origin: 'operator',
        tokenId: null,
      }),
    namesIn(state),
  );
  if (!added) return showNew(context, state);
  if (kind !== 'webhook' || given.settings.secret)
    return seeOther(pathOf(added), t('The channel is added. Send a test alert to see whether it arrives.'));
  return page(
    <PageHead tab={t('Added')} title={added.name} back={back()} />,
    <>
      <ShownOnce
        id="secret"
        text={settingsOf(context.deps.vault, added).secret ?? ''}
        label={t('The signing secret')}
        for={t('the receiver')}
      />
      <div class="actions">
        <a class="button primary" href={pathOf(added)}>
          {t('Continue')}
        </a>
      </div>
    </>,
  );
}

async function showChannel(
  context: UserContext,
  channel: ChannelRow,
  kind: ChannelKindName,
  given?: FormState,
): Promise<PanelResponse> {
  const settings = settingsOf(context.deps.vault, channel);
  const state = given ?? stateOf(kind, context.deps.lines.all(), channel, settings);
  return page(
    <PageHead title={channel.name} back={back()}>
      {channel.origin === 'token'
        ? t('{kind}, registered with a token of the line', { kind: kindText(kind) })
        : kindText(kind)}
    </PageHead>,
    <>
      {channel.failing_since !== null && (
        <Notice tone="bad">
          <p>
            {t.rich(
              '<strong>Alerts have not arrived</strong> since {when}: {why} Waiting alerts are retried for a day.',
              {
                when: <Time at={channel.failing_since} to="minute" />,
                why: <Said>{saidOfFailure(channel)}</Said>,
              },
            )}
          </p>
        </Notice>
      )}
      <Card title={t('State')} actions={<Health channel={channel} />}>
        <Facts
          facts={[
            [t.of('receiver', 'To'), CHANNEL_KINDS[kind].shown(settings)],
            [t('Notifies about'), scopeText(context, channel)],
            [t('Last alert'), <Time at={channel.last_told_at} />],
          ]}
        />
        {mayManage(context, channel) && <Buttons channel={channel} />}
      </Card>
      {mayManage(context, channel) && channel.origin === 'operator' && (
        <Card title={t('Settings')}>
          <Form action={pathOf(channel)} state={state}>
            <ChannelFields kind={kind} isNew={false} />
            <div class="actions">
              <Submit>{t('Save')}</Submit>
            </div>
          </Form>
        </Card>
      )}
    </>,
    state,
  );
}

const Buttons = ({ channel }: { channel: ChannelRow }): VNode => (
  <div class="actions">
    <ActionButton action={`${pathOf(channel)}/test`}>{t('Send a test alert')}</ActionButton>
    <ActionButton action={`${pathOf(channel)}/pause`} tone="plain">
      {channel.paused_at === null ? t('Pause') : t('Resume')}
    </ActionButton>
    <Confirm
      id="remove"
      action={`${pathOf(channel)}/remove`}
      button={t('Remove')}
      tone="danger"
      title={t('Remove {name}?', { name: channel.name })}
      confirm={t('Remove')}
    >
      <p>{t('The channel sends no more alerts, and its settings are deleted.')}</p>
    </Confirm>
  </div>
);

async function save(
  context: UserContext,
  channel: ChannelRow,
  kind: ChannelKindName,
): Promise<PanelResponse> {
  const state = new FormState(context.form);
  const given = typedChannel(context, kind, state);
  const { deps, actor, session } = context;
  await state.given(() => editChannel(deps, actor, session.grants, channel, given), namesIn(state));
  if (!state.isValid) return showChannel(context, channel, kind, state);
  return seeOther(pathOf(channel), t('It is saved.'));
}

async function test(context: UserContext, channel: ChannelRow): Promise<PanelResponse> {
  const { deps, actor, session, gatewayUrl } = context;
  const { isAccepted, failure } = await tryChannel(deps, actor, session.grants, channel, {
    gateway: gatewayUrl,
    alerts: `${gatewayUrl}${ALERTS_PATH}`,
  });
  if (isAccepted) return seeOther(pathOf(channel), t('The channel accepted the test alert.'));
  return seeOther(
    pathOf(channel),
    t('The test alert did not arrive: {why}', {
      why: failure ? said(failure) : t('it is still being sent.'),
    }),
    failure ? 'bad' : 'idle',
  );
}

async function pause({ deps, actor, session }: UserContext, channel: ChannelRow): Promise<PanelResponse> {
  const { id, paused_at: pausedAt } = channel;
  if (pausedAt === null) {
    await pauseChannel(deps, actor, session.grants, channel);
    return seeOther(pathOf(channel), t('The channel receives no alerts until you resume it.'));
  }
  await resumeChannel(deps, actor, session.grants, channel);
  const dropped = await deps.store.alerts.countDropped(id, isoTime(Date.parse(pausedAt) - DAY), PAUSED);
  return seeOther(
    pathOf(channel),
    dropped
      ? t(
          '{dropped, plural, one {The channel is resumed. The pause dropped # alert. Open incidents are sent again.} other {The channel is resumed. The pause dropped # alerts. Open incidents are sent again.}}',
          { dropped },
        )
      : t('The channel is resumed.'),
  );
}

async function remove({ deps, actor, session }: UserContext, channel: ChannelRow): Promise<PanelResponse> {
  await removeChannel(deps, actor, session.grants, channel);
  return seeOther(LIST, t('{name} is removed.', { name: channel.name }));
}
