import { sql, type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { anyUpdated, firstOf } from '../rows';
import {
  type Schema,
  type TemplateDraftFileTable,
  type TemplateDraftTable,
  type TemplateSubmissionTable,
} from '../schema';

export type TemplateDraftRow = Selectable<TemplateDraftTable>;
type TemplateDraftFileRow = Selectable<TemplateDraftFileTable>;
type TemplateSubmissionRow = Selectable<TemplateSubmissionTable>;

/** Drafts of templates, with their sample files and the outcomes of their submissions. */
export const templateDraftTable = (db: Kysely<Schema>) => ({
  /** The drafts of a customer (null: of the lines without one), latest save first. */
  ofCustomer: (customerId: number | null): Promise<TemplateDraftRow[]> =>
    db
      .selectFrom('template_drafts')
      .selectAll()
      .where('customer_id', customerId === null ? 'is' : '=', customerId)
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .execute(),

  all: (): Promise<TemplateDraftRow[]> =>
    db.selectFrom('template_drafts').selectAll().orderBy('id').execute(),

  find: (id: number): Promise<TemplateDraftRow | null> =>
    firstOf(db.selectFrom('template_drafts').selectAll().where('id', '=', id)),

  insert: (draft: Insertable<TemplateDraftTable>): Promise<TemplateDraftRow> =>
    db.insertInto('template_drafts').values(draft).returningAll().executeTakeFirstOrThrow(),

  /** @returns false if the stored draft has another revision, or is gone; nothing is changed then */
  save: (id: number, revision: number, columns: Updateable<TemplateDraftTable>): Promise<boolean> =>
    anyUpdated(
      db
        .updateTable('template_drafts')
        .set({ ...columns, revision: revision + 1 })
        .where('id', '=', id)
        .where('revision', '=', revision),
    ),

  async remove(id: number): Promise<void> {
    for (const table of ['template_draft_files', 'template_submissions'] as const)
      await db.deleteFrom(table).where('draft_id', '=', id).execute();
    await db.deleteFrom('template_drafts').where('id', '=', id).execute();
  },

  /** Gives the drafts of a customer to the lines without one. */
  async release(customerId: number): Promise<void> {
    await db
      .updateTable('template_drafts')
      .set({ customer_id: null })
      .where('customer_id', '=', customerId)
      .execute();
  },

  /** The sample files of a draft without their bytes. */
  files: (draftId: number): Promise<Omit<TemplateDraftFileRow, 'bytes'>[]> =>
    db
      .selectFrom('template_draft_files')
      .select(['draft_id', 'hash', 'name', 'type', 'added_at'])
      .where('draft_id', '=', draftId)
      .orderBy('added_at')
      .orderBy('hash')
      .execute(),

  file: (draftId: number, hash: string): Promise<TemplateDraftFileRow | null> =>
    firstOf(
      db
        .selectFrom('template_draft_files')
        .selectAll()
        .where('draft_id', '=', draftId)
        .where('hash', '=', hash),
    ),

  /** A file that the draft has already stays, and counts as added now. */
  async addFile(file: Insertable<TemplateDraftFileTable>): Promise<void> {
    await db
      .insertInto('template_draft_files')
      .values(file)
      .onConflict((conflict) =>
        conflict.columns(['draft_id', 'hash']).doUpdateSet({ name: file.name, added_at: file.added_at }),
      )
      .execute();
  },

  async copyFiles(fromDraft: number, toDraft: number): Promise<void> {
    await db
      .insertInto('template_draft_files')
      .columns(['draft_id', 'hash', 'name', 'type', 'bytes', 'added_at'])
      .expression((from) =>
        from
          .selectFrom('template_draft_files')
          .select([
            sql<number>`cast(${toDraft} as integer)`.as('draft_id'),
            ...(['hash', 'name', 'type', 'bytes', 'added_at'] as const),
          ])
          .where('draft_id', '=', fromDraft),
      )
      .execute();
  },

  async removeFiles(draftId: number, hashes: readonly string[]): Promise<void> {
    if (!hashes.length) return;
    await db
      .deleteFrom('template_draft_files')
      .where('draft_id', '=', draftId)
      .where('hash', 'in', hashes)
      .execute();
  },

  submissions: (draftId: number): Promise<TemplateSubmissionRow[]> =>
    db
      .selectFrom('template_submissions')
      .selectAll()
      .where('draft_id', '=', draftId)
      .orderBy('waba_id')
      .orderBy('language')
      .execute(),

  async storeSubmission(submission: TemplateSubmissionRow): Promise<void> {
    const { at, failure } = submission;
    await db
      .insertInto('template_submissions')
      .values(submission)
      .onConflict((conflict) =>
        conflict.columns(['draft_id', 'waba_id', 'language']).doUpdateSet({ at, failure }),
      )
      .execute();
  },
});
