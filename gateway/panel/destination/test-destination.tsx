import { type VNode } from 'preact';
import { type Destination } from '../../forwarding/destination';
import { type OperatorReport } from '../../forwarding/destinations/handshake';
import { testDestination } from '../../forwarding/destinations/test-destination';
import { type TestEvent } from '../../forwarding/destinations/test-event';
import { type LineRow } from '../../store/tables/lines';
import { ActionButton } from '../ui/form';
import { Badge, Card, Facts, Notice, PageHead } from '../ui/parts';
import { page, type PanelResponse } from '../outcome';
import { actionRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { causeWords, isCause } from '../ui/words/causes';
import { attemptWord } from './held-back';
import { Said } from '../languages/said';
import { number } from '../languages/numbers';
import { t } from '../languages/t';
import { destinationAt, nameOf } from './destination-route';

export const testDestinationPages: PanelRoute[] = [
  actionRoute('destinations.manage', '/lines/:id/destinations/:destination/test', testOne, {
    confirmed: async (context) =>
      t('To send a test event to {address}', {
        address: new URL((await destinationAt(context)).destination.url).host,
      }),
  }),
];

async function testOne(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const { line, destination } = await destinationAt(context);
  const { sent, shaken } = await testDestination(deps, context.actor, destination, {
    phoneNumberId: line.phone_number_id,
    phoneNumber: line.phone_number,
    wabaId: line.waba_id,
  });
  return showTest(context, line, destination, sent, shaken);
}

/** Why the test event was refused, and what to do. */
function Refused({ sent: { outcome, httpStatus } }: { sent: TestEvent }): VNode {
  return (
    <>
      <strong>{t('It was not accepted.')}</strong> {attemptWord({ outcome, http_status: httpStatus })}.{' '}
      {isCause(outcome) && causeWords(outcome).remedy}
    </>
  );
}

/** Most characters of an answer to show. */
const LONGEST_ANSWER = 2000;

function showTest(
  context: UserContext,
  line: LineRow,
  destination: Destination,
  sent: TestEvent,
  shaken: OperatorReport,
): PanelResponse {
  const isTaken = sent.outcome === 'delivered';
  const base = `/panel/lines/${line.id}/destinations/${destination.id}`;
  return page(
    <PageHead
      title={t('Test event')}
      back={{ href: base, label: nameOf(context, destination) }}
      actions={<ActionButton action={`${base}/test`}>{t('Send another')}</ActionButton>}
    >
      <code>{destination.url}</code>
    </PageHead>,
    <>
      <Notice tone={isTaken ? 'good' : 'bad'}>
        <p>
          {isTaken ? <strong>{t('Accepted.')}</strong> : <Refused sent={sent} />}
          {isTaken && destination.failingSince !== null && destination.pausedAt === null && (
            <> {t('Waiting events are sent now.')}</>
          )}
          {isTaken && destination.pausedAt !== null && (
            <> {t('The destination is still paused. Resume it to send waiting events.')}</>
          )}
          {sent.httpStatus === null && ` ${sent.answer.slice(0, LONGEST_ANSWER)}`}
        </p>
      </Notice>
      <Card title={t('Answer')}>
        <Facts
          facts={[
            [
              t('HTTP status'),
              sent.httpStatus === null ? (
                <span class="quiet">{t('none')}</span>
              ) : (
                <Badge tone={isTaken ? 'good' : 'bad'}>{String(sent.httpStatus)}</Badge>
              ),
            ],
            [t('Took'), `${number(sent.durationMs)} ms`],
            ...(isTaken ? [[t('Handshake'), <Said>{shaken.said}</Said>] as [string, VNode]] : []),
          ]}
        />
        {sent.httpStatus !== null && sent.answer && (
          <pre class="code" tabIndex={0} role="region" aria-label={t('Beginning of the answer')}>
            {sent.answer.slice(0, LONGEST_ANSWER)}
          </pre>
        )}
      </Card>
      <Card title={t('What was sent')}>
        <p class="quiet">
          {t.rich(
            'A text message in the platform’s format, signed like every event. It isn’t stored or sent elsewhere, and carries the header <code>X-Gateway-Test: 1</code>.',
          )}
        </p>
        <pre class="code" tabIndex={0} role="region" aria-label={t('Body of the test event')}>
          {JSON.stringify(JSON.parse(sent.body), null, 2)}
        </pre>
      </Card>
    </>,
  );
}
