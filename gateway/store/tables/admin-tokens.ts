import { type Insertable, type Kysely, type Selectable } from 'kysely';
import { anyUpdated, firstOf } from '../rows';
import { changeRegistry } from '../processes/registry';
import { type AdminTokenTable, type Schema } from '../schema';
import { markTokensUsed, type TokenUse } from './tokens';

export type AdminTokenRow = Selectable<AdminTokenTable>;

/** Admin tokens, stored as hashes. */
export const adminTokenTable = (db: Kysely<Schema>) => ({
  /** All tokens, newest first. */
  all: (): Promise<AdminTokenRow[]> =>
    db.selectFrom('admin_tokens').selectAll().orderBy('id', 'desc').execute(),

  /** Tokens that are neither revoked nor expired at this time. */
  active: (now: string): Promise<AdminTokenRow[]> =>
    db
      .selectFrom('admin_tokens')
      .selectAll()
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .execute(),

  /** The existing tokens with these ids. */
  some: async (ids: number[]): Promise<AdminTokenRow[]> =>
    ids.length ? await db.selectFrom('admin_tokens').selectAll().where('id', 'in', ids).execute() : [],

  find: (id: number): Promise<AdminTokenRow | null> =>
    firstOf(db.selectFrom('admin_tokens').selectAll().where('id', '=', id)),

  insert: (token: Insertable<AdminTokenTable>): Promise<AdminTokenRow> =>
    changeRegistry(db, 'admin_tokens', (trx) =>
      trx.insertInto('admin_tokens').values(token).returningAll().executeTakeFirstOrThrow(),
    ),

  /** @returns whether the token existed and was not revoked */
  revoke: (id: number, at: string): Promise<boolean> =>
    changeRegistry(db, ['admin_tokens', id], (trx) =>
      anyUpdated(
        trx
          .updateTable('admin_tokens')
          .set({ revoked_at: at })
          .where('id', '=', id)
          .where('revoked_at', 'is', null),
      ),
    ),

  markUsed: (uses: TokenUse[]): Promise<void> => markTokensUsed(db, 'admin_tokens', uses),
});
