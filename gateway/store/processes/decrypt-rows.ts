import { SettingError } from '../../errors';

/**
 * Decrypts rows of the registry. A row that cannot be decrypted is reported, and keeps its previous value or is left
 * out; other rows are unaffected.
 * @param known the previously decrypted rows; null at the start, when a wrong key is fatal
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
