import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Questions that wait for an answer. `question_contacts` has a row for each name of the contact while a question is
 * `asking` or `open`, and its key allows one of each. `events.late_answer_to` contains the ended question of a late
 * answer.
 */
export const questions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('questions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('line_id', 'integer', (column) => column.notNull())
      .addColumn('contact', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text')
      .addColumn('accepts', 'text', (column) => column.notNull())
      .addColumn('choices', 'text')
      .addColumn('also_forward', 'integer', (column) => column.notNull())
      .addColumn('callback_sealed', 'text', (column) => column.notNull())
      .addColumn('destination_id', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addColumn('ended_at', 'text')
      .addColumn('answer_event_id', 'text')
      .addColumn('answer_message_id', 'text')
      .addColumn('answer_over_at', 'text')
      .execute();
    await db.schema
      .createIndex('questions_of_message')
      .on('questions')
      .columns(['line_id', 'message_id'])
      .execute();
    await db.schema.createIndex('questions_answer').on('questions').column('answer_event_id').execute();
    await db.schema.createIndex('questions_ended').on('questions').column('ended_at').execute();
    await db.schema
      .createIndex('questions_expiring')
      .on('questions')
      .column('expires_at')
      .where(sql.ref('state'), 'in', [sql.lit('asking'), sql.lit('open')])
      .execute();
    await db.schema
      .createIndex('questions_answered')
      .on('questions')
      .column('ended_at')
      .where(sql.ref('state'), '=', sql.lit('answered'))
      .where(sql.ref('answer_over_at'), 'is', null)
      .execute();
    await db.schema
      .createTable('question_contacts')
      .addColumn('line_id', 'integer', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('question_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('question_contacts_key', ['line_id', 'name', 'state'])
      .execute();
    await db.schema
      .createIndex('question_contacts_question')
      .on('question_contacts')
      .column('question_id')
      .execute();
    await db.schema
      .createIndex('destinations_of_questions')
      .on('destinations')
      .columns(['line_id', 'url'])
      .unique()
      .where(sql.ref('origin'), '=', sql.lit('question'))
      .where(sql.ref('removed_at'), 'is', null)
      .execute();
    await db.schema.alterTable('events').addColumn('late_answer_to', 'text').execute();
  },
};
