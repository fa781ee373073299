import { sql, type Kysely } from 'kysely';
import { type Schema } from '../schema';
import { type SealedPlace, type Vault } from '../vault';

/** Every encrypted column, and the place that its values are bound to. Add new encrypted columns here. */
export const SEALED_COLUMNS: { table: SealedTable; column: string; place: SealedPlace }[] = [
  { table: 'lines', column: 'access_token_sealed', place: 'lines.access_token' },
  { table: 'lines', column: 'app_secret_sealed', place: 'lines.app_secret' },
  { table: 'destinations', column: 'secret_sealed', place: 'destinations.secret' },
  { table: 'destinations', column: 'previous_secret_sealed', place: 'destinations.secret' },
  { table: 'destinations', column: 'headers_sealed', place: 'destinations.headers' },
  { table: 'questions', column: 'callback_sealed', place: 'questions.callback' },
  { table: 'alert_channels', column: 'settings_sealed', place: 'alert_channels.settings' },
  { table: 'users', column: 'totp_sealed', place: 'users.totp' },
  { table: 'oidc_providers', column: 'secret_sealed', place: 'oidc_providers.secret' },
  { table: 'audit_head', column: 'key_sealed', place: 'audit_head.key' },
  { table: 'audit_head', column: 'start_sealed', place: 'audit_head.start' },
  { table: 'customers', column: 'audit_sealed', place: 'customers.audit' },
  { table: 'admin_requests', column: 'answer_sealed', place: 'admin_requests.answer' },
];

type SealedTable =
  | 'lines'
  | 'destinations'
  | 'questions'
  | 'alert_channels'
  | 'users'
  | 'oidc_providers'
  | 'audit_head'
  | 'customers'
  | 'admin_requests';

const ROWS_AT_ONCE = 500;

export const secretTable = (db: Kysely<Schema>) => ({
  /**
   * Encrypts all values with the current key. A row is changed only if it still has the value that was read: a
   * concurrent writer used its own key, and the next run finds the row.
   * @returns the number of changed rows
   */
  async sealAnew(vault: Vault): Promise<number> {
    let count = 0;
    for (const { table, column, place } of SEALED_COLUMNS) {
      for (let last: string | number = table === 'questions' ? '' : 0; ;) {
        const rows = await db
          .selectFrom(table)
          .select(['id', sql.ref<string | null>(column).as('sealed')])
          .where('id', '>', last)
          .orderBy('id')
          .limit(ROWS_AT_ONCE)
          .execute();
        for (const { id, sealed } of rows) {
          last = id;
          if (sealed === null || vault.isCurrent(sealed)) continue;
          const { numUpdatedRows } = await db
            .updateTable(table)
            .set({ [column]: vault.seal(place, vault.open(place, sealed)) })
            .where('id', '=', id)
            .where(sql.ref(column), '=', sealed)
            .executeTakeFirst();
          count += Number(numUpdatedRows);
        }
        if (rows.length < ROWS_AT_ONCE) break;
      }
    }
    return count;
  },
});
