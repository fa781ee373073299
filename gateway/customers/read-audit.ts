import { type AuditFilter, type AuditRow } from '../store/tables/audit-row';
import { checkEntries, type CustomerEntry } from '../store/tables/customer-audit';
import { type CustomerRow } from '../store/tables/customers';
import { type AuditedDeps } from '../store/with-audit';
import { type Fact } from '../wording/facts';

/** The entries of an audit, verified. */
export interface Audit {
  /** The newest first. `next`: the number before which the next page begins; null if there is none. */
  page(
    filter: AuditFilter,
    limit: number,
  ): Promise<{ verified: (AuditRow | CustomerEntry)[]; faults: Fact[]; next: number | null }>;
  /** The options of the filters. */
  words(): Promise<{ who: string[]; actions: string[] }>;
}

/** @param customer null for the audit of the gateway */
export function auditOf(
  { store, vault }: Pick<AuditedDeps, 'store' | 'vault'>,
  customer: CustomerRow | null,
): Audit {
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
