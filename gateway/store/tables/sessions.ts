import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { anyDeleted, firstOf } from '../rows';
import { type LinkTable, type Schema, type SessionTable } from '../schema';

export type SessionRow = Selectable<SessionTable>;
export type LinkRow = Selectable<LinkTable>;

/** Sessions of the control panel, stored as hashes, so that reading the table does not allow a login. */
export const sessionTable = (db: Kysely<Schema>) => ({
  find: (hash: string): Promise<SessionRow | null> =>
    firstOf(db.selectFrom('sessions').selectAll().where('hash', '=', hash)),

  ofUser: (userId: number): Promise<SessionRow[]> =>
    db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('awaits_code', '=', 0)
      .orderBy('seen_at', 'desc')
      .execute(),

  async insert(session: Insertable<SessionTable>): Promise<void> {
    await db.insertInto('sessions').values(session).execute();
  },

  async update(hash: string, change: Updateable<SessionTable>): Promise<void> {
    await db.updateTable('sessions').set(change).where('hash', '=', hash).execute();
  },

  async remove(hash: string): Promise<void> {
    await db.deleteFrom('sessions').where('hash', '=', hash).execute();
  },

  /** Removes all sessions of a user. @param except a session to keep */
  async removeOfUser(userId: number, except: string | null): Promise<void> {
    await db
      .deleteFrom('sessions')
      .where('user_id', '=', userId)
      .$if(except !== null, (query) => query.where('hash', '!=', except ?? ''))
      .execute();
  },

  /**
   * Removes the sessions of a person at an OpenID Connect provider.
   * @param providerSession only those of this session at the provider; null: all
   */
  async removeOfIdentity(
    issuer: string,
    subject: string | null,
    providerSession: string | null,
  ): Promise<number> {
    if (subject === null && providerSession === null) return 0;
    const { numDeletedRows } = await db
      .deleteFrom('sessions')
      .where('issuer', '=', issuer)
      .$if(subject !== null, (query) => query.where('subject', '=', subject))
      .$if(providerSession !== null, (query) => query.where('provider_session', '=', providerSession))
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  },

  /** Removes the sessions that began at a provider. @param userId null: of all users */
  async removeOfProvider(userId: number | null, issuer: string): Promise<void> {
    await db
      .deleteFrom('sessions')
      .where('issuer', '=', issuer)
      .$if(userId !== null, (query) => query.where('user_id', '=', userId))
      .execute();
  },

  /** Removes sessions that were last used, or began, before these times. */
  async removeEnded(seenBefore: string, begunBefore: string): Promise<void> {
    await db
      .deleteFrom('sessions')
      .where((row) => row.or([row('seen_at', '<', seenBefore), row('created_at', '<', begunBefore)]))
      .execute();
  },
});

/** One-time links, also stored as hashes. */
export const linkTable = (db: Kysely<Schema>) => ({
  async insert(link: Insertable<LinkTable>): Promise<void> {
    await db.insertInto('links').values(link).execute();
  },

  find: (hash: string, now: string): Promise<LinkRow | null> =>
    firstOf(db.selectFrom('links').selectAll().where('hash', '=', hash).where('expires_at', '>', now)),

  /**
   * Deletes the link.
   * @returns whether the link existed: of two concurrent requests, one gets true
   */
  take: (hash: string, now: string): Promise<boolean> =>
    anyDeleted(db.deleteFrom('links').where('hash', '=', hash).where('expires_at', '>', now)),

  /** Removes the links of a user. @param userId null for the links that create the first user */
  async removeOf(userId: number | null): Promise<void> {
    await db
      .deleteFrom('links')
      .where('user_id', userId === null ? 'is' : '=', userId)
      .execute();
  },

  async removeExpired(now: string): Promise<void> {
    await db.deleteFrom('links').where('expires_at', '<=', now).execute();
  },
});
