import { type Selectable } from 'kysely';
import { type AuditTable } from '../schema';

export type AuditRow = Selectable<AuditTable>;

/** Filters of audit entries, which are listed newest first. */
export interface AuditFilter {
  who?: string;
  action?: string;
  lineId?: number;
  /** Only entries with smaller numbers. */
  before?: number;
  /** ISO times; `from` is inclusive, `to` exclusive. */
  from?: string;
  to?: string;
}
