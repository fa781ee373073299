import { type VNode } from 'preact';
import { type Destination } from '../../forwarding/destination';
import { addDestination } from '../../forwarding/destinations/add-destination';
import { handshake, type OperatorReport } from '../../forwarding/destinations/handshake';
import { type LineRow } from '../../store/tables/lines';
import { FormState } from '../form-state';
import { ActionButton, Form, SubmitOrCancel } from '../ui/form';
import { Card, Notice, PageHead, ShownOnce } from '../ui/parts';
import { page, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { lineOfRoute } from '../ui/frame/line-head';
import { Said } from '../languages/said';
import { t } from '../languages/t';
import { backTo } from './destination-route';
import { DestinationFields, emptyDestination, FIELDS, typedDestination } from './destination-form';

export const newDestinationPages: PanelRoute[] = [
  pageRoute('destinations.manage', '/lines/:id/destinations/new', async (context) =>
    askDestination(context, await lineOfRoute(context), emptyDestination()),
  ),
  actionRoute('destinations.manage', '/lines/:id/destinations', addOne, {
    confirmed: () => t('To add a destination'),
  }),
];

function askDestination({ deps }: UserContext, line: LineRow, state: FormState): PanelResponse {
  const { name } = line;
  const hasForwarding = deps.destinations.ofLine(line.id).some(({ origin }) => origin === 'forwarding');
  return page(
    <PageHead title={t('Add a destination')} back={backTo(line)}>
      {hasForwarding
        ? t('Events of {name} are sent there too, in addition to its forwarding URL.', { name })
        : t('Events of {name} are sent there.', { name })}
    </PageHead>,
    <Card>
      <Form action={`/panel/lines/${line.id}/destinations`} state={state}>
        <DestinationFields kept={[]} />
        <SubmitOrCancel submit={t('Add it and show the secret')} back={`/panel/lines/${line.id}`} />
      </Form>
    </Card>,
    state,
  );
}

async function addOne(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const added = await state.given(
    () => addDestination(deps, context.actor, line.id, { ...typedDestination(state), origin: 'operator' }),
    FIELDS,
  );
  if (!added) return askDestination(context, line, state);
  return showAdded(line, added, {
    title: t('Events are now sent there'),
    secret: added.secret,
    handshake: await handshake(deps.http, added),
  });
}

interface Added {
  title: string;
  /** Null if the secret did not change. */
  secret: string | null;
  handshake: OperatorReport;
}

/** The page after a URL was set: the result of the handshake, and the secret if it is new. */
export function showAdded(line: LineRow, destination: Destination, added: Added): PanelResponse {
  const base = `/panel/lines/${line.id}/destinations/${destination.id}`;
  return page(
    <PageHead title={added.title} back={backTo(line)}>
      <code>{destination.url}</code>
    </PageHead>,
    <>
      {added.secret !== null && (
        <Card title={t('Secret')}>
          <ShownOnce id="secret" text={added.secret} label={t('The secret')} />
          <p class="quiet">
            {t.rich(
              'Each event is signed with it in two headers: <code>webhook-signature</code> of Standard Webhooks, and <code>X-Hub-Signature-256</code> of the platform. Check one of them in your receiver.',
            )}
          </p>
        </Card>
      )}
      <Card title={t('Handshake')}>
        <Handshake report={added.handshake} />
      </Card>
      <Card title={t('Try it')}>
        <p>{t('A test event is sent there immediately, and you see the response.')}</p>
        <div class="actions">
          <ActionButton action={`${base}/test`}>{t('Send test event')}</ActionButton>
          <a class="button plain" href={`/panel/lines/${line.id}`}>
            {t('To the line')}
          </a>
        </div>
      </Card>
    </>,
  );
}

function Handshake({ report }: { report: OperatorReport }): VNode {
  const { tone, title } = {
    made: { tone: 'info' as const, title: t('No handshake. It is optional.') },
    failed: { tone: 'bad' as const, title: t('The gateway could not connect to this address.') },
    refused: { tone: 'bad' as const, title: t('The gateway may not connect to this address.') },
  }[report.connection];
  return (
    <Notice tone={report.ok ? 'good' : tone}>
      <p>
        <strong>{report.ok ? t('Handshake succeeded.') : title}</strong> <Said>{report.said}</Said>
      </p>
    </Notice>
  );
}
