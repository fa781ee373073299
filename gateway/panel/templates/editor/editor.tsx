import { payloadTooLarge, Refusal } from '../../../errors';
import { addSampleFile, MOST_MEGABYTES } from '../../../management/drafts/sample-files';
import { type Draft, type DraftInput } from '../../../templates/drafts/draft';
import { draftIssues } from '../../../templates/drafts/draft-issues';
import { saveDraft } from '../../../templates/drafts/manage-drafts';
import { t } from '../../languages/t';
import { saidOfRefusal } from '../../languages/said';
import { page, seeOther, type PanelResponse } from '../../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../../panel-route';
import { type UserContext } from '../../request-context';
import { pageNotFound, refusalSentence } from '../../ui/frame/error-page';
import { draftOfRoute, draftPath, mayWriteDrafts, templatesPath } from '../drafts/draft-route';
import { withChange } from './draft-changes';
import { formOf, valuesOf } from './draft-form';
import { Editor, editorHead, LiveParts, Previews } from './editor-page';
import { stateOf, type Edited } from './edited';
import { findingsOf } from './findings';

/** Largest form in bytes: the texts of a draft, and three sample files. */
const FORM_MOST = (3 * MOST_MEGABYTES + 1) * 1024 * 1024;

/** The most fields of a form. The largest valid template, in 20 languages with 10 cards each, has less than half of it. */
const MOST_FIELDS = 10_000;

/** Writes a draft of a template, with a preview. Every button of the form saves it. */
export const editorPages: PanelRoute[] = [
  pageRoute('templates.read', '/templates/drafts/:id', showEditor),
  actionRoute('templates.write', '/templates/drafts/:id', takeForm, { limit: FORM_MOST }),
  actionRoute('templates.write', '/templates/drafts/:id/preview', showPreview, { limit: FORM_MOST }),
  pageRoute('templates.read', '/templates/drafts/:id/files/:file', showFile),
];

/** @param isChecked whether findings are shown beside their fields */
async function editedOf({ deps }: UserContext, draft: Draft, isChecked: boolean): Promise<Edited> {
  const files = await deps.store.templateDrafts.files(draft.id);
  const form = formOf(draft);
  const hashes = files.map(({ hash }) => hash);
  const findings = findingsOf(draftIssues(draft, hashes), form);
  const state = stateOf({ form, findings, isChecked });
  return { draft, form, state, findings, isChecked, files: new Map(files.map((file) => [file.hash, file])) };
}

async function showEditor(context: UserContext): Promise<PanelResponse> {
  const draft = await draftOfRoute(context);
  const edited = await editedOf(context, draft, context.query.has('check'));
  const head = editorHead(edited, templatesPath(context, draft));
  return mayWriteDrafts(context, draft.customerId)
    ? page(head, <Editor edited={edited} refused={null} isStale={false} />)
    : page(head, <Previews edited={edited} />);
}

/** The draft with what was typed. What the platform would refuse is kept, too. */
async function typedDraft(context: UserContext): Promise<{ draft: Draft; pressed: string }> {
  const { form } = context;
  if ([...form.keys()].length > MOST_FIELDS) throw payloadTooLarge(`${MOST_FIELDS} fields`);
  const pressed = String(form.get('do') ?? 'save');
  const [change, at = ''] = pressed.split(' ');
  if (change === 'remove-other') form.set(at, '');
  const stored = await draftOfRoute(context);
  return { draft: { ...stored, ...valuesOf(form) }, pressed };
}

async function showPreview(context: UserContext): Promise<PanelResponse> {
  const { draft } = await typedDraft(context);
  return page(null, <LiveParts edited={await editedOf(context, draft, false)} />);
}

async function takeForm(context: UserContext): Promise<PanelResponse> {
  const { form, query } = context;
  const { draft: stored, pressed } = await typedDraft(context);
  const refusals = await storeFiles(context, stored.id);
  const [, at = ''] = pressed.split(' ');
  const chosen = String(form.get(pressed === 'add-language' ? 'new-language' : `new-button-${at}`) ?? '');
  const draft: Draft = { ...stored, ...withChange({ ...stored, ...valuesOf(form) }, pressed, chosen) };
  const isChecked = pressed === 'save' || query.has('check');
  const show = async (refused: string | null, status: number, isStale = false) => {
    const edited = await editedOf(context, draft, isChecked);
    const head = editorHead(edited, templatesPath(context, draft));
    return page(head, <Editor edited={edited} refused={refused} isStale={isStale} />, { status });
  };
  if (pressed === 'preview') return show(null, 200);
  try {
    await save(context, draft, Number(form.get('revision')));
  } catch (error) {
    const isStale = error instanceof Refusal && error.errorCode === 'draft_changed';
    return show(refusalSentence(error), (error as Refusal).status, isStale);
  }
  if (refusals.length > 0) return show(refusals.join(' '), 422);
  const href = `${draftPath(stored)}${isChecked ? '?check=1' : ''}`;
  return pressed === 'save'
    ? seeOther(href, t('The draft is saved.'))
    : seeOther(`${href}#${anchorOf(draft, pressed, at)}`);
}

function save(context: UserContext, draft: DraftInput, revision: number): Promise<Draft> {
  const { deps, actor, session, params } = context;
  const { name, category, content } = draft;
  const given = { name, category, content, revision };
  return saveDraft(deps, actor, session.grants, Number(params.id), given);
}

/** Where the page is shown again: at the changed part, or at the part that contained it. */
function anchorOf({ content }: DraftInput, pressed: string, at: string): string {
  if (pressed === 'add-language') return `part-l${content.languages.length - 1}`;
  return /^[a-z0-9-]+$/.test(at) ? `part-${/^l\d+(?:-c\d+)?/.exec(at)?.[0] ?? 'l0'}` : 'main';
}

/**
 * Stores the chosen sample files, and puts their markers into the form.
 * @returns why files were refused, in sentences
 */
async function storeFiles({ deps, form, session }: UserContext, draftId: number): Promise<string[]> {
  const refused: string[] = [];
  for (const [name, file] of [...form]) {
    if (!(file instanceof File)) continue;
    form.delete(name);
    if (file.size === 0 || !name.endsWith('-file')) continue;
    try {
      const bytes = Buffer.from(await file.arrayBuffer());
      const hash = await addSampleFile(deps, session.grants, draftId, { name: file.name, bytes });
      form.set(name.replace(/file$/, 'handle'), JSON.stringify([{ file: hash }]));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push(`${file.name}: ${saidOfRefusal(error)}`);
    }
  }
  return refused;
}

async function showFile(context: UserContext): Promise<PanelResponse> {
  const draft = await draftOfRoute(context);
  const file = await context.deps.store.templateDrafts.file(draft.id, context.params.file ?? '');
  if (!file?.type.startsWith('image/')) throw pageNotFound();
  return { kind: 'file', type: file.type, content: Buffer.from(file.bytes) };
}
