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

/**
 * The text that the hash of an entry covers. A list instead of an object, so that the order of the columns does not
 * matter.
 * @param before the hash of the previous entry
 */
export const hashedText = (before: string, entry: Omit<AuditRow, 'hash'>): string =>
  JSON.stringify([
    before,
    entry.number,
    entry.at,
    entry.who,
    entry.through,
    entry.address,
    entry.action,
    entry.line_id,
    entry.details,
  ]);
