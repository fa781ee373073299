import { DatabaseSync } from 'node:sqlite';

/**
 * The phone number id of the first line in a database file of any version. Changes nothing.
 * @returns null if there is none, or if the file is not a database, which opening it will report
 */
export function firstLineIn(path: string): string | null {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const isGateways = database.prepare(`select 1 from sqlite_master where name = 'lines'`).get();
    if (!isGateways) return null;
    const row = database.prepare('select phone_number_id from lines order by id limit 1').get();
    return row ? String(row.phone_number_id) : null;
  } catch {
    return null;
  } finally {
    database.close();
  }
}
