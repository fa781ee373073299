import { type VNode } from 'preact';
import { exportEvents } from '../../forwarding/export-events';
import { MOST_REPLAYED, replayTicked } from '../../forwarding/replay';
import { isInOrderOfDue } from '../../store/reports/event-list';
import { MOST_DESTINATIONS, type ListedState } from '../../store/reports/delivery-list';
import { MOST_COUNTED, MOST_GLANCED, type WaitingFor } from '../../store/reports/backlog';
import { type LastAttempt } from '../../store/reports/destination-report';
import { type DeliveryFilter, type DeliveryKey } from '../../store/tables/deliveries';
import { type DestinationRow } from '../../store/tables/destinations';
import { type ReplayRow } from '../../store/tables/replays';
import { t } from '../languages/t';
import { Said } from '../languages/said';
import { saidOfPause } from '../../forwarding/failures';
import { opens, Question } from '../ui/form';
import { ListHead } from '../ui/frame/line-head';
import { chosenLine } from '../ui/line-field';
import { Live } from '../ui/live';
import { Ago, Card, Empty, Notice, NothingAmongLatest, Pager, Time } from '../ui/parts';
import { pageNotFound } from '../ui/frame/error-page';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type PanelDeps } from '../dependencies';
import { type UserContext } from '../request-context';
import { upToMost } from '../languages/numbers';
import { HeldBack, Resume, TryNow, Waits } from '../destination/held-back';
import { canTick, EventTable, hasContent, type AllMatching } from '../log/event-table';
import { auditedFilter, exportedFile, formatIn, lookedAtExport } from '../log/exported-file';
import { FILTERED, replayBeside, replaysOf } from '../log/replays';
import { SaveAll } from '../log/save-all';
import {
  addressOf,
  cursorOf,
  destinationIdsOf,
  filterOf,
  isFiltered,
  PAGE,
  queryOf,
  searchOf,
  type Filter,
} from './filter';
import { choicesOf, FilterForm } from './filter-form';
import { PlacesLike } from './places-like';
import { shortAddress, shownAddress } from '../ui/shown-address';
import { ofCustomer } from '../ui/customer-field';
import { useRequest } from '../ui/page-request';

export const eventsPages: PanelRoute[] = [
  pageRoute('events.read', '/events', showEvents, { live: true }),
  actionRoute('deliveries.replay', '/events/replay', replayMany),
  actionRoute('deliveries.replay', '/events/again', sendTicked),
  actionRoute('messages.read', '/events/export', writeAll),
];

/** Upper bound per request; a page shows fewer. */
const MOST_TICKED = 100;

/** The last attempt is read for this many destinations. Further ones show their stored state. */
const MOST_LOOKED_AT = 20;

async function showEvents(context: UserContext): Promise<PanelResponse> {
  const { deps, query } = context;
  const { store, lines } = deps;
  const filter = filterOf(query);
  const after = cursorOf(query);
  const [search, heldBack] = await Promise.all([
    searchOf(deps, filter, MOST_DESTINATIONS),
    store.destinations.unhealthy(),
  ]);
  const [{ rows, next }, dead, replays, waiting, lastAttempts] = await Promise.all([
    search ? store.eventList.page(search, after, PAGE) : { rows: [], next: null },
    deadOf(deps, filter),
    replaysOf(context),
    store.backlog.of(heldBack.map(({ id }) => id)),
    store.lastAttempts(heldBack.slice(0, MOST_LOOKED_AT).map(({ id }) => id)),
  ]);
  await context.looked('events', rows.filter(hasContent));
  const nameOf = new Map(lines.all().map(({ id, name }) => [id, name]));
  const { line } = chosenLine(lines.all(), filter.line);
  const destinations = await choicesOf(context, filter);
  const resent = context.within('deliveries.replay');
  const mayResend = context.may('deliveries.replay', line?.id);
  const matching = mayResend && (next || after) ? await countOf(resent, filter) : null;
  const again =
    mayResend && rows.length > 0
      ? againOf(context, {
          isListed: search !== null && !search.text && !search.wamid,
          filter,
          dead: resent.store === store ? dead : await deadOf(resent, filter),
          count: next || after ? matching : rows.filter((row) => canTick(context, row)).length,
          line,
          destination: destinations.find(({ id }) => String(id) === filter.destination),
          isSelected: query.get('selected') === 'all',
          list: addressOf(filter, after),
          hasMore: next !== null || after !== null,
        })
      : null;
  const isByDue = search !== null && rows.length > 1 && isInOrderOfDue(search);
  return page(
    <ListHead tab={t('Events')} line={line} here="events" title={t('Events and deliveries')}>
      {t('Events received from WhatsApp, and their delivery to each destination.')}
    </ListHead>,
    <>
      <Live id="troubled">
        <HeldBackDestinations
          heldBack={heldBack.filter((one) =>
            filter.destination ? String(one.id) === filter.destination : !line || one.line_id === line.id,
          )}
          isOpen={Boolean(filter.destination)}
          nameOf={nameOf}
          waiting={waiting}
          lastAttempts={lastAttempts}
        />
      </Live>
      <Live id="replays">
        {replays.filter(belongsTo(filter)).map((one) => (
          <ReplayNotice key={one.id} replay={one} />
        ))}
      </Live>
      <FilterForm filter={filter} dead={dead} destinations={destinations} />
      {again?.question}
      <Live id="deliveries">
        {isByDue && <p class="quiet small list-order">{t('Next due first.')}</p>}
        <Card flush>
          {rows.length ? (
            <EventTable rows={rows} nameOf={nameOf} back={addressOf(filter, after)} all={again?.all} />
          ) : (
            <NothingThere filter={filter} dead={dead} hasNext={next !== null} />
          )}
          <Pager
            first={query.has('after') ? addressOf(filter) : null}
            next={next && addressOf(filter, next)}
            isNewestFirst={!isByDue}
          />
        </Card>
      </Live>
      {context.may('messages.read', line?.id) && rows.length > 0 && (
        <SaveAll
          action={ofCustomer(context, '/panel/events/export')}
          fields={Object.fromEntries(queryOf(filter))}
          isFiltered={isFiltered(filter)}
        />
      )}
    </>,
  );
}

interface NothingThereProps {
  filter: Filter;
  dead: number;
  hasNext: boolean;
}

function NothingThere({ filter, dead, hasNext }: NothingThereProps): VNode {
  const { deps, may } = useRequest();
  const { q, line: asked, customer, destination, state, from, to } = filter;
  const instead = q && <PlacesLike q={q} />;
  if (hasNext) return <NothingAmongLatest>{instead}</NothingAmongLatest>;
  if (isFiltered(filter))
    return (
      <Empty title={t('Nothing matches this filter')}>
        {instead}
        {/* Users who look at waiting deliveries often want the given up ones. */}
        {dead > 0 && state !== 'dead' && (
          <a class="given-up" href={addressOf({ line: asked, customer, destination, state: 'dead' })}>
            {t('{shown} given up', { shown: upToMost(dead, MOST_COUNTED) })}
          </a>
        )}
        {dead > 0 && state === 'dead' && (from || to) && (
          <>
            <p>
              {t(
                'The time is when the gateway received the event. A delivery is given up about a week later.',
              )}
            </p>
            <a href={addressOf({ ...filter, from: '', to: '' })}>{t('Show all given up deliveries')}</a>
          </>
        )}
        <a href="/panel/events">{t('Show everything')}</a>
      </Empty>
    );
  const [line] = deps.lines.all();
  const { href, label } = line
    ? { href: `/panel/lines/${line.id}`, label: t('View {name}', { name: line.name }) }
    : { href: '/panel/start', label: t('First steps') };
  return (
    <Empty title={t('No event was forwarded yet')}>
      <p>
        {t(
          'Events appear here when a contact writes or a message gets a status, if the line has a destination.',
        )}
      </p>
      {(line || may('events.read', null)) && (
        <a class="button plain" href={href}>
          {label}
        </a>
      )}
    </Empty>
  );
}

interface HeldBackProps {
  heldBack: DestinationRow[];
  /** Whether the card is open. If not, its summary says how many destinations are affected. */
  isOpen: boolean;
  nameOf: Map<number, string>;
  waiting: Map<number, WaitingFor>;
  lastAttempts: Map<number, LastAttempt | null>;
}

/** Paused and failing destinations, with the reason, the waiting deliveries and the next step. */
function HeldBackDestinations({
  heldBack,
  isOpen,
  nameOf,
  waiting,
  lastAttempts,
}: HeldBackProps): VNode | null {
  const context = useRequest();
  if (!heldBack.length) return null;
  const all = heldBack.reduce((sum, { id }) => sum + (waiting.get(id)?.count ?? 0), 0);
  return (
    <details class="card flush fold" open={isOpen}>
      <summary>
        <h2>
          {t(
            "{count, plural, one {# destination isn't accepting events} other {# destinations aren't accepting events}}",
            {
              count: heldBack.length,
            },
          )}
        </h2>
        <span class="quiet">
          <Waits count={all} />
        </span>
      </summary>
      <ul class="attention">
        {heldBack.map((one) => {
          const isPaused = one.paused_at !== null;
          return (
            <li key={one.id} data-tone={isPaused ? 'warn' : 'bad'}>
              <div class="stack close">
                <h3>
                  <span class="long">{shownAddress(context, one.line_id, one.url)}</span>{' '}
                  <span class="quiet">
                    {t('of {name}', { name: nameOf.get(one.line_id) ?? t('line {id}', { id: one.line_id }) })}
                  </span>
                </h3>
                <p class="quiet">
                  {isPaused ? (
                    <>
                      {one.paused_because
                        ? t.rich('Paused since {when}: {reason}', {
                            when: <Time at={one.paused_at} to="minute" />,
                            reason: <Said>{saidOfPause(one)}</Said>,
                          })
                        : t.rich('Paused since {when}.', {
                            when: <Time at={one.paused_at} to="minute" />,
                          })}{' '}
                      <Waits count={waiting.get(one.id)?.count ?? 0} />
                    </>
                  ) : (
                    <HeldBack
                      destination={one}
                      lastAttempt={lastAttempts.get(one.id) ?? null}
                      waiting={waiting.get(one.id)}
                    />
                  )}
                </p>
              </div>
              <div class="actions">
                {isPaused ? (
                  <Resume destination={one} from="events" />
                ) : (
                  <TryNow destination={one} from="events" />
                )}
                {!isOpen && (
                  <a class="button plain" href={`/panel/events?destination=${one.id}`}>
                    {t('Show its deliveries')}
                    <span class="sr-only"> ({one.id})</span>
                  </a>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

function ReplayNotice({ replay }: { replay: ReplayRow }): VNode {
  const { count, told_at: toldAt, came_to: cameTo } = replay;
  if (cameTo === null)
    return (
      <Notice tone="info">
        <p>
          {t(
            'Resending matching deliveries: {count, plural, one {# delivery} other {# deliveries}} so far.',
            {
              count,
            },
          )}{' '}
          {t('It continues if you leave this page.')}
        </p>
        <progress aria-label={t('Resending matching deliveries')} />
      </Notice>
    );
  if (cameTo === 'broken')
    return (
      <Notice tone="bad">
        <p>
          {t('Resending stopped after {count, plural, one {# delivery} other {# deliveries}}.', { count })}{' '}
          {t("The gateway's log shows the reason. Start again to resend the rest.")}
        </p>
      </Notice>
    );
  return (
    <Notice tone="good">
      <p>
        {t.rich(
          '{count, plural, one {Resent # matching delivery} other {Resent # matching deliveries}}, {when}.',
          { count, when: <Ago at={toldAt} /> },
        )}
        {cameTo === 'ceiling' && ` ${t('This is the limit per resend. Start again to resend the rest.')}`}
      </p>
    </Notice>
  );
}

/** Replays shown on a list: all, or only those of the chosen line and destination. */
const belongsTo =
  ({ line, customer, destination }: Filter) =>
  ({ what }: ReplayRow): boolean => {
    const of = filterOf(new URLSearchParams(what.split('?')[1]));
    if (!line && !customer && !destination) return true;
    return of.line === line && of.customer === customer && of.destination === destination;
  };

/**
 * Whether deliveries in this state can be resent. Pending ones are sent anyway; null includes every state.
 */
const isOver = (state: ListedState | null): state is 'delivered' | 'dead' | null =>
  state === null || state === 'delivered' || state === 'dead';

interface ForAllProps {
  filter: Filter;
}

/**
 * Counts the deliveries on all pages that can be resent, up to `MOST_GLANCED` and one more; null if not
 * shown.
 */
async function countOf(deps: PanelDeps, filter: Filter): Promise<number | null> {
  if (!isOver(filter.state) || !isFiltered(filter) || isAllDead(filter)) return null;
  const search = await searchOf(deps, filter, null);
  return search && deps.store.backlog.over({ ...search, states: statesOf(filter.state) });
}

/** Counts the given up deliveries of the chosen line and destination. */
const deadOf = async (deps: PanelDeps, filter: Filter): Promise<number> =>
  deps.store.backlog.dead(await destinationIdsOf(deps, filter));

const statesOf = (state: 'delivered' | 'dead' | null): DeliveryFilter['states'] =>
  state === null ? ['delivered', 'dead'] : [state];

/** Whether the filter selects all given up deliveries, in total or of a line and destination. */
const isAllDead = (filter: Filter): boolean =>
  String(queryOf({ ...filter, line: '', customer: '', destination: '' })) === 'state=dead';

interface AgainProps extends ForAllProps {
  /** Whether the database can find all matches at once. Texts and message ids are searched page by page. */
  isListed: boolean;
  dead: number;
  /** The number of deliveries that can be resent; null if unknown. */
  count: number | null;
  line: { name: string } | null;
  destination: DestinationRow | undefined;
  /** Whether all matches are selected, according to the address of the page. */
  isSelected: boolean;
  /** The address of the list without a selection. */
  list: string;
  /** Whether the list has other pages. */
  hasMore: boolean;
}

/**
 * The selection of all matches on every page, and the confirmation before resending; null if nothing can be
 * resent.
 */
function againOf(
  context: UserContext,
  { isListed, filter, dead, count, line, destination, isSelected, list, hasMore }: AgainProps,
): { all: AllMatching; question: VNode | null } | null {
  if (!isListed || !isFiltered(filter) || !isOver(filter.state) || filter.about !== null || count === 0)
    return null;
  const isAll = isAllDead(filter);
  const meant = isAll ? dead : count;
  const shown = meant === null ? null : upToMost(meant, isAll ? MOST_COUNTED : MOST_GLANCED);
  const all = {
    shown,
    isSelected,
    href: isSelected ? `${list}#deliveries` : `${list}&selected=all#deliveries`,
    hasMore,
    button: (
      <button type="button" class="button plain" {...opens('replay')}>
        {shown === null ? t('Resend all that match') : t('Resend {shown}', { shown })}
      </button>
    ),
  };
  const question = isSelected ? (
    <Question
      id="replay"
      action={ofCustomer(context, '/panel/events/replay')}
      title={
        shown === null
          ? t('Resend all matching deliveries?')
          : t('Resend {shown} {count, plural, one {delivery} other {deliveries}}?', {
              shown,
              count: meant ?? 0,
            })
      }
      confirm={t('Resend')}
      fields={Object.fromEntries(queryOf(filter))}
    >
      <p>
        {isAll
          ? everyDead(line?.name, destination && shortAddress(context, destination.line_id, destination.url))
          : everyOne(filter.state)}
      </p>
      <p class="quiet">
        {t(
          'Event IDs stay the same. 100 go out every 5 seconds, alongside new events, up to {most, number} per resend.',
          { most: MOST_REPLAYED },
        )}
      </p>
    </Question>
  ) : null;
  return { all, question };
}

function everyDead(line: string | undefined, destination: string | undefined): string {
  if (destination !== undefined)
    return t(
      'Resends every delivery to {destination} that was given up. Fix the cause first, or they fail again.',
      { destination },
    );
  if (line !== undefined)
    return t(
      'Resends every delivery of the line {line} that was given up. Fix the cause first, or they fail again.',
      { line },
    );
  return t(
    'Resends every delivery that was given up, of all lines. Fix the cause first, or they fail again.',
  );
}

function everyOne(state: ListedState | null): string {
  if (state === 'delivered') return t('Resends every matching delivery that was accepted, on every page.');
  if (state === 'dead') return t('Resends every matching delivery that was given up, on every page.');
  return t('Resends every matching delivery that was accepted or given up, on every page.');
}

async function replayMany(context: UserContext): Promise<PanelResponse> {
  const filter = filterOf(context.form);
  const { state, about } = filter;
  if (!isOver(state) || about !== null || !isFiltered(filter)) throw pageNotFound();
  // All destinations of the line, not only the latest.
  const search = await searchOf(context.deps, filter, null);
  if (!search || search.text || search.wamid)
    return seeOther(
      addressOf(filter),
      t('Words and message IDs are searched page by page. Select the deliveries to resend.'),
      'warn',
    );
  await replayBeside(
    context,
    { ...search, states: statesOf(state) },
    // The search text must not be stored.
    `${FILTERED}?${queryOf({ ...filter, q: '' })}`,
    auditedFilter(queryOf(filter)),
  );
  return seeOther(addressOf(filter));
}

async function sendTicked(context: UserContext): Promise<PanelResponse> {
  const { form } = context;
  const ticked = form
    .getAll('one')
    .flatMap((ones) => (typeof ones === 'string' ? ones.split(',') : []))
    .flatMap((one): DeliveryKey[] => {
      const [, event_id = '', destination = ''] = /^(evt_\w{1,60})~(\d{1,9})$/.exec(one) ?? [];
      return event_id ? [{ event_id, destination_id: Number(destination) }] : [];
    });
  const back = form.get('back');
  const to = typeof back === 'string' && /^\/panel\/events(\?|$)/.test(back) ? back : '/panel/events';
  if (!ticked.length) return seeOther(to, t('Nothing was selected, so nothing was resent.'), 'idle');
  if (ticked.length > MOST_TICKED) throw pageNotFound();
  const { count, held } = await replayTicked(context.deps, context.actor, ticked);
  const left = ticked.length - count;
  if (!count)
    return seeOther(
      to,
      t(
        'Nothing was resent: the selected deliveries are already being sent, their destination was removed, or their text is no longer stored. To send a waiting delivery, press Try now on the page of its event.',
      ),
      'warn',
    );
  const sent = sentWords(count - held, held);
  const kept = t(
    "{left, number} can't be resent: already being sent, destination removed, or text no longer stored.",
    { left },
  );
  return seeOther(to, left ? `${sent} ${kept}` : sent, held ? 'warn' : 'good');
}

/** @param held deliveries whose destination isn't accepting events */
function sentWords(count: number, held: number): string {
  if (!held)
    return t('{count, plural, one {# delivery is} other {# deliveries are}} being resent.', {
      count,
    });
  if (!count)
    return t(
      "{held, plural, one {# delivery is waiting: its destination isn't accepting events} other {# deliveries are waiting: their destination isn't accepting events}}.",
      { held },
    );
  return t(
    "{count, plural, one {# is} other {# are}} being resent; {held, plural, one {# is waiting: its destination isn't accepting events} other {# are waiting: their destination isn't accepting events}}.",
    { count, held },
  );
}

async function writeAll(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, form } = context;
  const format = formatIn(form);
  const filter = filterOf(form);
  const search = await searchOf(deps, filter, null);
  if (!search) throw pageNotFound();
  await lookedAtExport(context, filter.line);
  const written = await exportEvents(deps, actor, search, format, auditedFilter(queryOf(filter)));
  return exportedFile(deps, 'events', format, written);
}
