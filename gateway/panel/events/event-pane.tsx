import { type VNode } from 'preact';
import { writerName } from '../../cloud-api/written-text';
import { MOST_DESTINATIONS } from '../../store/reports/delivery-list';
import { isInOrderOfDue, type ListedEvent } from '../../store/reports/event-list';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';
import { hasContent, standingOf, wordsOf } from '../log/event-table';
import { Pane, type PaneRow } from '../ui/pane';
import { Pager, type Tone } from '../ui/parts';
import { type UserContext } from '../request-context';
import { addressOf, cursorOf, filterOf, PAGE, searchOf } from './filter';

/** The fields of a delivery that a row needs. */
type Told = Pick<
  ListedEvent,
  'event_id' | 'subject' | 'kind' | 'contact' | 'body' | 'received_at' | 'state' | 'paused_at'
>;

type Found = NonNullable<Awaited<ReturnType<UserContext['deps']['store']['deliveryList']['event']>>>;

/**
 * The page of the list from which an event was opened, with one row per event.
 * @param found the open event; it comes first if that page doesn't contain it
 */
export async function eventPane(
  { deps, query, looked }: UserContext,
  { event, deliveries }: Pick<Found, 'event' | 'deliveries'>,
): Promise<VNode> {
  const filter = filterOf(query);
  const after = cursorOf(query);
  const search = await searchOf(deps, filter, MOST_DESTINATIONS);
  const { rows, next } = search
    ? await deps.store.eventList.page(search, after, PAGE)
    : { rows: [], next: null };
  await looked('events', rows.filter(hasContent));
  const { id } = event;
  const events = Map.groupBy<string, Told>(rows, (row) => row.event_id);
  const opened = (deliveries.length ? deliveries : [{ state: null, paused_at: null }]).map(
    ({ state, paused_at }) => ({ ...event, event_id: id, state, paused_at }),
  );
  const all = [...(events.has(id) ? [] : [opened]), ...events.values()];
  const isByDue = search !== null && isInOrderOfDue(search);
  const list = addressOf(filter, after);
  const inList = (address: string, of: string) => address.replace('/panel/events', `/panel/events/${of}`);
  return (
    <Pane
      to="minute"
      head={isByDue ? <span class="quiet small">{t('Next due first.')}</span> : undefined}
      list={{ href: `${list}#${id}`, label: t('Events and deliveries') }}
      rows={all
        .flatMap((some) => some.toSorted(leastWellFirst)[0] ?? [])
        .map((row) => ({
          ...told(row),
          href: inList(list, row.event_id),
          isCurrent: row.event_id === id,
        }))}
    >
      <Pager
        first={after && inList(addressOf(filter), id)}
        next={next && inList(addressOf(filter, next), id)}
        isNewestFirst={!isByDue}
      />
    </Pane>
  );
}

/** The tones of states that need attention. */
const TONES: Tone[] = ['info', 'warn', 'bad'];

const leastWellFirst = (one: Told, other: Told): number =>
  TONES.indexOf(standingOf(other).tone) - TONES.indexOf(standingOf(one).tone);

function told(row: Told): Omit<PaneRow, 'href' | 'isCurrent'> {
  const { word, tone } = standingOf(row);
  const isAmiss = TONES.includes(tone);
  const name = row.subject === 'message' ? writerName(row.body ?? '') : null;
  const who = name ?? (row.contact === null ? null : contactText(row.contact));
  return {
    key: row.event_id,
    ...(isAmiss && { tone }),
    title: wordsOf(row),
    at: row.received_at,
    about: (
      <>
        {who !== null && (
          <>
            <bdi>{who}</bdi> ·{' '}
          </>
        )}
        {isAmiss ? <b>{word}</b> : word}
      </>
    ),
  };
}
