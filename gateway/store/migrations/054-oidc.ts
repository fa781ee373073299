import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** Log-in with OpenID Connect: its providers, the identities of users there, and which log-in began a session. */
export const oidc = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('oidc_providers')
      .addColumn('id', 'integer', (column) =>
        dialect === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('key', 'text', (column) => column.notNull().unique())
      .addColumn('issuer', 'text', (column) => column.notNull().unique())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('secret_sealed', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('identities')
      .addColumn('issuer', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('user_id', 'integer', (column) => column.notNull())
      .addColumn('email', 'text')
      .addColumn('roles', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('last_log_in_at', 'text')
      .addPrimaryKeyConstraint('identities_key', ['issuer', 'subject'])
      .execute();
    await db.schema.createIndex('identities_user').on('identities').column('user_id').execute();
    await db.schema
      .createTable('used_once')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .execute();
    await db.schema.alterTable('users').addColumn('email', 'text').execute();
    await db.schema.createIndex('users_email').on('users').column('email').unique().execute();
    for (const column of ['issuer', 'subject', 'provider_session'])
      await db.schema.alterTable('sessions').addColumn(column, 'text').execute();
  },
});
