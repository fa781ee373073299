import { SettingError } from '../../errors';

/**
 * Opens rows of the registry that hold something sealed. One that does not open takes nothing with it: it stays as it
 * was known before, or is left out, and is named.
 * @param known what was opened the last time; null the first time, when a wrong key of the operator's ends the start
 */
export function decryptRows<Row extends { id: number }, Opened>(
  rows: Row[],
  open: (row: Row) => Opened,
  known: Map<number, Opened> | null,
  failed: (id: number, error: unknown) => void,
): Opened[] {
  return rows.flatMap((row) => {
    try {
      return [open(row)];
    } catch (error) {
      if (error instanceof SettingError && known === null) throw error;
      failed(row.id, error);
      const before = known?.get(row.id);
      return before === undefined ? [] : [before];
    }
  });
}
