import { type VNode } from 'preact';
import { writtenText } from '../../cloud-api/written-text';
import { type ListedEvent } from '../../store/reports/event-list';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';
import { causeWord } from '../ui/causes';
import { Form, Submit } from '../ui/form';
import { eventWord } from '../ui/kind-words';
import { Badge, Time, type Tone } from '../ui/parts';
import { stateOf, STATE_TONES, stateWord } from './delivery-words';
import { shownAddress } from '../ui/destination/shown-address';
import { useRequest } from '../ui/page-request';

interface EventTableProps {
  rows: ListedEvent[];
  nameOf: Map<number, string>;
  /** The page to come back to. */
  back: string;
}

/** Events as a log of deliveries; operators tick those that are to be sent again. */
export function EventTable(props: EventTableProps): VNode {
  const { back } = props;
  if (!useRequest().mayChange || !props.rows.some(canTick)) return <Log {...props} />;
  return (
    <Form action="/panel/events/again" class="ticking" fields={{ back }}>
      <div class="tick-bar">
        <label class="choice" data-tick-all="" hidden>
          <input type="checkbox" />
          <span>
            {t.rich('All<more> on this page</more>', {
              more: (parts) => <span class="sr-only">{parts}</span>,
            })}
          </span>
        </label>
        <Submit tone="plain">{t('Send ticked ones again')}</Submit>
      </div>
      <Log {...props} />
    </Form>
  );
}

function Log({ rows, nameOf }: EventTableProps): VNode {
  const context = useRequest();
  return (
    <table class="log">
      <caption class="sr-only">{t('Events and their deliveries')}</caption>
      <thead>
        <tr>
          {context.mayChange && (
            <th scope="col" class="log-tick">
              <span class="sr-only">{t('Tick')}</span>
            </th>
          )}
          <th scope="col">{t('Event')}</th>
          <th scope="col">{t('Destination')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col">{t('Came in')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <Row
            key={`${row.event_id} ${row.destination_id}`}
            row={row}
            isMore={rows[index - 1]?.event_id === row.event_id}
            nameOf={nameOf}
          />
        ))}
      </tbody>
    </table>
  );
}

/** What was canceled never goes out. */
const canTick = ({ destination_id: destination, state }: ListedEvent): boolean =>
  destination !== null && state !== 'canceled';

interface RowProps extends Pick<EventTableProps, 'nameOf'> {
  row: ListedEvent;
  /** Another destination of the event above: the event itself is not shown again. */
  isMore: boolean;
}

function Row({ row, isMore, nameOf }: RowProps): VNode {
  const context = useRequest();
  const { word, tone } = standingOf(row);
  const words = wordsOf(row);
  const line =
    row.line_id === null ? t('No line') : (nameOf.get(row.line_id) ?? t('Line {id}', { id: row.line_id }));
  return (
    <tr class={isMore ? 'log-more' : undefined} data-tone={tone}>
      {context.mayChange && (
        <td class="log-tick">
          {canTick(row) && (
            <input
              type="checkbox"
              name="one"
              value={`${row.event_id}~${row.destination_id}`}
              aria-label={t('Tick: {words}', { words })}
            />
          )}
        </td>
      )}
      <th scope="row">
        {isMore ? (
          <span class="sr-only">{words}</span>
        ) : (
          <>
            <a class="row-link log-words" href={`/panel/events/${row.event_id}`}>
              {words}
            </a>
            <div class="quiet small">
              {row.contact !== null && <span class="number">{contactText(row.contact)}</span>}
              {/* Words are those of a text where nothing else is said. */}
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
      <td class="log-to">
        {row.url !== null && <Address of={shownAddress(context, row.url)} />}
        {!isMore && <div class="quiet small">{line}</div>}
      </td>
      <td class="log-state">
        <Badge tone={tone}>{word}</Badge>
        {row.state === 'pending' && row.attempts === 0 && <div class="quiet small">{t('not tried yet')}</div>}
        {row.outcome !== null && row.outcome !== 'delivered' && (
          <div class="quiet small">
            {causeWord(row.outcome, row.http_status)},{' '}
            {t('{count, plural, one {# attempt} other {# attempts}}', { count: row.attempts ?? 0 })}
          </div>
        )}
      </td>
      <td class="log-at">{!isMore && <Time at={row.received_at} />}</td>
    </tr>
  );
}

/** On one line. The path is cut off at its beginning: receivers of one host differ in what it ends with. */
function Address({ of: address }: { of: string }): VNode {
  const [, host = address, path = ''] = /^https?:\/\/([^/]+)(.*)$/.exec(address) ?? [];
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

function standingOf({ state, paused_at }: ListedEvent): { word: string; tone: Tone } {
  if (state === null) return { word: t('Not passed on'), tone: 'idle' };
  const standing = stateOf({ state, paused_at });
  return { word: stateWord(standing), tone: STATE_TONES[standing] };
}

/** What a contact wrote, as far as a line holds it; else what the event is. */
function wordsOf(row: ListedEvent): string {
  const text = row.subject === 'message' && row.body !== null ? writtenText(row.body) : null;
  return text?.replace(/\s+/g, ' ').slice(0, LONGEST) ?? eventWord(row);
}

const LONGEST = 120;
/** Of characters: one that is not longer takes no room from its host. */
const LONG_PATH = 16;
