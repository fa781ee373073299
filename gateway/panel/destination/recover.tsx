import { type ComponentChildren, type VNode } from 'preact';
import { type DestinationRow } from '../../store/tables/destinations';
import { MOST_GLANCED } from '../../store/reports/backlog';
import { type DeliveryFilter } from '../../store/tables/deliveries';
import { HOUR, isoTime, MINUTE } from '../../time';
import { upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { seeOther, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { Confirm, Submit } from '../ui/form';
import { MomentField, momentOf } from '../ui/moment-field';
import { FILTERED, replayBeside } from '../log/replays';
import { Card, Time } from '../ui/parts';

/** Resends deliveries that were given up since a chosen time, after the receiver is repaired. */

const spans = () => [
  { name: '1h', label: t('1 hour'), length: HOUR },
  { name: '2h', label: t('2 hours'), length: 2 * HOUR },
  { name: '24h', label: t('24 hours'), length: 24 * HOUR },
];

/** Deliveries to one destination that were given up at or after an ISO time. */
const givenUpSince = (id: number, endedFrom: string): DeliveryFilter => ({
  states: ['dead'],
  destinationIds: [id],
  endedFrom,
});

/** The chosen time; null if none was chosen. */
function sinceOf({ query, deps }: UserContext): string | null {
  const asked = query.get('since') ?? '';
  const span = spans().find(({ name }) => name === asked);
  // Rounded to the minute, so that the address and the count stay the same while the page is read.
  if (span) return isoTime(Math.floor((deps.clock() - span.length) / MINUTE) * MINUTE);
  return momentOf(asked) || null;
}

interface RecoverProps {
  destination: DestinationRow;
  since: string | null;
  /** Given up deliveries since then; null without a time, or if counting would take too long. */
  count: number | null;
}

/** The data of the card. */
export async function recoverOf(context: UserContext, destination: DestinationRow): Promise<RecoverProps> {
  const since = sinceOf(context);
  const count =
    since === null ? null : await context.deps.store.backlog.over(givenUpSince(destination.id, since));
  return { destination, since, count };
}

export function Recover({ destination, since, count }: RecoverProps): VNode {
  const { id, line_id: lineId } = destination;
  const base = `/panel/lines/${lineId}/destinations/${id}`;
  return (
    <Card id="recover" title={t('Recover given up deliveries')}>
      <nav class="presets" aria-label={t('Given up in the last')}>
        {spans().map(({ name, label }) => (
          <a key={name} href={`?since=${name}#recover`}>
            {label}
          </a>
        ))}
      </nav>
      {since !== null && (
        <form method="get" action={`${base}#recover`} class="filter">
          <MomentField name="since" label={t('Given up since')} at={since} />
          <Submit tone="plain">{t('Count')}</Submit>
        </form>
      )}
      {since !== null && (
        <div class="actions">
          <p>{countWords(count, <Time at={since} to="minute" />)}</p>
          {count !== 0 && (
            <Confirm
              id={`recover-${id}`}
              action={`${base}/recover`}
              button={t('Resend')}
              tone="primary"
              title={
                count === null
                  ? t('Resend the given up deliveries?')
                  : t('Resend {shown} {count, plural, one {delivery} other {deliveries}}?', {
                      shown: upToMost(count, MOST_GLANCED),
                      count,
                    })
              }
              confirm={t('Resend')}
              fields={{ since }}
            >
              <p>
                {t('The receiver gets them with the same event IDs. If it still fails, they fail again.')}
              </p>
            </Confirm>
          )}
        </div>
      )}
    </Card>
  );
}

function countWords(count: number | null, when: VNode): ComponentChildren {
  if (count === null) return t.rich('Deliveries were given up since {when}.', { when });
  if (count === 0) return t.rich('No delivery was given up since {when}.', { when });
  return t.rich('{shown} given up since {when}.', { shown: upToMost(count, MOST_GLANCED), when });
}

/** @returns a redirect to the list of events, which shows the progress */
export async function recover(context: UserContext, destinationId: number): Promise<PanelResponse> {
  const since = momentOf(String(context.form.get('since') ?? ''));
  const list = `destination=${destinationId}&state=dead`;
  if (since)
    await replayBeside(context, givenUpSince(destinationId, since), `${FILTERED}?${list}`, {
      destination: destinationId,
      state: 'dead',
      since,
    });
  return seeOther(`/panel/events?${list}`);
}
