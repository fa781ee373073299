import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Users of the control panel with their sessions, one-time links and recovery codes, and the audit of every change.
 */
export const panel = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('users')
      .addColumn('id', 'integer', (column) =>
        dialect === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('password_hash', 'text')
      .addColumn('totp_sealed', 'text')
      .addColumn('totp_step', 'integer')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('last_log_in_at', 'text')
      .execute();

    await db.schema
      .createTable('recovery_codes')
      .addColumn('user_id', 'integer', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'hash'])
      .execute();

    await db.schema
      .createTable('sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('seen_at', 'text', (column) => column.notNull())
      .addColumn('confirmed_at', 'text', (column) => column.notNull())
      .addColumn('awaits_code', 'integer', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('browser', 'text', (column) => column.notNull())
      .addColumn('notice', 'text')
      .execute();
    await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute();

    await db.schema
      .createTable('links')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'integer')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .execute();

    await db.schema
      .createTable('audit')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('who', 'text', (column) => column.notNull())
      .addColumn('through', 'text', (column) => column.notNull())
      .addColumn('address', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('line_id', 'integer')
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('audit_line').on('audit').columns(['line_id', 'number']).execute();
    await db.schema.createIndex('audit_action').on('audit').columns(['action', 'number']).execute();
    await db.schema.createIndex('audit_who').on('audit').columns(['who', 'number']).execute();

    await db.schema
      .createTable('audit_head')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('entries', 'integer', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('key_sealed', 'text')
      .execute();
    await db
      .withTables<{ audit_head: { id: number; entries: number; hash: string } }>()
      .insertInto('audit_head')
      .values({ id: 1, entries: 0, hash: '' })
      .execute();
  },
});
