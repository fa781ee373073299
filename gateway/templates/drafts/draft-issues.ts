import { type TemplateIssue } from '../rules/report';
import { issuesOfCreation } from '../rules/template-issues';
import { platformTemplates, type DraftInput } from './draft';

/** Stands for the handle of an upload while a draft is checked. */
const HANDLE = 'file';

/**
 * What the rules of the platform find in each language of a draft, in the order of the languages. Paths are those of
 * the platform's format, as in `components[1].buttons[0].text`.
 * @param files the hashes of the draft's sample files; a marker of another file counts as missing
 */
export function draftIssues(draft: DraftInput, files: readonly string[]): TemplateIssue[][] {
  const templates = platformTemplates(draft, (hash) => (files.includes(hash) ? HANDLE : null));
  return templates.map((template, index) =>
    // Each language after those before it, which must not have it already.
    issuesOfCreation(template, { now: 0, templates: templates.slice(0, index), deleted: [], most: null }),
  );
}
