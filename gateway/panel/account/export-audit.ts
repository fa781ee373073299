import { csvCell, type ExportFormat } from '../../forwarding/export-events';
import { type AuditFilter, type AuditRow } from '../../store/tables/audit-row';
import { checkEntries, type CustomerEntry } from '../../store/tables/customer-audit';
import { type CustomerRow } from '../../store/tables/customers';
import { audited } from '../../store/with-audit';
import { type Fact } from '../../wording/facts';
import { type PanelDeps } from '../dependencies';
import { type UserContext } from '../request-context';

/** Entries per page that is read. */
const AT_ONCE = 200;

/** The entries of an audit, verified. */
interface Audit {
  /** The newest first. `next`: the number before which the next page begins; null if there is none. */
  page(
    filter: AuditFilter,
    limit: number,
  ): Promise<{ verified: (AuditRow | CustomerEntry)[]; faults: Fact[]; next: number | null }>;
  /** The options of the filters. */
  words(): Promise<{ who: string[]; actions: string[] }>;
}

/** @param customer null for the audit of the gateway */
export function auditOf({ store, vault }: PanelDeps, customer: CustomerRow | null): Audit {
  const { audit, customerAudit } = store;
  if (customer)
    return {
      async page(filter, limit) {
        const { rows, next } = firstOf(await customerAudit.page(customer.id, filter, limit + 1), limit);
        return { ...checkEntries(rows), next };
      },
      words: () => customerAudit.words(customer.id),
    };
  return {
    async page(filter, limit) {
      const { rows, next } = firstOf(await audit.page(filter, limit + 1), limit);
      return { ...(await audit.check(vault, rows)), next };
    },
    words: audit.words,
  };
}

/** @param rows one more than the page shows, if there are more */
function firstOf<Row extends AuditRow>(rows: Row[], limit: number): { rows: Row[]; next: number | null } {
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.number ?? null) : null };
}

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
  return format === 'csv' ? csv(rows) : ndjson(rows, customer !== null);
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

type Exported = ReturnType<typeof rowsOf>;

/** @param isChained whether the hashes are included, with which the receiver verifies the file (docs/panel.md) */
async function* ndjson(rows: Exported, isChained: boolean): AsyncGenerator<string> {
  for await (const { hash, ...row } of rows) yield `${JSON.stringify(isChained ? { ...row, hash } : row)}\n`;
}

const COLUMNS = ['number', 'at', 'who', 'through', 'address', 'action', 'line_id'] as const;

/** UTF-8 with a byte order mark, which spreadsheets need. */
async function* csv(rows: Exported): AsyncGenerator<string> {
  yield `\uFEFF${[...COLUMNS, 'details'].join(',')}\r\n`;
  for await (const row of rows) {
    const cells = [...COLUMNS.map((name) => row[name]), JSON.stringify(row.details)];
    yield `${cells.map(csvCell).join(',')}\r\n`;
  }
}
