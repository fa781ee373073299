import { csvFile, ndjsonFile, type Columns, type ExportFormat } from '../export-file';
import { type MessageCursor, type SentMessage } from '../store/reports/message-list';
import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps } from '../store/with-audit';
import { countryOf } from '../usage/country-of-number';
import { readPricing, type Pricing } from '../usage/pricing';
import { messageFailure, messageState } from './message-record';

/**
 * Reads a page of messages, newest first.
 * @returns few or no rows are possible while `next` is not null
 */
export type MessagePages = (
  after: MessageCursor | null,
  limit: number,
) => Promise<{ rows: SentMessage[]; next: MessageCursor | null }>;

/** Messages in memory at a time: a stored body has up to 64 KB. */
const AT_ONCE = 200;

/**
 * Exports sent messages with their times and pricing, newest first, as CSV or as one JSON object per line. Pages are
 * read as they are consumed, which keeps memory constant. The audit entry is written before the first row.
 * @param details of the search, for the audit entry
 */
export async function exportMessages(
  deps: AuditedDeps,
  actor: Actor,
  pages: MessagePages,
  format: ExportFormat,
  details: Record<string, unknown>,
): Promise<AsyncGenerator<string>> {
  const entry = { action: 'messages.exported', details: { ...details, format } };
  await audited(deps, actor, entry, async () => {});
  const rows = rowsOf(pages);
  return format === 'csv' ? csvFile(COLUMNS, rows) : ndjsonFile(objectsOf(rows));
}

type Exported = SentMessage & { priced: Pricing };

async function* rowsOf(pages: MessagePages): AsyncGenerator<Exported> {
  let after: MessageCursor | null = null;
  do {
    const page: Awaited<ReturnType<MessagePages>> = await pages(after, AT_ONCE);
    for (const row of page.rows) yield { ...row, priced: readPricing(row.pricing) };
    after = page.next;
  } while (after);
}

async function* objectsOf(rows: AsyncIterable<Exported>): AsyncGenerator<object> {
  for await (const row of rows) yield Object.fromEntries(COLUMNS.map(([name, of]) => [name, of(row)]));
}

const COLUMNS: Columns<Exported> = [
  ['accepted_at', (row) => row.accepted_at],
  ['line_id', (row) => row.line_id],
  ['message_id', (row) => row.wamid],
  ['contact', (row) => row.contact],
  ['type', (row) => row.type],
  ['sent_from', (row) => row.sent_from],
  ['client_ref', (row) => row.client_ref],
  ['template_name', (row) => row.template_name],
  ['template_language', (row) => row.template_language],
  ['state', messageState],
  ['failure_code', (row) => messageFailure(row)?.code ?? null],
  ['pricing_category', ({ priced }) => priced.category],
  ['pricing_type', ({ priced }) => priced.type],
  ['pricing_model', ({ priced }) => priced.model],
  ['billable', ({ priced }) => priced.billable],
  ['country', (row) => row.country ?? countryOf(row.contact)],
  ['sent_at', (row) => row.sent_at],
  ['delivered_at', (row) => row.delivered_at],
  ['read_at', (row) => row.read_at],
  ['played_at', (row) => row.played_at],
  ['failed_at', (row) => row.failed_at],
];
