import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
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
  renew: (id: number, change: Updateable<InvitationTable>): Promise<boolean> =>
    anyUpdated(db.updateTable('invitations').set(change).where('id', '=', id)),

  /** @param name the note for the list, instead of the address */
  async forgetAddress(id: number, name: string): Promise<void> {
    await db.updateTable('invitations').set({ email: null, name }).where('id', '=', id).execute();
  },

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
