import { type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { anyDeleted, firstOf } from '../rows';
import { type IdentityTable, type OidcProviderTable, type Schema } from '../schema';

export type IdentityRow = Selectable<IdentityTable>;
export type OidcProviderRow = Selectable<OidcProviderTable>;

/** Which user a person at an OpenID Connect provider is. */
export const identityTable = (db: Kysely<Schema>) => ({
  find: (issuer: string, subject: string): Promise<IdentityRow | null> =>
    firstOf(
      db.selectFrom('identities').selectAll().where('issuer', '=', issuer).where('subject', '=', subject),
    ),

  ofUser: (userId: number): Promise<IdentityRow[]> =>
    db.selectFrom('identities').selectAll().where('user_id', '=', userId).orderBy('issuer').execute(),

  /** @returns false if the person is linked already */
  add: async (identity: Insertable<IdentityTable>): Promise<boolean> =>
    (await firstOf(
      db
        .insertInto('identities')
        .values(identity)
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id'),
    )) !== null,

  async update(issuer: string, subject: string, change: Updateable<IdentityTable>): Promise<void> {
    await db
      .updateTable('identities')
      .set(change)
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .execute();
  },

  remove: (userId: number, issuer: string): Promise<boolean> =>
    anyDeleted(db.deleteFrom('identities').where('user_id', '=', userId).where('issuer', '=', issuer)),
});

/** The OpenID Connect providers that were added in the panel. */
export const oidcProviderTable = (db: Kysely<Schema>) => ({
  all: (): Promise<OidcProviderRow[]> => db.selectFrom('oidc_providers').selectAll().orderBy('id').execute(),

  /** @returns null if another provider has the key or the issuer */
  insert: (provider: Insertable<OidcProviderTable>): Promise<OidcProviderRow | null> =>
    firstOf(
      db
        .insertInto('oidc_providers')
        .values(provider)
        .onConflict((conflict) => conflict.doNothing())
        .returningAll(),
    ),

  async update(key: string, change: Updateable<OidcProviderTable>): Promise<void> {
    await db.updateTable('oidc_providers').set(change).where('key', '=', key).execute();
  },

  remove: (key: string): Promise<boolean> =>
    anyDeleted(db.deleteFrom('oidc_providers').where('key', '=', key)),
});

/** Hashes of texts that are accepted once, such as the state of a log-in, until they would expire anyway. */
export const usedOnceTable = (db: Kysely<Schema>) => ({
  /** @returns whether the text was not used before: of two concurrent requests, one gets true */
  async take(hash: string, expiresAt: string, now: string): Promise<boolean> {
    await db.deleteFrom('used_once').where('expires_at', '<=', now).execute();
    const taken = await firstOf(
      db
        .insertInto('used_once')
        .values({ hash, expires_at: expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .returning('hash'),
    );
    return taken !== null;
  },
});
