import { type VNode } from 'preact';
import { writerName, writtenText } from '../../cloud-api/written-text';
import { isHeldBack } from '../../forwarding/destination';
import { type ListedEvent } from '../../store/reports/event-list';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';
import { causeWord } from '../ui/words/causes';
import { Form, opens } from '../ui/form';
import { eventWord } from '../ui/words/kind-words';
import { Badge, Time, type Tone } from '../ui/parts';
import { stateOf, STATE_TONES, stateWord } from './delivery-words';
import { shownAddress } from '../ui/shown-address';
import { useRequest } from '../ui/page-request';

interface EventTableProps {
  rows: ListedEvent[];
  nameOf: Map<number, string>;
  /** The address of this list, to return to. */
  back: string;
  /** Selecting all that the filter matches, on other pages too; undefined if that cannot be resent. */
  all?: AllMatching | undefined;
}

export interface AllMatching {
  /** How many match; null if they are not counted. */
  shown: string | null;
  isSelected: boolean;
  /** This list with all of them selected, or with nothing selected if they are. */
  href: string;
  /** Whether the list has other pages. */
  hasMore: boolean;
  /** Resends them, after a confirmation. */
  button: VNode;
}

/** Events as a log of deliveries. Operators tick those to resend. */
export function EventTable(props: EventTableProps): VNode {
  const { back, all } = props;
  const count = props.rows.filter(canTick).length;
  if (all?.isSelected)
    return (
      <div class="ticking">
        <div class="tick-bar lasting">
          <span>
            {all.shown === null
              ? t('All that match are selected.')
              : t('All {shown} that match are selected.', { shown: all.shown })}{' '}
            <a href={all.href}>{t('Clear selection')}</a>
          </span>
          {all.button}
        </div>
        <Log {...props} ticks="all" />
      </div>
    );
  const selectAll = all && (
    <a href={all.href}>
      {all.shown === null
        ? t('Select all that match')
        : t('Select all {shown} that match', { shown: all.shown })}
    </a>
  );
  if (!useRequest().may('deliveries.replay') || !count)
    return (
      <>
        {selectAll && <div class="tick-bar lasting">{selectAll}</div>}
        <Log {...props} />
      </>
    );
  return (
    <Form action="/panel/events/again" class="ticking" fields={{ back }}>
      <div class={all ? 'tick-bar lasting' : 'tick-bar'}>
        <label class="choice" data-tick-all="" hidden>
          <input type="checkbox" />
          <span>
            {t('{count, plural, one {The one on this page} other {All # on this page}}', { count })}
          </span>
        </label>
        {/* All on the only page are all that match: the box does the same, with script. */}
        {all?.hasMore ? selectAll : count > 1 && <noscript>{selectAll}</noscript>}
        <button type="button" class="button plain" data-ticked="" {...opens('resend')}>
          {t('Resend selected')}
          <span />
        </button>
      </div>
      <Log {...props} ticks />
      {/* Inside the form, so that the selection is submitted with it. */}
      <dialog id="resend" class="dialog" aria-labelledby="resend-title">
        <h2 id="resend-title">{t('Resend the selected deliveries?')}</h2>
        <p>
          {t(
            'Resends the selected events with the same event IDs, including events that were already accepted.',
          )}
        </p>
        <div class="dialog-actions">
          <button type="button" class="button plain" command="close" commandfor="resend">
            {t('Cancel')}
          </button>
          <button class="button primary" data-ticked="">
            {t('Resend')}
            <span />
          </button>
        </div>
      </dialog>
    </Form>
  );
}

/** The latest deliveries of one destination, without a column for it. */
export const EventsOfOne = ({ rows }: { rows: ListedEvent[] }): VNode => <Log rows={rows} />;

interface LogProps {
  rows: ListedEvent[];
  /** Undefined if all are of one destination, which then has no column. */
  nameOf?: Map<number, string>;
  /** Whether deliveries that can be resent have a box; `all`: every box is ticked, on other pages too. */
  ticks?: boolean | 'all';
  /** The address of the list, to return to. */
  back?: string;
}

function Log({ rows, nameOf, ticks = false, back = '' }: LogProps): VNode {
  const groups = grouped(rows);
  return (
    <table class="log">
      <caption class="sr-only">{t('Events and their deliveries')}</caption>
      <thead>
        <tr>
          {ticks && (
            <th scope="col" class="log-tick">
              <span class="sr-only">{t('Select')}</span>
            </th>
          )}
          <th scope="col">{t('Event')}</th>
          {nameOf && <th scope="col">{t('Destination')}</th>}
          <th scope="col">{t('State')}</th>
          <th scope="col">{t('Received')}</th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group, index) => (
          <Row
            key={`${group[0].event_id} ${group[0].destination_id}`}
            group={group}
            isMore={groups[index - 1]?.[0].event_id === group[0].event_id}
            nameOf={nameOf}
            ticks={ticks}
            back={back}
          />
        ))}
      </tbody>
    </table>
  );
}

/** The deliveries in one row: the accepted ones of an event, or a single one. */
type Group = [ListedEvent, ...ListedEvent[]];

function grouped(rows: ListedEvent[]): Group[] {
  const groups: Group[] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    if (
      first?.event_id === row.event_id &&
      [first, row].every(({ state }) => state === 'delivered') &&
      canTick(first) === canTick(row)
    )
      last?.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** Canceled deliveries are never sent, waiting ones are sent anyway, and an answer would resume its workflow again. */
export const canTick = ({ state, origin }: ListedEvent): boolean =>
  (state === 'delivered' || state === 'dead') && origin !== 'question';

interface RowProps extends Omit<LogProps, 'rows'> {
  group: Group;
  /** Whether the row above shows the same event, which is then not repeated. */
  isMore: boolean;
}

function Row({ group, isMore, nameOf, ticks, back = '' }: RowProps): VNode {
  const [row] = group;
  const { word, tone } = standingOf(row);
  const words = wordsOf(row);
  const name = row.subject === 'message' ? writerName(row.body ?? '') : null;
  return (
    <tr id={isMore ? undefined : row.event_id} class={isMore ? 'log-more' : undefined} data-tone={tone}>
      {ticks && (
        <td class="log-tick">
          {canTick(row) && ticks === 'all' && (
            <input type="checkbox" checked disabled aria-label={t('Select: {words}', { words })} />
          )}
          {canTick(row) && ticks === true && (
            <input
              type="checkbox"
              name="one"
              value={group.map((one) => `${one.event_id}~${one.destination_id}`).join()}
              aria-label={t('Select: {words}', { words })}
            />
          )}
        </td>
      )}
      <th scope="row">
        {isMore ? (
          <span class="sr-only">{words}</span>
        ) : (
          <>
            <a
              class="row-link log-words"
              href={`/panel/events/${row.event_id}${URL.parse(back, 'http://panel')?.search ?? ''}`}
            >
              <bdi>{words}</bdi>
            </a>
            <div class="quiet small">
              {name !== null && (
                <span class="log-name">
                  <bdi>{name}</bdi> ·{' '}
                </span>
              )}
              {row.contact !== null && <span class="number">{contactText(row.contact)}</span>}
              {/* Words without a kind are a text. */}
              {words !== eventWord(row) && row.kind !== 'text' && (
                <span class="log-kind">
                  {row.contact !== null && ' · '}
                  {eventWord(row)}
                </span>
              )}
            </div>
          </>
        )}
      </th>
      {nameOf && (
        <td class="log-to">
          <Addresses of={group} />
          {!isMore && <div class="quiet small">{lineOf(row, nameOf)}</div>}
        </td>
      )}
      <td class="log-state">
        <Badge tone={tone}>{word}</Badge>
        {group.length > 1 && (
          <div class="quiet small log-many">{t('to {count} destinations', { count: group.length })}</div>
        )}
        {row.state === 'pending' && row.attempts === 0 && (
          <div class="quiet small">{isHeldBack(row) ? t('held back') : t('not tried yet')}</div>
        )}
        {row.outcome !== null && row.outcome !== 'delivered' && (
          <div class="quiet small">
            {causeWord(row.outcome, row.http_status)},{' '}
            {t('{count, plural, one {# attempt} other {# attempts}}', { count: row.attempts ?? 0 })}
            <ToPrevious at={row.started_at} of={row} />
          </div>
        )}
      </td>
      <td class="log-at">{!isMore && <Time at={row.received_at} />}</td>
    </tr>
  );
}

/** A note on an attempt at an address that the destination no longer has. @param at ISO time of the attempt */
export const ToPrevious = ({
  at,
  of: { url_changed_at: changedAt },
}: {
  at: string | null;
  of: { url_changed_at: string | null };
}): VNode | null =>
  at !== null && changedAt !== null && at < changedAt ? <>, {t('to the previous address')}</> : null;

const lineOf = ({ line_id: id }: ListedEvent, nameOf: Map<number, string>): string =>
  id === null ? t('No line') : (nameOf.get(id) ?? t('Line {id}', { id }));

/** Most addresses in a row; the page of the event shows all. */
const MOST_ADDRESSES = 3;

function Addresses({ of: group }: { of: Group }): VNode {
  const context = useRequest();
  const urls = group.flatMap(({ url }) => url ?? []);
  return (
    <>
      {urls.slice(0, MOST_ADDRESSES).map((url, index) => (
        <Address key={index} of={shownAddress(context, url)} />
      ))}
      {urls.length > MOST_ADDRESSES && (
        <div class="long quiet">{t('and {count} more', { count: urls.length - MOST_ADDRESSES })}</div>
      )}
    </>
  );
}

/** On one line. A long path loses its beginning, as receivers of one host differ in the end of their paths. */
function Address({ of: address }: { of: string }): VNode {
  const [, host = address, path = ''] = /^https?:\/\/([^/]+)\/?(\/.+)?$/.exec(address) ?? [];
  return (
    <div class="long" dir="rtl" title={address}>
      <bdi dir="ltr">
        <span class="log-host">{host}</span>
        <span class={path.length > LONG_PATH ? 'log-path' : 'log-path short'} dir="rtl">
          <bdi dir="ltr">{path}</bdi>
        </span>
      </bdi>
    </div>
  );
}

export function standingOf({ state, paused_at }: Pick<ListedEvent, 'state' | 'paused_at'>): {
  word: string;
  tone: Tone;
} {
  if (state === null) return { word: t('Not forwarded'), tone: 'idle' };
  const standing = stateOf({ state, paused_at });
  return { word: stateWord(standing), tone: STATE_TONES[standing] };
}

/** Whether it is a message, from a contact or from the phone app, not a status. */
export const isMessage = ({ subject }: Pick<ListedEvent, 'subject'>): boolean =>
  subject === 'message' || subject === 'echo';

/** The text of a message, cut to a line; without one, the kind of the event. */
export function wordsOf(row: Pick<ListedEvent, 'subject' | 'kind' | 'body'>): string {
  const text = isMessage(row) && row.body !== null ? writtenText(row.body) : null;
  return text?.replace(/\s+/g, ' ').slice(0, LONGEST) ?? eventWord(row);
}

const LONGEST = 120;
/** Characters of a path that leave enough room for its host. */
const LONG_PATH = 16;
