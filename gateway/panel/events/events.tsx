import { type VNode } from 'preact';
import { resumeDestination } from '../../forwarding/destinations/resume-destination';
import { MOST_REPLAYED } from '../../forwarding/replay';
import {
  LISTED_STATES,
  MOST_DESTINATIONS,
  type DeliveryCursor,
  type DeliverySearch,
  type ListedDelivery,
  type ListedState,
  type WaitingFor,
} from '../../store/reports/delivery-list';
import { type Tables } from '../../store/store';
import { type DestinationRow } from '../../store/tables/destinations';
import { shownAddress } from './shown-address';
import { FormState } from '../form-state';
import { Confirm, Form, SelectField, Submit } from '../ui/form';
import { LineField } from '../ui/line-field';
import { Live } from '../ui/live';
import { Card, Empty, Notice, NothingAmongLatest, PageHead, Pager, Table, Time } from '../ui/parts';
import { pageNotFound } from '../ui/error-page';
import {
  operatorAction,
  viewerPage,
  page,
  seeOther,
  type Outcome,
  type PanelRoute,
  type UserContext,
} from '../request-context';
import { counted, upToMost } from '../ui/counts';
import { Advice, HeldBack, TryNow, Waits } from '../ui/held-back';
import { type ReplayRow } from '../../store/tables/replays';
import { replayBeside, replaysOf } from './replays';
import { causeWord, CAUSE_WORDS, eventWord, isCause, STATE_WORDS, StateBadge } from './delivery-words';

export const eventsPages: PanelRoute[] = [
  viewerPage('/events', showDeliveries, { live: true }),
  operatorAction('/events/replay', replayMany),
  operatorAction('/events/resume', resumeOne),
];

const PAGE = 50;

/** What the filter says: by the words of the address. */
interface Filter {
  line: string;
  destination: string;
  state: ListedState | null;
  cause: string;
}

function filterOf(values: URLSearchParams | FormData): Filter {
  const text = (name: string) => {
    const value = values.get(name);
    return typeof value === 'string' ? value : '';
  };
  const number = (name: string) => (/^\d{1,9}$/.test(text(name)) ? text(name) : '');
  return {
    line: number('line'),
    destination: number('destination'),
    state: LISTED_STATES.find((state) => state === text('state')) ?? null,
    cause: isCause(text('cause')) ? text('cause') : '',
  };
}

/** @param limit of the destinations of a line, the latest of them; null for all that are not removed */
async function searchOf(
  filter: Filter,
  { destinations }: Pick<Tables, 'destinations'>,
  limit: number | null,
): Promise<DeliverySearch> {
  const { line, destination, state, cause } = filter;
  const ofLine = line && !destination ? await destinations.idsOf(Number(line), limit) : [];
  const only = destination ? await destinations.find(Number(destination)) : null;
  const isMeant = only && (!line || String(only.line_id) === line);
  return {
    ...((line || destination) && { destinationIds: isMeant ? [only.id] : ofLine }),
    ...(state && { state }),
    ...(cause && { cause }),
  };
}

async function showDeliveries(context: UserContext): Promise<Outcome> {
  const { deps, query } = context;
  const { store, lines } = deps;
  const filter = filterOf(query);
  const [search, heldBack, choices] = await Promise.all([
    searchOf(filter, store, MOST_DESTINATIONS),
    store.destinations.unhealthy(),
    choicesOf(filter, store),
  ]);
  const [{ rows, next }, dead, replays, waiting] = await Promise.all([
    store.deliveryList.page(search, cursorOf(query.get('after')), PAGE),
    store.deliveryList.dead(),
    replaysOf(deps),
    store.deliveryList.waitingFor(heldBack.map(({ id }) => id)),
  ]);
  const nameOf = new Map(lines.all().map(({ id, name }) => [id, name]));
  const isFiltered = Object.values(filter).some(Boolean);
  return page(
    'Events',
    <>
      <PageHead title="Events and deliveries">
        What came in from WhatsApp and was passed on: each event once for every destination that asks for it.
      </PageHead>
      <Live id="troubled">
        <HeldBackDestinations context={context} heldBack={heldBack} nameOf={nameOf} waiting={waiting} />
      </Live>
      <Live id="replays">
        {replays.map((one) => (
          <ReplayNotice key={one.id} replay={one} />
        ))}
      </Live>
      <FilterForm context={context} filter={filter} destinations={choices} />
      {context.mayChange && (
        <ReplayButtons context={context} filter={filter} dead={dead} isFiltered={isFiltered} />
      )}
      <Live id="deliveries">
        <Card flush>
          {rows.length ? (
            <DeliveryTable context={context} rows={rows} nameOf={nameOf} />
          ) : (
            <NothingThere context={context} isFiltered={isFiltered} hasNext={next !== null} />
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

/** Which destinations the filter offers: the latest, of the line that is chosen, and the one that is chosen itself. */
async function choicesOf(
  { line, destination }: Filter,
  { destinations }: Pick<Tables, 'destinations'>,
): Promise<DestinationRow[]> {
  const latest = await destinations.latest(line ? Number(line) : null, MOST_DESTINATIONS);
  const isOffered = !destination || latest.some(({ id }) => String(id) === destination);
  const chosen = isOffered ? null : await destinations.find(Number(destination));
  return [...(chosen ? [chosen] : []), ...latest].toSorted((one, other) => one.id - other.id);
}

const cursorText = ({ dueAt, eventId, destinationId }: DeliveryCursor) =>
  `${dueAt}~${eventId}~${destinationId}`;

/** Anything else than what `placeText` made begins at the start. */
function cursorOf(text: string | null): DeliveryCursor | null {
  const [, dueAt = '', eventId = '', id = ''] =
    /^([\d\-T:.Z]*)~(evt_\w{1,60})~(\d{1,9})$/.exec(text ?? '') ?? [];
  return eventId ? { dueAt, eventId, destinationId: Number(id) } : null;
}

function addressOf(filter: Filter, after: DeliveryCursor | null = null): string {
  const given = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  const query = new URLSearchParams(given);
  if (after) query.set('after', cursorText(after));
  return `/panel/events${query.size ? `?${query}` : ''}`;
}

const any = (label: string) => ({ value: '', label });

/** Enough of an address to tell it from others; the path tells n8n's apart. */
const short = (context: UserContext, url: string): string => {
  const text = shownAddress(context, url).replace(/^https?:\/\//, '');
  return text.length > 60 ? `${text.slice(0, 36)}…${text.slice(-20)}` : text;
};

function FilterForm({
  context,
  filter,
  destinations,
}: {
  context: UserContext;
  filter: Filter;
  destinations: DestinationRow[];
}): VNode {
  const state = new FormState(
    Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, value ?? ''])),
  );
  return (
    <form class="filter" method="get" action="/panel/events">
      <LineField context={context} state={state} />
      <SelectField
        state={state}
        name="destination"
        label="Destination"
        hint={destinations.length < MOST_DESTINATIONS ? undefined : 'The latest; choose a line for others.'}
        choices={[
          any('All'),
          ...destinations.map(({ id, url }) => ({
            value: String(id),
            label: `${short(context, url)} (${id})`,
          })),
        ]}
      />
      <SelectField
        state={state}
        name="state"
        label="State"
        choices={[any('All'), ...LISTED_STATES.map((value) => ({ value, label: STATE_WORDS[value].word }))]}
      />
      <SelectField
        state={state}
        name="cause"
        label="Why it failed"
        choices={[
          any('Whatever came of it'),
          ...Object.entries(CAUSE_WORDS).map(([value, { word }]) => ({ value, label: word })),
        ]}
      />
      <Submit tone="plain">Filter</Submit>
    </form>
  );
}

function DeliveryTable({
  context,
  rows,
  nameOf,
}: {
  context: UserContext;
  rows: ListedDelivery[];
  nameOf: Map<number, string>;
}): VNode {
  return (
    <Table
      caption="Deliveries"
      rows={rows}
      rowKey={(row) => `${row.event_id} ${row.destination_id}`}
      columns={[
        {
          label: 'Event',
          heading: true,
          cell: (row) => (
            <>
              <a class="row-link" href={`/panel/events/${row.event_id}`}>
                {eventWord(row)}
              </a>
              {row.contact && <div class="quiet small">{row.contact}</div>}
            </>
          ),
        },
        {
          label: 'Came in',
          cell: (row) => <Time at={row.received_at} />,
        },
        {
          label: 'Destination',
          cell: (row) => (
            <>
              <span class="long">{short(context, row.url)}</span>
              <div class="quiet small">{nameOf.get(row.line_id) ?? `Line ${row.line_id}`}</div>
            </>
          ),
        },
        {
          label: 'State',
          cell: (row) => (
            <>
              <StateBadge of={row} />
              <Why row={row} />
            </>
          ),
        },
      ]}
    />
  );
}

/** What there is to say beside the state. */
function Why({ row }: { row: ListedDelivery }): VNode | null {
  const failed = row.outcome !== null && row.outcome !== 'delivered';
  if (!failed) return null;
  return (
    <div class="quiet small">
      {causeWord(row.outcome ?? '', row.http_status)}, {counted(row.attempts, 'attempt', 'attempts')}
    </div>
  );
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
      <Empty title="Nothing matches this filter">
        <a href="/panel/events">Show everything</a>
      </Empty>
    );
  const [line] = context.deps.lines.all();
  return (
    <Empty title="Nothing was passed on yet">
      <p>
        As soon as somebody writes to a line, or a message of yours arrives, it is listed here: provided that
        the line has a forwarding URL.
      </p>
      <a class="button plain" href={line ? `/panel/lines/${line.id}` : '/panel/start'}>
        {line ? `Look at ${line.name}` : 'First steps'}
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
    <Card title="Destinations that need a look" flush>
      <ul class="troubled">
        {heldBack.map((one) => {
          const isPaused = one.paused_at !== null;
          return (
            <li key={one.id}>
              <div class="stack close">
                <p>
                  <strong class="long">{shownAddress(context, one.url)}</strong>{' '}
                  <span class="quiet">of {nameOf.get(one.line_id) ?? `line ${one.line_id}`}</span>
                </p>
                {isPaused ? (
                  <p>
                    Paused since <Time at={one.paused_at} />
                    {one.paused_because ? `: ${one.paused_because}` : '.'}
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
                {isPaused && context.mayChange && (
                  <Form context={context} action="/panel/events/resume" class="inline">
                    <input type="hidden" name="destination" value={one.id} />
                    <Submit>
                      Go on<span class="sr-only"> with destination {one.id}</span>
                    </Submit>
                  </Form>
                )}
                <a class="button plain" href={`/panel/events?destination=${one.id}`}>
                  Show its deliveries<span class="sr-only"> ({one.id})</span>
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
  const { who, what, count, begun_at: begunAt, came_to: cameTo } = replay;
  const sent = counted(count, 'delivery is sent again', 'deliveries are sent again');
  if (cameTo === null)
    return (
      <Notice tone="info">
        <p>
          <strong>{what}: at work.</strong> {sent} by now. It goes on if you leave this page.
        </p>
        <progress aria-label={`${what}: at work`} />
      </Notice>
    );
  return (
    <Notice tone={cameTo === 'broken' ? 'bad' : 'good'}>
      <p>
        <strong>
          {what}: {cameTo === 'broken' ? 'broke off' : 'done'}.
        </strong>{' '}
        {sent}, as {who} asked at <Time at={begunAt} />.
        {cameTo === 'broken' && ' The log of the gateway tells why. Begin it once more for the rest.'}
        {cameTo === 'ceiling' && ' That is the most of one replay: begin it once more for the rest.'}
      </p>
    </Notice>
  );
}

/** Which states can be sent again: what is still to be delivered goes out anyway. */
const isOver = (state: ListedState | null): state is 'delivered' | 'dead' | null =>
  state === null || state === 'delivered' || state === 'dead';

function ReplayButtons({
  context,
  filter,
  dead,
  isFiltered,
}: {
  context: UserContext;
  filter: Filter;
  dead: number;
  isFiltered: boolean;
}): VNode | null {
  const canFiltered = isFiltered && isOver(filter.state);
  if (!dead && !canFiltered) return null;
  const how = (
    <p class="quiet">
      Receivers get them under the same event ids, 100 every five seconds, beside what is new. Up to{' '}
      {MOST_REPLAYED.toLocaleString('en')} at once.
    </p>
  );
  const fields = Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name, value ?? '']),
  ) as Record<string, string>;
  return (
    <div class="actions">
      {canFiltered && (
        <Confirm
          context={context}
          id="replay-filtered"
          action="/panel/events/replay"
          button="Send all of this filter again"
          title="Send them again?"
          confirm="Send them again"
          fields={fields}
        >
          <p>
            Every delivery that this filter means and that is{' '}
            {filter.state === null ? 'delivered or dead' : filter.state} goes out once more, those on other
            pages of the list included.
          </p>
          {how}
        </Confirm>
      )}
      {dead > 0 && (
        <Confirm
          context={context}
          id="replay-dead"
          action="/panel/events/replay"
          button={`Send all dead ones again (${upToMost(dead)})`}
          title="Send all dead ones again?"
          confirm="Send them again"
          fields={{ state: 'dead' }}
        >
          <p>
            Every delivery that was given up, of all lines, goes out once more. Correct first why they failed:
            otherwise they fail again.
          </p>
          {how}
        </Confirm>
      )}
    </div>
  );
}

async function replayMany(context: UserContext): Promise<Outcome> {
  const filter = filterOf(context.form);
  const { state, line, destination, cause } = filter;
  if (!isOver(state) || !Object.values(filter).some(Boolean)) throw pageNotFound();
  const { destinationIds } = await searchOf(filter, context.deps.store, null);
  const isAllDead = state === 'dead' && !line && !destination && !cause;
  await replayBeside(
    context,
    {
      states: state === null ? ['delivered', 'dead'] : [state],
      ...(destinationIds && { destinationIds }),
      ...(cause && { cause }),
    },
    isAllDead ? 'All dead ones again' : 'The filtered ones again',
    {
      ...(state && { state }),
      ...(line && { line: Number(line) }),
      ...(destination && { destination: Number(destination) }),
      ...(cause && { cause }),
    },
  );
  return seeOther(addressOf(filter));
}

async function resumeOne(context: UserContext): Promise<Outcome> {
  const { deps } = context;
  const id = Number(filterOf(context.form).destination);
  const row = id ? await deps.store.destinations.find(id) : null;
  if (!row || row.removed_at !== null) throw pageNotFound();
  await resumeDestination(deps, context.actor, { id, lineId: row.line_id, url: row.url });
  return seeOther('/panel/events', 'It goes on: what waited for it is sent now.');
}
