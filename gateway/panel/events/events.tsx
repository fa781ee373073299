import { Readable } from 'node:stream';
import { type VNode } from 'preact';
import { EXPORT_FORMATS, exportEvents } from '../../forwarding/export-events';
import { MOST_REPLAYED } from '../../forwarding/replay';
import { isInOrderOfDue } from '../../store/reports/event-list';
import { MOST_DESTINATIONS, type DeliveryCursor, type ListedState } from '../../store/reports/delivery-list';
import { type WaitingFor } from '../../store/reports/backlog';
import { type DeliveryKey } from '../../store/tables/deliveries';
import { type DestinationRow } from '../../store/tables/destinations';
import { type ReplayRow } from '../../store/tables/replays';
import { isoTime } from '../../time';
import { t } from '../languages/t';
import { told } from '../languages/told';
import { Confirm, Form } from '../ui/form';
import { ListHead } from '../ui/frame/line-head';
import { chosenLine } from '../ui/line-field';
import { Live } from '../ui/live';
import { Card, Empty, Notice, NothingAmongLatest, Pager, Time } from '../ui/parts';
import { pageNotFound } from '../ui/frame/error-page';
import {
  operatorAction,
  viewerPage,
  page,
  seeOther,
  type Outcome,
  type PanelRoute,
  type UserContext,
} from '../request-context';
import { upToMost } from '../languages/numbers';
import { Advice, HeldBack, Resume, TryNow, Waits } from '../ui/held-back';
import { EventTable } from './event-table';
import { filterOf, isFiltered, queryOf, searchOf, type Filter } from './filter';
import { choicesOf, FilterForm } from './filter-form';
import { replayBeside, replaysOf } from './replays';
import { shownAddress } from '../ui/destination/shown-address';

export const eventsPages: PanelRoute[] = [
  viewerPage('/events', showEvents, { live: true }),
  operatorAction('/events/replay', replayMany),
  operatorAction('/events/again', sendTicked),
  operatorAction('/events/export', writeAll),
];

/** More than a page shows. */
const MOST_TICKED = 100;

const PAGE = 50;

async function showEvents(context: UserContext): Promise<Outcome> {
  const { deps, query } = context;
  const { store, lines } = deps;
  const filter = filterOf(query);
  const [search, heldBack] = await Promise.all([
    searchOf(deps, filter, MOST_DESTINATIONS),
    store.destinations.unhealthy(),
  ]);
  const [{ rows, next }, dead, replays, waiting] = await Promise.all([
    search ? store.eventList.page(search, cursorOf(query.get('after')), PAGE) : { rows: [], next: null },
    store.backlog.dead(),
    replaysOf(deps),
    store.backlog.of(heldBack.map(({ id }) => id)),
  ]);
  const nameOf = new Map(lines.all().map(({ id, name }) => [id, name]));
  const { line } = chosenLine(lines.all(), filter.line);
  const isByDue = search !== null && rows.length > 1 && isInOrderOfDue(search);
  return page(
    t('Events'),
    <>
      <ListHead context={context} line={line} here="events" title={t('Events and deliveries')}>
        {t(
          'What came in from WhatsApp, and where it was passed on: once for every destination that asks for it.',
        )}
      </ListHead>
      <Live id="troubled">
        <HeldBackDestinations context={context} heldBack={heldBack} nameOf={nameOf} waiting={waiting} />
      </Live>
      <Live id="replays">
        {replays.map((one) => (
          <ReplayNotice key={one.id} replay={one} />
        ))}
      </Live>
      <FilterForm context={context} filter={filter} destinations={await choicesOf(context, filter)} />
      {context.mayChange && (
        <ForAll context={context} filter={filter} dead={dead} hasRows={rows.length > 0} />
      )}
      <Live id="deliveries">
        {isByDue && <p class="quiet small">{t('What is due first stands first.')}</p>}
        <Card flush>
          {rows.length ? (
            <EventTable context={context} rows={rows} nameOf={nameOf} back={addressOf(filter)} />
          ) : (
            <NothingThere context={context} isFiltered={isFiltered(filter)} hasNext={next !== null} />
          )}
          <Pager
            first={query.has('after') ? addressOf(filter) : null}
            next={next && addressOf(filter, next)}
          />
        </Card>
      </Live>
    </>,
  );
}

const cursorText = ({ dueAt, eventId, destinationId }: DeliveryCursor) =>
  `${dueAt}~${eventId}~${destinationId}`;

/** Anything else than what `cursorText` made begins at the start. */
function cursorOf(text: string | null): DeliveryCursor | null {
  const [, dueAt = '', eventId = '', id = ''] =
    /^([\d\-T:.Z]*)~(evt_\w{1,60})~(\d{1,10})$/.exec(text ?? '') ?? [];
  return eventId ? { dueAt, eventId, destinationId: Number(id) } : null;
}

function addressOf(filter: Partial<Filter>, after: DeliveryCursor | null = null): string {
  const query = queryOf(filter);
  if (after) query.set('after', cursorText(after));
  return `/panel/events${query.size ? `?${query}` : ''}`;
}

function NothingThere({
  context,
  isFiltered,
  hasNext,
}: {
  context: UserContext;
  isFiltered: boolean;
  hasNext: boolean;
}): VNode {
  if (hasNext) return <NothingAmongLatest />;
  if (isFiltered)
    return (
      <Empty title={t('Nothing matches this filter')}>
        <a href="/panel/events">{t('Show everything')}</a>
      </Empty>
    );
  const [line] = context.deps.lines.all();
  return (
    <Empty title={t('Nothing was passed on yet')}>
      <p>
        {t(
          'As soon as somebody writes to a line, or a message of yours arrives, it is listed here: provided that the line has a forwarding URL.',
        )}
      </p>
      <a class="button plain" href={line ? `/panel/lines/${line.id}` : '/panel/start'}>
        {line ? t('Look at {name}', { name: line.name }) : t('First steps')}
      </a>
    </Empty>
  );
}

/** Destinations that are paused or fail: why, what waits for them, and how it goes on. */
function HeldBackDestinations({
  context,
  heldBack,
  nameOf,
  waiting,
}: {
  context: UserContext;
  heldBack: DestinationRow[];
  nameOf: Map<number, string>;
  waiting: Map<number, WaitingFor>;
}): VNode | null {
  if (!heldBack.length) return null;
  return (
    <Card title={t('Destinations that need a look')} flush>
      <ul class="troubled">
        {heldBack.map((one) => {
          const isPaused = one.paused_at !== null;
          return (
            <li key={one.id}>
              <div class="stack close">
                <p>
                  <strong class="long">{shownAddress(context, one.url)}</strong>{' '}
                  <span class="quiet">
                    {t('of {name}', { name: nameOf.get(one.line_id) ?? t('line {id}', { id: one.line_id }) })}
                  </span>
                </p>
                {isPaused ? (
                  <p>
                    {one.paused_because
                      ? t.rich('Paused since {when}: {reason}', {
                          when: <Time at={one.paused_at} />,
                          reason: told(one.paused_because),
                        })
                      : t.rich('Paused since {when}.', { when: <Time at={one.paused_at} /> })}
                  </p>
                ) : (
                  <p>
                    <HeldBack context={context} destination={one} waiting={waiting.get(one.id)} />
                  </p>
                )}
                <p class="quiet">
                  {isPaused ? (
                    <Waits count={waiting.get(one.id)?.count ?? 0} />
                  ) : (
                    <Advice context={context} />
                  )}
                </p>
              </div>
              <div class="actions">
                {!isPaused && <TryNow context={context} destination={one} from="events" />}
                {isPaused && <Resume context={context} destination={one} from="events" />}
                <a class="button plain" href={`/panel/events?destination=${one.id}`}>
                  {t('Show its deliveries')}
                  <span class="sr-only"> ({one.id})</span>
                </a>
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function ReplayNotice({ replay }: { replay: ReplayRow }): VNode {
  const { who, count, begun_at: begunAt, came_to: cameTo } = replay;
  const what = whatOf(replay);
  if (cameTo === null)
    return (
      <Notice tone="info">
        <p>
          <strong>{t('{what}: at work.', { what })}</strong>{' '}
          {t('{count, plural, one {# delivery is} other {# deliveries are}} sent again by now.', { count })}{' '}
          {t('It goes on if you leave this page.')}
        </p>
        <progress aria-label={t('{what}: at work', { what })} />
      </Notice>
    );
  return (
    <Notice tone={cameTo === 'broken' ? 'bad' : 'good'}>
      <p>
        <strong>
          {cameTo === 'broken' ? t('{what}: broke off.', { what }) : t('{what}: done.', { what })}
        </strong>{' '}
        {t.rich(
          '{count, plural, one {# delivery is sent again} other {# deliveries are sent again}}, as {who} asked at {when}.',
          { count, who, when: <Time at={begunAt} /> },
        )}{' '}
        {cameTo === 'broken' && t('The log of the gateway tells why. Begin it once more for the rest.')}
        {cameTo === 'ceiling' && t('That is the most of one replay: begin it once more for the rest.')}
      </p>
    </Notice>
  );
}

/** What is kept of it is English. */
function whatOf({ what }: ReplayRow): string {
  if (what === ALL_DEAD) return t('All that were given up again');
  return what === FILTERED ? t('The filtered ones again') : what;
}

const ALL_DEAD = 'All that were given up again';
const FILTERED = 'The filtered ones again';

/** Which states can be sent again: what is still to be delivered goes out anyway. */
const isOver = (state: ListedState | null): state is 'delivered' | 'dead' | null =>
  state === null || state === 'delivered' || state === 'dead';

/** What can be done with all that the filter means: sent again, where the database can tell what that is; written. */
function ForAll({
  context,
  filter,
  dead,
  hasRows,
}: {
  context: UserContext;
  filter: Filter;
  dead: number;
  hasRows: boolean;
}): VNode | null {
  const canReplay = isFiltered(filter) && isOver(filter.state) && filter.about === null && hasRows;
  if (!dead && !hasRows) return null;
  const how = (
    <p class="quiet">
      {t(
        'Receivers get them under the same event ids, 100 every five seconds, beside what is new. Up to {most, number} at once.',
        { most: MOST_REPLAYED },
      )}
    </p>
  );
  const fields = Object.fromEntries(queryOf(filter));
  return (
    <div class="for-all">
      {hasRows && (
        <Form context={context} action="/panel/events/export" class="inline">
          {Object.entries(fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <span class="quiet small">
            {isFiltered(filter) ? t('Save all of this filter:') : t('Save all of them:')}
          </span>
          {EXPORT_FORMATS.map((format) => (
            <button key={format} class="button plain small" name="format" value={format} data-file="">
              {format.toUpperCase()}
            </button>
          ))}
        </Form>
      )}
      {canReplay && (
        <Confirm
          context={context}
          id="replay-filtered"
          action="/panel/events/replay"
          button={t('Send all of this filter again')}
          title={t('Send them again?')}
          confirm={t('Send them again')}
          fields={fields}
        >
          <p>{everyOne(filter.state)}</p>
          {how}
        </Confirm>
      )}
      {dead > 0 && (
        <Confirm
          context={context}
          id="replay-dead"
          action="/panel/events/replay"
          button={t('Send all that were given up again ({count})', { count: upToMost(dead) })}
          title={t('Send all that were given up again?')}
          confirm={t('Send them again')}
          fields={{ state: 'dead' }}
        >
          <p>
            {t(
              'Every delivery that was given up, of all lines, goes out once more. Correct first why they failed: otherwise they fail again.',
            )}
          </p>
          {how}
        </Confirm>
      )}
    </div>
  );
}

function everyOne(state: ListedState | null): string {
  if (state === 'delivered')
    return t(
      'Every delivery that this filter means and that is delivered goes out once more, those on other pages of the list included.',
    );
  if (state === 'dead')
    return t(
      'Every delivery that this filter means and that was given up goes out once more, those on other pages of the list included.',
    );
  return t(
    'Every delivery that this filter means and that was delivered or given up goes out once more, those on other pages of the list included.',
  );
}

async function replayMany(context: UserContext): Promise<Outcome> {
  const filter = filterOf(context.form);
  const { state, about } = filter;
  if (!isOver(state) || about !== null || !isFiltered(filter)) throw pageNotFound();
  // All destinations of a line, not the latest of them.
  const search = await searchOf(context.deps, filter, null);
  if (!search || search.text || search.wamid)
    return seeOther(
      addressOf(filter),
      t('Words and message ids are looked up a page at a time: tick what is to be sent again.'),
    );
  const isAllDead =
    Object.entries(filter).every(([name, value]) => !value || name === 'state') && state === 'dead';
  await replayBeside(
    context,
    { ...search, states: state === null ? ['delivered', 'dead'] : [state] },
    isAllDead ? ALL_DEAD : FILTERED,
    forAudit(filter),
  );
  return seeOther(addressOf(filter));
}

/** Whom or what was looked for is none of the audit's business: it is kept when a contact is forgotten. */
const forAudit = ({ q, ...filter }: Filter): Record<string, unknown> => ({
  ...Object.fromEntries(
    [...queryOf(filter)].map(([name, value]) => [name, /^\d{1,9}$/.test(value) ? Number(value) : value]),
  ),
  ...(q && { searched: true }),
});

/** Those that were ticked: what is over goes out once more, what waits goes out now. */
async function sendTicked(context: UserContext): Promise<Outcome> {
  const { deps, form } = context;
  const ticked = form.getAll('one').flatMap((one): DeliveryKey[] => {
    const [, event_id = '', destination = ''] =
      /^(evt_\w{1,60})~(\d{1,9})$/.exec(typeof one === 'string' ? one : '') ?? [];
    return event_id ? [{ event_id, destination_id: Number(destination) }] : [];
  });
  const back = form.get('back');
  const to = typeof back === 'string' && /^\/panel\/events(\?|$)/.test(back) ? back : '/panel/events';
  if (!ticked.length) return seeOther(to, t('Nothing was ticked, so nothing was sent.'), 'idle');
  if (ticked.length > MOST_TICKED) throw pageNotFound();
  const destinations = await deps.store.destinations.some(ticked.map(({ destination_id: id }) => id));
  const removed = new Set(destinations.flatMap((one) => (one.removed_at === null ? [] : [one.id])));
  const meant = ticked.filter(({ destination_id: id }) => !removed.has(id));
  const count = await context.audited<number>(
    (changed) =>
      changed ? { action: 'deliveries.replayed', details: { ticked: ticked.length, count: changed } } : null,
    ({ store }) => store.deliveries.again(meant, isoTime(deps.clock())),
  );
  await deps.store.wake({ waiting: [...new Set(meant.map(({ destination_id: id }) => id))] });
  const left = ticked.length - count;
  const sent = t('{count, plural, one {# delivery is sent again} other {# deliveries are sent again}}.', {
    count,
  });
  const kept = t(
    '{left, number} cannot be: on its way already, its destination removed, or its text no longer kept.',
    { left },
  );
  return seeOther(to, left ? `${sent} ${kept}` : sent);
}

async function writeAll(context: UserContext): Promise<Outcome> {
  const { deps, actor, form } = context;
  const format = EXPORT_FORMATS.find((one) => one === form.get('format')) ?? 'csv';
  const filter = filterOf(form);
  const search = await searchOf(deps, filter, null);
  if (!search) throw pageNotFound();
  const written = await exportEvents(deps, actor, search, format, forAudit(filter));
  const name = `events-${isoTime(deps.clock()).slice(0, 19).replaceAll(':', '')}.${format}`;
  return {
    kind: 'file',
    type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
    content: Readable.from(written),
    headers: { 'content-disposition': `attachment; filename="${name}"` },
  };
}
