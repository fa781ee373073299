import { auditOf, type Audit } from '../../customers/read-audit';
import { csvFile, ndjsonFile, type Columns, type ExportFormat } from '../../export-file';
import { type AuditFilter } from '../../store/tables/audit-row';
import { type CustomerRow } from '../../store/tables/customers';
import { audited } from '../../store/with-audit';
import { type UserContext } from '../request-context';

/** Entries per page that is read. */
const AT_ONCE = 200;

/**
 * Exports all matching entries, newest first, as CSV or NDJSON, one page at a time. Entries that were
 * tampered with are left out, as in the panel.
 */
export async function exportAudit(
  context: UserContext,
  filter: AuditFilter,
  format: ExportFormat,
  customer: CustomerRow | null,
): Promise<AsyncGenerator<string>> {
  const { lineId } = filter;
  const entry = {
    action: 'audit.exported',
    ...(lineId && { lineId }),
    details: { format },
    ...(customer && { customers: [customer] }),
  };
  await audited(context.deps, context.actor, entry, async () => {});
  const rows = rowsOf(auditOf(context.deps, customer), filter);
  return format === 'csv' ? csvFile(COLUMNS, rows) : ndjsonFile(entriesOf(rows, customer !== null));
}

async function* rowsOf(audit: Audit, filter: AuditFilter) {
  let before = filter.before;
  for (;;) {
    const { verified, next } = await audit.page(
      { ...filter, ...(before !== undefined && { before }) },
      AT_ONCE,
    );
    yield* verified.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) as object }));
    if (next === null) return;
    before = next;
  }
}

type Exported = ReturnType<typeof rowsOf> extends AsyncGenerator<infer Row> ? Row : never;

/** @param isChained whether the hashes are included, with which the receiver verifies the file (docs/panel.md) */
async function* entriesOf(rows: AsyncIterable<Exported>, isChained: boolean): AsyncGenerator<object> {
  for await (const { hash, ...row } of rows) yield isChained ? { ...row, hash } : row;
}

const COLUMNS: Columns<Exported> = [
  ...(['number', 'at', 'who', 'through', 'address', 'action', 'line_id'] as const).map(
    (name) => [name, (row: Exported) => row[name]] as const,
  ),
  ['details', ({ details }) => JSON.stringify(details)],
];
