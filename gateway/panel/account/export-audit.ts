import { csvCell, type ExportFormat } from '../../forwarding/export-events';
import { type AuditFilter, type AuditRow } from '../../store/tables/audit';
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
): Promise<AsyncGenerator<string>> {
  const { lineId } = filter;
  const entry = { action: 'audit.exported', ...(lineId && { lineId }), details: { format } };
  await audited(context.deps, context.actor, entry, async () => {});
  return format === 'csv' ? csv(context, filter) : ndjson(context, filter);
}

async function* rowsOf({ deps }: UserContext, filter: AuditFilter) {
  let before = filter.before;
  for (;;) {
    const page: AuditRow[] = await deps.store.audit.page(
      { ...filter, ...(before !== undefined && { before }) },
      AT_ONCE,
    );
    const { verified } = await deps.store.audit.check(deps.vault, page);
    yield* verified.map(({ hash: _hash, details, ...row }) => ({
      ...row,
      details: JSON.parse(details) as object,
    }));
    before = page.at(-1)?.number;
    if (page.length < AT_ONCE) return;
  }
}

async function* ndjson(context: UserContext, filter: AuditFilter): AsyncGenerator<string> {
  for await (const row of rowsOf(context, filter)) yield `${JSON.stringify(row)}\n`;
}

const COLUMNS = ['number', 'at', 'who', 'through', 'address', 'action', 'line_id'] as const;

/** UTF-8 with a byte order mark, which spreadsheets need. */
async function* csv(context: UserContext, filter: AuditFilter): AsyncGenerator<string> {
  yield `\uFEFF${[...COLUMNS, 'details'].join(',')}\r\n`;
  for await (const row of rowsOf(context, filter)) {
    const cells = [...COLUMNS.map((name) => row[name]), JSON.stringify(row.details)];
    yield `${cells.map(csvCell).join(',')}\r\n`;
  }
}
