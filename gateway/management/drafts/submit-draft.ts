import { type CloudApi } from '../../cloud-api/client';
import { draftCellUnknown, lineNotConfigured } from '../../errors';
import { accessTokenOf, type Line } from '../../lines/line';
import { type LineRegistry } from '../../lines/line-registry';
import { type By } from '../../rights/grants';
import { type Actor } from '../../store/tables/audit';
import { componentsOf, differs } from '../../templates/drafts/compare';
import { draftIssues } from '../../templates/drafts/draft-issues';
import { filesIn, platformTemplates, type Draft } from '../../templates/drafts/draft';
import { writableDraft } from '../../templates/drafts/manage-drafts';
import { kindOf } from '../../templates/rules/report';
import { type ListedTemplate } from '../../templates/known-templates';
import { EDITS } from '../../templates/rules/table';
import { isSameLanguage } from '../../templates/rules/template-issues';
import { templateRefusal } from '../../templates/template-refusal';
import { isoTime } from '../../time';
import { type Sayable } from '../../wording/facts';
import {
  createTemplate,
  editTemplate,
  refresh,
  type GivenTemplate,
  type TemplateChangeDeps,
} from '../templates';
import { uploadFile } from '../uploads';
import { draftAccounts } from './accounts';
import { failureOf, faultOfGateway } from './failure';

export interface SubmitDeps extends TemplateChangeDeps {
  lines: Pick<LineRegistry, 'all' | 'ofBusinessAccount'>;
  cloudApi: Pick<CloudApi, 'forward'>;
}

/** A draft in one language on one business account. */
export interface DraftCell {
  wabaId: string;
  language: string;
}

/** The outcome of one submission. */
export interface CellOutcome extends DraftCell {
  /** Why it failed, as sentences; null if the platform accepted it. */
  failure: Sayable[] | null;
}

/**
 * Submits a draft to business accounts, one cell after the other: creates the template, or edits it if the account
 * has it. A failure does not stop the others. Each outcome is stored.
 * @param told is called with each outcome
 * @returns a function that makes the submissions, which may take minutes; it does not throw for what a cell says, and
 * stops if the draft is deleted
 * @throws Refusal if the draft is not found, or if a cell is neither of its languages nor of its customer's accounts
 */
export async function submitDraft(
  deps: SubmitDeps,
  actor: Actor,
  by: By,
  draftId: number,
  cells: readonly DraftCell[],
  told: (outcome: CellOutcome) => void = () => undefined,
): Promise<() => Promise<CellOutcome[]>> {
  const draft = await writableDraft(deps.store, by, draftId);
  for (const cell of cells) placeOf(deps, draft, cell);
  const handles = sampleHandles(deps, draft);
  return async () => {
    const outcomes: CellOutcome[] = [];
    for (const cell of cells) {
      if (!(await deps.store.templateDrafts.find(draftId))) break;
      const failure = await submitCell(deps, actor, draft, cell, handles).catch((error: unknown) => {
        const said = failureOf(error);
        if (!said) deps.log.error({ error, draft: draftId, ...cell }, 'template not submitted');
        return said ?? faultOfGateway();
      });
      await deps.store.templateDrafts.storeSubmission({
        ...{ draft_id: draftId, waba_id: cell.wabaId, language: cell.language },
        at: isoTime(deps.clock()),
        failure: failure && JSON.stringify(failure),
      });
      outcomes.push({ ...cell, failure });
      told({ ...cell, failure });
    }
    return outcomes;
  };
}

/** @throws Refusal if there is no such cell, or no longer, because lines may change during a submission */
function placeOf(deps: Pick<SubmitDeps, 'lines'>, draft: Draft, { wabaId, language }: DraftCell) {
  const account = draftAccounts(deps.lines, draft.customerId).find((one) => one.wabaId === wabaId);
  const index = draft.content.languages.findIndex((one) => one.language === language);
  if (!account || index < 0) throw draftCellUnknown();
  return { line: account.acting, index };
}

type Handles = (line: Line, hashes: readonly string[]) => Promise<Map<string, string>>;

/** What an edit does not contain, or only sometimes. */
const FIXED = new Set(['name', 'language', 'category', 'parameter_format']);

/** @returns null: the platform accepted it @throws what the platform or its rules say */
async function submitCell(
  deps: SubmitDeps,
  actor: Actor,
  draft: Draft,
  cell: DraftCell,
  handles: Handles,
): Promise<null> {
  const { line, index } = placeOf(deps, draft, cell);
  if (!line) throw lineNotConfigured();
  const files = await deps.store.templateDrafts.files(draft.id);
  // Before files are uploaded in vain.
  const refused = templateRefusal(
    draftIssues(
      draft,
      files.map(({ hash }) => hash),
    )[index] ?? [],
  );
  if (refused) throw refused;
  const { languages } = draft.content;
  const byHash = await handles(line, filesIn(languages[index]));
  const template = platformTemplates(draft, (hash) => byHash.get(hash) ?? null)[index];
  if (!template) throw draftCellUnknown();
  const existing = await templateOn(deps, draft, line, template.language);
  const id = existing?.row.upstream_id;
  if (existing && typeof id === 'string') {
    // A lost answer: the platform has created it as written, and reviews it.
    if (!isEditable(existing) && !differs(template.components, componentsOf(existing.components.toString())))
      return null;
    const change = Object.entries(template).filter(([field]) => !FIXED.has(field));
    // The platform changes no category of an approved template, and may itself have given it another one.
    const isKept =
      kindOf(existing.row.upstream_status) === 'APPROVED' ||
      kindOf(existing.row.category) === kindOf(draft.category);
    await editTemplate(
      deps,
      actor,
      line,
      id,
      given({ ...Object.fromEntries(change), ...(!isKept && { category: draft.category }) }),
    );
  } else {
    await createTemplate(deps, actor, line, given(template));
  }
  return null;
}

const given = (value: Record<string, unknown>): GivenTemplate => ({
  value,
  raw: Buffer.from(JSON.stringify(value)),
});

const isEditable = ({ row }: ListedTemplate): boolean => EDITS.statuses.includes(kindOf(row.upstream_status));

/**
 * The template of the draft in a language as the account has it. The list is read again if it was never read, if the
 * last submission failed, because the platform may have created the template without an answer, or if the template
 * was under review.
 */
async function templateOn(deps: SubmitDeps, draft: Draft, line: Line, language: string) {
  const find = async () => {
    const { syncedAt, templates } = await deps.knownTemplates.list(line.id);
    const found = templates.find(
      ({ row }) =>
        row.upstream_id !== null && row.name === draft.name && isSameLanguage(row.language, language),
    );
    return { syncedAt, template: found ?? null };
  };
  const { syncedAt, template } = await find();
  const last = (await deps.store.templateDrafts.submissions(draft.id)).find(
    (one) => one.waba_id === line.wabaId && one.language === language,
  );
  const isCurrent = template ? isEditable(template) : syncedAt !== null && !last?.failure;
  if (isCurrent) return template;
  await refresh(deps, line);
  return (await find()).template;
}

/** Uploads each sample file once for each access token. The handles belong to its app. */
function sampleHandles(deps: SubmitDeps, draft: Draft): Handles {
  const uploads = new Map<string, string>();
  return async (line, hashes) => {
    const accessToken = accessTokenOf(line);
    const handles = new Map<string, string>();
    for (const hash of hashes) {
      const key = JSON.stringify([accessToken, hash]);
      const file = uploads.has(key) ? null : await deps.store.templateDrafts.file(draft.id, hash);
      if (file) uploads.set(key, await uploadFile(deps.cloudApi, accessToken, file));
      handles.set(hash, uploads.get(key) ?? '');
    }
    return handles;
  };
}
