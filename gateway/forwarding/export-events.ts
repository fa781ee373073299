import { writtenText } from '../cloud-api/written-text';
import { csvFile, ndjsonFile, type Columns, type ExportFormat } from '../export-file';
import { type DeliveryCursor } from '../store/reports/delivery-list';
import { type EventSearch, type ListedEvent } from '../store/reports/event-list';
import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps } from '../store/with-audit';
import { afterNewest } from './replay';

/** Rows in memory at a time: a body may have megabytes. */
const AT_ONCE = 50;

/**
 * Exports all events that match a search, oldest first, as CSV or as one JSON object per line. Pages are read as they
 * are consumed, which keeps memory constant. The audit entry is written before the first row.
 * @param details of the search, for the audit entry
 */
export async function exportEvents(
  deps: AuditedDeps,
  actor: Actor,
  search: EventSearch,
  format: ExportFormat,
  details: Record<string, unknown>,
): Promise<AsyncGenerator<string>> {
  const { store, clock } = deps;
  await audited(deps, actor, { action: 'events.exported', details: { ...details, format } }, async () => {});
  // Events that arrive meanwhile are left out.
  const meant = { to: await afterNewest(store, clock()), ...search };
  const rows = rowsOf(deps, meant);
  return format === 'csv' ? csvFile(COLUMNS, rows) : ndjsonFile(eventsOf(rows));
}

type Exported = ListedEvent & { whole: string };

async function* rowsOf({ store }: Pick<AuditedDeps, 'store'>, search: EventSearch): AsyncGenerator<Exported> {
  let after: DeliveryCursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof store.eventList.page>> = await store.eventList.page(
      search,
      after,
      AT_ONCE,
      true,
    );
    const bodies = await store.eventList.bodiesOf([...new Set(page.rows.map(({ event_id: id }) => id))]);
    for (const row of page.rows) yield { ...row, whole: bodies.get(row.event_id) ?? '' };
    after = page.next;
  } while (after);
}

/** Each event as received, with its deliveries. */
async function* eventsOf(rows: AsyncGenerator<Exported>): AsyncGenerator<object> {
  let event: { id: string; deliveries: object[] } | null = null;
  for await (const row of rows) {
    if (event && event.id !== row.event_id) yield event;
    if (event?.id !== row.event_id)
      event = {
        id: row.event_id,
        line_id: row.line_id,
        subject: row.subject,
        kind: row.kind,
        contact: row.contact,
        wamid: row.wamid,
        received_at: row.received_at,
        body: row.whole,
        deliveries: [],
      } as { id: string; deliveries: object[] };
    if (row.destination_id !== null)
      event.deliveries.push({
        destination_id: row.destination_id,
        url: addressOf(row),
        state: row.state,
        attempts: row.attempts,
        last_outcome: row.outcome,
        last_http_status: row.http_status,
        finished_at: row.finished_at,
      });
  }
  if (event) yield event;
}

/** The URL without the parts that may contain a password. */
const addressOf = ({ url: text }: Exported): string | null => {
  const url = text === null ? null : URL.parse(text);
  return url && url.origin + url.pathname;
};

/** One row for each event and destination. */
const COLUMNS: Columns<Exported> = [
  ['received_at', (row) => row.received_at],
  ['event_id', (row) => row.event_id],
  ['line_id', (row) => row.line_id],
  ['subject', (row) => row.subject],
  ['kind', (row) => row.kind],
  ['contact', (row) => row.contact],
  ['message_id', (row) => row.wamid],
  ['text', (row) => (['message', 'echo'].includes(row.subject) ? writtenText(row.whole) : null)],
  ['destination_id', (row) => row.destination_id],
  ['url', addressOf],
  ['state', (row) => row.state],
  ['attempts', (row) => row.attempts],
  ['last_outcome', (row) => row.outcome],
  ['last_http_status', (row) => row.http_status],
  ['finished_at', (row) => row.finished_at],
];
