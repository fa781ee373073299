import { type Insertable, type Kysely, type Selectable } from 'kysely';
import { anyDeleted, anyUpdated, firstOf } from '../rows';
import { type InvitationTable, type Schema } from '../schema';

export type InvitationRow = Selectable<InvitationTable>;

/** Open invitations to the control panel. Only the hash of a link is stored. */
export const invitationTable = (db: Kysely<Schema>) => ({
  /** Latest first. */
  all: (): Promise<InvitationRow[]> =>
    db.selectFrom('invitations').selectAll().orderBy('id', 'desc').execute(),

  find: (id: number): Promise<InvitationRow | null> =>
    firstOf(db.selectFrom('invitations').selectAll().where('id', '=', id)),

  byHash: (hash: string, now: string): Promise<InvitationRow | null> =>
    firstOf(db.selectFrom('invitations').selectAll().where('hash', '=', hash).where('expires_at', '>', now)),

  insert: (row: Insertable<InvitationTable>): Promise<InvitationRow> =>
    db.insertInto('invitations').values(row).returningAll().executeTakeFirstOrThrow(),

  /** Replaces the link. @returns false if the invitation no longer exists */
  renew: (id: number, change: Pick<InvitationRow, 'hash' | 'expires_at'>): Promise<boolean> =>
    anyUpdated(db.updateTable('invitations').set(change).where('id', '=', id)),

  remove: (id: number): Promise<boolean> => anyDeleted(db.deleteFrom('invitations').where('id', '=', id)),

  /**
   * Removes the invitation of a link.
   * @returns the invitation; null if it does not exist or expired. Of two concurrent requests, one gets it
   */
  take: (hash: string, now: string): Promise<InvitationRow | null> =>
    firstOf(
      db.deleteFrom('invitations').where('hash', '=', hash).where('expires_at', '>', now).returningAll(),
    ),

  async removeExpired(before: string): Promise<void> {
    await db.deleteFrom('invitations').where('expires_at', '<=', before).execute();
  },
});
