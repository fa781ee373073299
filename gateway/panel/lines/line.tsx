import { type VNode } from 'preact';
import { connectionStateOf, qualityOf } from '../../cloud-api/phone-number';
import { editLine } from '../../lines/edit-line';
import { pollLineStatus } from '../../lines/line-status';
import { type RefreshReport } from '../../lines/refresh';
import { type DestinationRow } from '../../store/destinations';
import { type LineRow } from '../../store/lines';
import { isoTime } from '../../time';
import { Confirm, Form, Submit } from '../ui/form';
import { Live } from '../ui/live';
import { QualityBadge } from '../ui/quality-badge';
import { Badge, Card, Copy, Facts, Notice, PageHead, Time } from '../ui/parts';
import { change, look, page, seeOther, type Outcome, type PanelRoute, type Visit } from '../request-context';
import { isHeldBack } from '../ui/held-back';
import { DestinationPanel } from './destination-panel';
import { lineAt, sentenceOf, StateBadge, upstreamOf, WINDOW_WORDS } from './line-words';

export const linePages: PanelRoute[] = [
  look('/lines/:id', showLine, { live: true }),
  change('/lines/:id/refresh', refreshStatus),
  change('/lines/:id/active', (visit) => turn(visit, 'isActive')),
  change('/lines/:id/api', (visit) => turn(visit, 'apiEnabled')),
];

async function showLine(visit: Visit) {
  const { store, clock } = visit.world;
  const line = await lineAt(visit);
  const [destinations, lastEvents] = await Promise.all([
    store.destinations.active(isoTime(clock()), line.id),
    store.glance.lastEvents(),
  ]);
  const [backlogs, held] = await Promise.all([
    store.glance.backlogs(destinations.map(({ id }) => id)),
    store.deliveryList.waitingFor(destinations.filter(isHeldBack).map(({ id }) => id)),
  ]);
  const lastEventAt = lastEvents.get(line.id) ?? null;
  const forwarding = destinations.find(({ origin }) => origin === 'forwarding');
  const more = destinations.filter((one) => one !== forwarding);
  const edit = `/panel/lines/${line.id}/edit`;
  const panel = (one: DestinationRow) => (
    <DestinationPanel
      key={one.id}
      visit={visit}
      line={line}
      destination={one}
      waiting={backlogs.get(one.id) ?? 0}
      held={held.get(one.id)}
    />
  );
  const state = (
    <Card title="State">
      <Live id="state">
        <State line={line} lastEventAt={lastEventAt} />
      </Live>
    </Card>
  );
  // Whoever comes because of it sees it first.
  const isTroubled = destinations.some(isHeldBack);
  return page(
    line.name,
    <>
      <PageHead
        title={line.name}
        back={{ href: '/panel/lines', label: 'Lines' }}
        actions={
          <>
            <a class="button plain" href={`/panel/tokens?line=${line.id}`}>
              API tokens
            </a>
            <a class="button plain" href={`/panel/templates?line=${line.id}`}>
              Templates
            </a>
            <a class="button plain" href={`/panel/lines/${line.id}/opt-outs`}>
              Opt-outs
            </a>
            {visit.mayChange && (
              <>
                <Form visit={visit} action={`/panel/lines/${line.id}/refresh`} class="inline">
                  <Submit tone="plain">Refresh status</Submit>
                </Form>
                <a class="button primary" href={edit}>
                  Edit
                </a>
              </>
            )}
          </>
        }
      >
        <span class="number">{line.phone_number}</span>
      </PageHead>
      {!isTroubled && state}
      <Card title="Raw forwarding to CRM">
        <Live id="forwarding">
          {forwarding ? panel(forwarding) : <NoForwarding href={edit} mayChange={visit.mayChange} />}
        </Live>
      </Card>
      <Card
        title="More destinations"
        actions={
          visit.mayChange && (
            <a class="button plain" href={`/panel/lines/${line.id}/destinations/new`}>
              Add a destination
            </a>
          )
        }
      >
        <Live id="destinations">
          {more.length ? (
            <div class="destinations">{more.map(panel)}</div>
          ) : (
            <p class="quiet">
              None. Events can go to several places at once, each with a filter of its own; an n8n trigger
              adds itself here.
            </p>
          )}
        </Live>
      </Card>
      {isTroubled && state}
      <Card title="Upstream’s callback">
        <Callback visit={visit} line={line} lastEventAt={lastEventAt} />
      </Card>
      {visit.mayChange && <Switches visit={visit} line={line} />}
    </>,
  );
}

function State({ line, lastEventAt }: { line: LineRow; lastEventAt: string | null }): VNode {
  const upstream = upstreamOf(line);
  const limit = upstream?.whatsapp_business_manager_messaging_limit ?? upstream?.messaging_limit_tier;
  return (
    <Facts
      facts={[
        [
          'State',
          <span class="cluster">
            <StateBadge line={line} />
            {upstream?.status && <span class="quiet">upstream says {upstream.status}</span>}
          </span>,
        ],
        [
          'API',
          line.api_disabled_at === null ? (
            <Badge tone="good">On</Badge>
          ) : (
            <Badge tone="warn">Off: no request is answered</Badge>
          ),
        ],
        [
          'Quality',
          <span class="cluster">
            <QualityBadge rating={upstream?.quality_rating} />
            <span class="quiet">
              {line.quality_mode === 'strict'
                ? 'strict: sends only if high or medium'
                : 'sends unless it is low'}
            </span>
          </span>,
        ],
        [
          '24-hour window',
          <>
            {WINDOW_WORDS[line.window_mode].label}
            <div class="quiet small">{WINDOW_WORDS[line.window_mode].hint}</div>
          </>,
        ],
        ['Last event', <Time at={lastEventAt} never="none lately" />],
        ['Name at upstream', upstream?.verified_name ?? <span class="quiet">not told yet</span>],
        ['Messaging limit', limit ?? <span class="quiet">not told yet</span>],
        ['Phone number ID', <code>{line.phone_number_id}</code>],
        ['Business Account ID', <code>{line.waba_id}</code>],
        ['Upstream last asked', <Time at={line.status_checked_at} />],
      ]}
    />
  );
}

const NoForwarding = ({ href, mayChange }: { href: string; mayChange: boolean }): VNode => (
  <div class="stack">
    <p>
      Not set: whatever contacts write is kept here and goes nowhere. Give the address of your CRM, workflow
      or server, and each event is sent there at once, in upstream’s own format.
    </p>
    {mayChange && (
      <p>
        <a class="button primary" href={href}>
          Set the forwarding URL
        </a>
      </p>
    )}
  </div>
);

interface CallbackProps {
  visit: Visit;
  line: LineRow;
  lastEventAt: string | null;
}

function Callback({ visit, line, lastEventAt }: CallbackProps): VNode {
  const { sandboxUrl, callback } = visit.world;
  if (sandboxUrl !== null)
    return (
      <p>
        <Badge tone="good">Nothing to do</Badge> The sandbox is the messaging platform here, and it knows
        where this gateway is.
      </p>
    );
  const address = `${visit.gatewayUrl}/webhooks/platform/${line.phone_number_id}`;
  return (
    <div class="stack">
      <Live id="handshake">
        <Handshake at={line.handshake_at} lastEventAt={lastEventAt} />
      </Live>
      <p>
        At the upstream platform, open your app → WhatsApp → Configuration → Webhook → Edit, paste these two,
        and choose <strong>Verify and save</strong>. Then subscribe to the field <code>messages</code>.
      </p>
      {!address.startsWith('https:') && (
        <Notice tone="warn">
          <p>
            Upstream calls public addresses with https alone. Set <code>GATEWAY_PUBLIC_URL</code> to the one
            under which this gateway is reached.
          </p>
        </Notice>
      )}
      <div class="stack close">
        <h3>Callback URL</h3>
        <Copy id="callback-url" text={address} label="callback URL" />
      </div>
      {visit.mayChange && (
        <div class="stack close">
          <h3>Verify token</h3>
          <Copy id="verify-token" text={line.verify_token} label="verify token" />
        </div>
      )}
      {line.app_secret_sealed === null && (
        <Notice tone="bad">
          <p>This line has no app secret: no event can be taken. Give it under Edit.</p>
        </Notice>
      )}
      {callback.verifyToken !== null && (
        <p class="quiet small">
          If one app at upstream serves all your lines, use{' '}
          <code>{`${visit.gatewayUrl}/webhooks/platform`}</code> there, with the verify token and the app
          secret of <code>GATEWAY_VERIFY_TOKEN</code> and <code>GATEWAY_APP_SECRET</code>.
        </p>
      )}
    </div>
  );
}

function Handshake({ at, lastEventAt }: { at: string | null; lastEventAt: string | null }): VNode {
  if (at !== null)
    return (
      <Notice tone="good">
        <p>
          <strong>Upstream has shaken hands.</strong> It asked for this callback on <Time at={at} />.
        </p>
      </Notice>
    );
  if (lastEventAt !== null)
    return (
      <Notice tone="good">
        <p>
          <strong>Upstream reaches this gateway.</strong> Its last event came on <Time at={lastEventAt} />.
        </p>
      </Notice>
    );
  return (
    <Notice tone="info">
      <p>
        <strong>Waiting for upstream’s handshake…</strong> This turns green as soon as it came. Without
        script, load the page again.
      </p>
    </Notice>
  );
}

function Switches({ visit, line }: { visit: Visit; line: LineRow }): VNode {
  const action = `/panel/lines/${line.id}`;
  return (
    <Card title="Switch off">
      <div class="switches">
        <p>
          <strong>API.</strong> While it is off, every request with a token of this line is refused; events
          still come and go.
        </p>
        {line.api_disabled_at === null ? (
          <Confirm
            visit={visit}
            id="api-off"
            action={`${action}/api`}
            button="Switch the API off"
            title="Switch the API of this line off?"
            confirm="Switch it off"
            fields={{ to: 'off' }}
          >
            <p>Nothing can be sent with it until it is on again. Events go on.</p>
          </Confirm>
        ) : (
          <SwitchOn visit={visit} action={`${action}/api`} text="Switch the API on" />
        )}
        <p>
          <strong>Line.</strong> A deactivated line sends nothing and upstream is not asked about it; its
          tokens, destinations and history stay.
        </p>
        {line.deactivated_at === null ? (
          <Confirm
            visit={visit}
            id="deactivate"
            action={`${action}/active`}
            button="Deactivate the line"
            tone="danger"
            title={`Deactivate ${line.name}?`}
            confirm="Deactivate it"
            fields={{ to: 'off' }}
          >
            <p>Nothing can be sent with it until it is activated again. Nothing is removed.</p>
          </Confirm>
        ) : (
          <SwitchOn visit={visit} action={`${action}/active`} text="Activate the line" />
        )}
      </div>
    </Card>
  );
}

const SwitchOn = ({ visit, action, text }: { visit: Visit; action: string; text: string }): VNode => (
  <Form visit={visit} action={action} class="inline">
    <input type="hidden" name="to" value="on" />
    <Submit>{text}</Submit>
  </Form>
);

const TURNED = {
  isActive: { true: 'The line is active again.', false: 'The line is deactivated.' },
  apiEnabled: { true: 'The API of this line is on.', false: 'The API of this line is off.' },
} as const;

async function turn(visit: Visit, what: keyof typeof TURNED): Promise<Outcome> {
  const line = await lineAt(visit);
  const isOn = visit.form.get('to') === 'on';
  await editLine(visit.world, visit.actor, line, { [what]: isOn });
  return seeOther(`/panel/lines/${line.id}`, TURNED[what][`${isOn}`]);
}

async function refreshStatus(visit: Visit): Promise<Outcome> {
  const { world } = visit;
  const { id } = await lineAt(visit);
  const line = world.lines.byId(id);
  const poll = async () => {
    if (line) await pollLineStatus(world.store, world.cloudApi, line, world.clock);
    await world.registry.refresh();
  };
  const asked = async () => {
    if (!line) return 'The line is being read; try it again.';
    const report = await world.refresher.refresh(line, 'status', 'person', poll, true);
    return refreshed(report, await lineAt(visit));
  };
  const sentence = await asked().catch((error: unknown) => {
    return `The platform refused: ${sentenceOf(error)}`;
  });
  return seeOther(`/panel/lines/${id}`, sentence);
}

function refreshed(report: RefreshReport, line: LineRow): string {
  if (!report.requested || report.performed) {
    const upstream = upstreamOf(line);
    return `Upstream was asked: the line is ${connectionStateOf(upstream?.status ?? null)}, its quality ${qualityOf(upstream?.quality_rating).toLowerCase()}.`;
  }
  if (report.reason === 'cooldown')
    return `Upstream was asked less than a minute ago, and is not asked more often. Try it again in ${report.retry_after} s.`;
  if (report.reason === 'no_credentials') return 'This line has no access token: give one under Edit.';
  return 'Upstream could not be asked just now. What is shown is what it last told.';
}
