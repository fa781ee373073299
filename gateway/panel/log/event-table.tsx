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
import { type RequestContext } from '../request-context';
import { useRequest } from '../ui/page-request';

interface EventTableProps {
  rows: ListedEvent[];
  nameOf: Map<number, string>;
  /** The address of this list, to return to. */
  back: string;
  /** The selection of all matches on all pages; undefined if they cannot be resent. */
  all?: AllMatching | undefined;
}

export interface AllMatching {
  /** The number of matches, formatted; null if not counted. */
  shown: string | null;
  isSelected: boolean;
  /** The list with all matches selected or, if they are, with none. */
  href: string;
  /** Whether the list has other pages. */
  hasMore: boolean;
  /** Asks for confirmation and resends all matches. */
  button: VNode;
}

/** A table of deliveries with events. Users who may resend get check boxes. */
export function EventTable(props: EventTableProps): VNode {
  const { back, all } = props;
  const context = useRequest();
  const count = props.rows.filter((row) => canTick(context, row)).length;
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
  if (!count)
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
        {/* If there is only one page, the script's check box selects all matches. */}
        {all?.hasMore ? selectAll : count > 1 && <noscript>{selectAll}</noscript>}
        <button type="button" class="button plain" data-ticked="" {...opens('resend')}>
          {t('Resend selected')}
          <span />
        </button>
      </div>
      <Log {...props} ticks />
      {/* Inside the form, so that it submits the selection. */}
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

/** The latest deliveries of one destination, without a destination column. */
export const EventsOfOne = ({ rows }: { rows: ListedEvent[] }): VNode => <Log rows={rows} />;

interface LogProps {
  rows: ListedEvent[];
  /** The lines' names; undefined for the deliveries of a single destination. */
  nameOf?: Map<number, string>;
  /** Whether rows that can be resent have a check box. `all`: all are ticked, on other pages too. */
  ticks?: boolean | 'all';
  /** The address of the list, for the way back. */
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

/** The deliveries in one row: all accepted ones of an event, or a single delivery. */
type Group = [ListedEvent, ...ListedEvent[]];

function grouped(rows: ListedEvent[]): Group[] {
  const groups: Group[] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    if (
      first?.event_id === row.event_id &&
      [first, row].every(({ state }) => state === 'delivered') &&
      canResend(first) === canResend(row)
    )
      last?.push(row);
    else groups.push([row]);
  }
  return groups;
}

/**
 * Whether a delivery can be resent. Canceled ones never are, waiting ones are sent anyway, and resending an
 * answer would resume its workflow twice.
 */
const canResend = ({ state, origin }: ListedEvent): boolean =>
  (state === 'delivered' || state === 'dead') && origin !== 'question';

/** Whether this user can resend the delivery. */
export const canTick = ({ may }: Pick<RequestContext, 'may'>, row: ListedEvent): boolean =>
  canResend(row) && may('deliveries.replay', row.line_id ?? undefined);

interface RowProps extends Omit<LogProps, 'rows'> {
  group: Group;
  /** Whether the row above shows the same event. */
  isMore: boolean;
}

function Row({ group, isMore, nameOf, ticks, back = '' }: RowProps): VNode {
  const [row] = group;
  const isTickable = canTick(useRequest(), row);
  const { word, tone } = standingOf(row);
  const words = wordsOf(row);
  const name = row.subject === 'message' ? writerName(row.body ?? '') : null;
  return (
    <tr id={isMore ? undefined : row.event_id} class={isMore ? 'log-more' : undefined} data-tone={tone}>
      {ticks && (
        <td class="log-tick">
          {isTickable && ticks === 'all' && (
            <input type="checkbox" checked disabled aria-label={t('Select: {words}', { words })} />
          )}
          {isTickable && ticks === true && (
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
              {/* A text needs no label for its kind. */}
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

/** Marks an attempt at a previous address of the destination. @param at ISO time of the attempt */
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

/** Most addresses per row. The event's page shows all. */
const MOST_ADDRESSES = 3;

function Addresses({ of: group }: { of: Group }): VNode {
  const context = useRequest();
  const addresses = group.flatMap(({ url, line_id: lineId }) =>
    url === null ? [] : shownAddress(context, lineId, url),
  );
  return (
    <>
      {addresses.slice(0, MOST_ADDRESSES).map((address, index) => (
        <Address key={index} of={address} />
      ))}
      {addresses.length > MOST_ADDRESSES && (
        <div class="long quiet">{t('and {count} more', { count: addresses.length - MOST_ADDRESSES })}</div>
      )}
    </>
  );
}

/**
 * An address on one line. A long path is cut at its beginning, because paths on one host differ at the end.
 */
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

/** Whether the event is a message, from a contact or from the phone app. */
export const isMessage = ({ subject }: Pick<ListedEvent, 'subject'>): boolean =>
  subject === 'message' || subject === 'echo';

/**
 * Whether the event shows a contact, or is a notification, whose body can hold messages of several contacts. Readers
 * without content see neither.
 */
export const hasContent = ({
  contact,
  subject,
  body,
}: Pick<ListedEvent, 'contact' | 'subject' | 'body'>): boolean =>
  contact !== null || (subject === 'notification' && Boolean(body));

/** The beginning of the message's text; without a text, the kind of the event. */
export function wordsOf(row: Pick<ListedEvent, 'subject' | 'kind' | 'body'>): string {
  const text = isMessage(row) && row.body !== null ? writtenText(row.body) : null;
  return text?.replace(/\s+/g, ' ').slice(0, LONGEST) ?? eventWord(row);
}

const LONGEST = 120;
/** Longest path, in characters, that leaves room for the host. */
const LONG_PATH = 16;
