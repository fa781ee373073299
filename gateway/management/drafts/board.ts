import { type Store } from '../../store/store';
import { type LineRegistry } from '../../lines/line-registry';
import { type TemplateRow } from '../../store/tables/templates';
import { componentsOf, differs } from '../../templates/drafts/compare';
import { draftIssues } from '../../templates/drafts/draft-issues';
import { platformTemplates, type Draft } from '../../templates/drafts/draft';
import { kindOf, type TemplateIssue } from '../../templates/rules/report';
import { EDITS } from '../../templates/rules/table';
import { isSameLanguage } from '../../templates/rules/template-issues';
import { type Sayable } from '../../wording/facts';
import { draftAccounts, type DraftAccount } from './accounts';

/** Where a draft stands: business accounts × languages. */
export interface Board {
  /** The languages of the draft, with what the rules find in each. */
  languages: { language: string; issues: TemplateIssue[] }[];
  accounts: BoardAccount[];
}

export interface BoardAccount extends DraftAccount {
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
  /** What a submission does. Null if it cannot: no access token, refused by the rules, under review, or not in the draft. */
  action: 'create' | 'edit' | null;
  /** The last submission; null if none. */
  submission: { at: string; failure: Sayable[] | null } | null;
}

/** Where drafts stand: by draft, the states of the platform's templates, one for each account and language. */
export async function draftStandings(
  { store, lines }: { store: Pick<Store, 'templates'>; lines: Pick<LineRegistry, 'all'> },
  customerId: number | null,
  drafts: readonly Draft[],
): Promise<{ accounts: number; of(draft: Draft): TemplateRow[] }> {
  const accounts = draftAccounts(lines, customerId);
  const names = drafts.map(({ name }) => name);
  const rows = Map.groupBy(
    await store.templates.named(accounts.flatMap(readingLine), names),
    ({ name }) => name,
  );
  return { accounts: accounts.length, of: ({ name }) => rows.get(name) ?? [] };
}

/** The line whose list of templates is read. All lines of a customer on an account have the same. */
const readingLine = ({ acting, lines }: DraftAccount): number[] =>
  [acting ?? lines[0]].flatMap((line) => (line ? [line.id] : []));

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
  const accounts = draftAccounts(lines, draft.customerId);
  const rows = await store.templates.named(accounts.flatMap(readingLine), [draft.name]);
  return {
    languages,
    accounts: accounts.map((account) => {
      const [lineId] = readingLine(account);
      return {
        ...account,
        cells: cellsOf(
          draft,
          languages,
          account,
          rows.filter((row) => row.line_id === lineId),
          submissions.filter((one) => one.waba_id === account.wabaId),
        ),
      };
    }),
  };
}

function cellsOf(
  draft: Draft,
  languages: Board['languages'],
  { acting }: DraftAccount,
  named: readonly TemplateRow[],
  submissions: readonly { language: string; at: string; failure: string | null }[],
): BoardCell[] {
  const cells = platformTemplates(draft).map(({ language, category, components }, index): BoardCell => {
    const isRefused = languages[index]?.issues.some(({ level }) => level === 'refused') ?? false;
    const template = named.find((row) => isSameLanguage(row.language, language)) ?? null;
    const last = submissions.find((one) => one.language === language);
    const isEditable = template === null || EDITS.statuses.includes(kindOf(template.upstream_status));
    const actionOn = template === null ? 'create' : 'edit';
    return {
      language,
      template,
      isDifferent: template !== null && differs(components, componentsOf(template.components)),
      hasOtherCategory: template !== null && kindOf(template.category) !== kindOf(category),
      action: acting && isEditable && !isRefused ? actionOn : null,
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
