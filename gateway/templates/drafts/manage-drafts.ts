import { existingCustomers } from '../../customers/manage-customers';
import { draftChanged, draftNotFound, notPermitted } from '../../errors';
import { mayIn, type By } from '../../rights/grants';
import { type Tables } from '../../store/store';
import { type Actor, type AuditEntry } from '../../store/tables/audit';
import { type TemplateDraftRow } from '../../store/tables/template-drafts';
import { type TemplateRow } from '../../store/tables/templates';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { DAY, isoTime } from '../../time';
import { draftOf, filesIn, type Draft, type DraftInput } from './draft';
import { draftInput } from './draft-input';
import { draftOfRows } from './exchange';

/** How long a sample file is kept that the saved draft does not use: a form that uses it may still be open. */
const UNUSED_FILE_KEPT = DAY;

const mayWrite = (by: By, customerId: number | null): boolean =>
  by === null || mayIn(by, 'templates.write', customerId);

const entryOf = (verb: 'created' | 'saved' | 'deleted', { name, customerId }: Draft): AuditEntry => ({
  action: `draft.${verb}`,
  details: { name },
  ...(customerId !== null && { customers: [{ id: customerId }] }),
});

/** @throws Refusal if there is no such draft, or if it belongs to a customer for whom `by` may not write templates */
export async function writableDraft(
  { templateDrafts }: Pick<Tables, 'templateDrafts'>,
  by: By,
  id: number,
): Promise<Draft> {
  const row = await templateDrafts.find(id);
  if (!row || !mayWrite(by, row.customer_id)) throw draftNotFound();
  return draftOf(row);
}

/**
 * Creates a draft: an empty one, or from a template or a file (`exchange.ts`).
 * @param customerId null: of the lines without a customer
 * @throws Refusal with all issues, by field
 */
export async function createDraft(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  customerId: number | null,
  given: DraftInput,
): Promise<Draft> {
  if (!mayWrite(by, customerId)) throw notPermitted();
  const columns = draftInput(given);
  return audited(
    deps,
    actor,
    (created: Draft) => entryOf('created', created),
    ({ store }) => insert(deps, actor, store, customerId, columns),
  );
}

/**
 * The draft with which a template is edited: the customer's draft of this name, or else a new one with the template in
 * all its languages.
 * @param rows the stored templates of the name; not empty
 * @throws Refusal as `createDraft`
 */
export async function openDraft(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  customerId: number | null,
  rows: readonly TemplateRow[],
): Promise<Draft> {
  if (!mayWrite(by, customerId)) throw notPermitted();
  const given = draftOfRows(rows);
  const drafts = await deps.store.templateDrafts.ofCustomer(customerId);
  const known = drafts.find(({ name }) => name === given.name);
  return known ? draftOf(known) : createDraft(deps, actor, by, customerId, given);
}

/** The empty draft that this user has made and left as it was, so that it is used instead of another. Null if none. */
export async function untouchedDraft(
  { templateDrafts }: Pick<Tables, 'templateDrafts'>,
  who: string,
  customerId: number | null,
): Promise<Draft | null> {
  const drafts = (await templateDrafts.ofCustomer(customerId)).map(draftOf);
  return (
    drafts.find(
      ({ name, revision, updatedBy, content }) =>
        revision === 1 &&
        name === '' &&
        updatedBy === who &&
        content.languages.every(({ components }) => components.length === 0),
    ) ?? null
  );
}

/** The name of a copy: names are unique on an account, and have no other separator. */
export const copyName = (name: string): string => `${name}_copy`;

/** Creates a draft with the content and the sample files of another. */
export async function duplicateDraft(deps: AuditedDeps, actor: Actor, by: By, id: number): Promise<Draft> {
  return audited(
    deps,
    actor,
    (created: Draft) => entryOf('created', created),
    async ({ store }) => {
      const draft = await writableDraft(store, by, id);
      const columns = draftInput({ ...draft, name: copyName(draft.name) });
      const created = await insert(deps, actor, store, draft.customerId, columns);
      await store.templateDrafts.copyFiles(draft.id, created.id);
      return created;
    },
  );
}

async function insert(
  { clock }: AuditedDeps,
  { who }: Actor,
  store: Tables,
  customerId: number | null,
  columns: ReturnType<typeof draftInput>,
): Promise<Draft> {
  if (customerId !== null) await existingCustomers(store, [customerId]);
  const now = isoTime(clock());
  return draftOf(
    await store.templateDrafts.insert({
      ...columns,
      customer_id: customerId,
      revision: 1,
      created_at: now,
      updated_at: now,
      updated_by: who,
    }),
  );
}

/**
 * Saves a draft as a whole.
 * @param revision the one that was edited
 * @throws Refusal with all issues, by field; `draftChanged` if it was saved since: nothing is overwritten
 */
export async function saveDraft(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  id: number,
  { revision, ...given }: DraftInput & { revision: number },
): Promise<Draft> {
  const columns = draftInput(given);
  const { saved } = await audited(
    deps,
    actor,
    ({ before, saved: after }: { before: Draft; saved: Draft }) =>
      before.revision === after.revision ? null : entryOf('saved', after),
    async ({ store }) => {
      const before = await writableDraft(store, by, id);
      if (before.revision !== revision) throw draftChanged(before.updatedBy, before.updatedAt);
      if (isSame(before, columns)) return { before, saved: before };
      const now = isoTime(deps.clock());
      const change = { ...columns, updated_at: now, updated_by: actor.who };
      if (!(await store.templateDrafts.save(id, revision, change))) {
        const { updatedBy, updatedAt } = await writableDraft(store, by, id);
        throw draftChanged(updatedBy, updatedAt);
      }
      const saved = await writableDraft(store, by, id);
      await removeUnused(store, saved, isoTime(deps.clock() - UNUSED_FILE_KEPT));
      return { before, saved };
    },
  );
  return saved;
}

const isSame = (
  draft: Draft,
  { name, category, content }: Pick<TemplateDraftRow, 'name' | 'category' | 'content'>,
) => draft.name === name && draft.category === category && JSON.stringify(draft.content) === content;

/** Removes sample files that the draft does not use and that were added before a time. */
async function removeUnused(
  { templateDrafts }: Pick<Tables, 'templateDrafts'>,
  { id, content }: Draft,
  before: string,
): Promise<void> {
  const used = new Set(filesIn(content));
  const files = await templateDrafts.files(id);
  const unused = files.filter(({ hash, added_at: at }) => !used.has(hash) && at < before);
  await templateDrafts.removeFiles(
    id,
    unused.map(({ hash }) => hash),
  );
}

/** Deletes a draft. The templates that were created from it stay at the platform. */
export async function deleteDraft(deps: AuditedDeps, actor: Actor, by: By, id: number): Promise<void> {
  await audited(
    deps,
    actor,
    (deleted: Draft) => entryOf('deleted', deleted),
    async ({ store }) => {
      const draft = await writableDraft(store, by, id);
      await store.templateDrafts.remove(id);
      return draft;
    },
  );
}
