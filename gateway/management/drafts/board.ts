import { type Store } from '../../store/store';
import { type LineRegistry } from '../../lines/line-registry';
import { type TemplateRow } from '../../store/tables/templates';
import { componentsOf, differs } from '../../templates/drafts/compare';
import { draftIssues } from '../../templates/drafts/draft-issues';
import { platformTemplates, type Draft } from '../../templates/drafts/draft';
import { type TemplateIssue } from '../../templates/rules/report';
import { EDITS } from '../../templates/rules/table';
import { isSameLanguage } from '../../templates/rules/template-issues';
import { kindOf } from '../../templates/rules/report';
import { type Sayable } from '../../wording/facts';
import { draftAccounts, type DraftAccount } from './accounts';

/** Where a draft stands: business accounts × languages. */
export interface Board {
  /** The languages of the draft, with what the rules find in each. */
  languages: { language: string; issues: TemplateIssue[] }[];
  accounts: BoardAccount[];
}

export interface BoardAccount extends DraftAccount {
  /** When its list was last read (ISO time); null: never. */
  syncedAt: string | null;
  /** In the order of the languages; those that only the account has are last. */
  cells: BoardCell[];
}

export interface BoardCell {
  language: string;
  /** The template as the platform's list has it; null if it has none. */
  template: TemplateRow | null;
  /** Whether its components, and its category, differ from the draft's. */
  isDifferent: boolean;
  hasOtherCategory: boolean;
  /** What a submission does. Null if it cannot: no access token, not in the draft, or under review. */
  action: 'create' | 'edit' | null;
  /** The last submission; null if none. */
  submission: { at: string; failure: Sayable[] | null } | null;
}

/** @param lines of the reader */
export async function draftBoard(
  { store, lines }: { store: Pick<Store, 'templates' | 'templateDrafts'>; lines: Pick<LineRegistry, 'all'> },
  draft: Draft,
): Promise<Board> {
  const [files, submissions] = await Promise.all([
    store.templateDrafts.files(draft.id),
    store.templateDrafts.submissions(draft.id),
  ]);
  const issues = draftIssues(
    draft,
    files.map(({ hash }) => hash),
  );
  const languages = draft.content.languages.map(({ language }, index) => ({
    language,
    issues: issues[index] ?? [],
  }));
  const accounts = await Promise.all(
    draftAccounts(lines, draft.customerId).map(async (account) => {
      const [first] = account.lines;
      const of = account.acting ?? first;
      const [rows, syncedAt] = of
        ? await Promise.all([store.templates.ofLine(of.id), store.templates.syncedAt(of.id)])
        : [[], null];
      const own = submissions.filter((one) => one.waba_id === account.wabaId);
      return { ...account, syncedAt, cells: cellsOf(draft, account, rows, own) };
    }),
  );
  return { languages, accounts };
}

function cellsOf(
  draft: Draft,
  { acting }: DraftAccount,
  rows: readonly TemplateRow[],
  submissions: readonly { language: string; at: string; failure: string | null }[],
): BoardCell[] {
  const named = rows.filter((row) => row.upstream_id !== null && row.name === draft.name);
  const cells = platformTemplates(draft).map(({ language, category, components }): BoardCell => {
    const template = named.find((row) => isSameLanguage(row.language, language)) ?? null;
    const last = submissions.find((one) => one.language === language);
    const isEditable = template === null || EDITS.statuses.includes(kindOf(template.upstream_status));
    const actionOn = template === null ? 'create' : 'edit';
    return {
      language,
      template,
      isDifferent: template !== null && differs(components, componentsOf(template.components)),
      hasOtherCategory: template !== null && kindOf(template.category) !== kindOf(category),
      action: acting && isEditable ? actionOn : null,
      submission: last
        ? { at: last.at, failure: last.failure === null ? null : (JSON.parse(last.failure) as Sayable[]) }
        : null,
    };
  });
  const others = named.filter((row) => !cells.some(({ language }) => isSameLanguage(row.language, language)));
  return [
    ...cells,
    ...others.map((template) => ({
      ...{ language: template.language, template, isDifferent: false, hasOtherCategory: false },
      ...{ action: null, submission: null },
    })),
  ];
}
