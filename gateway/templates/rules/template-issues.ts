import {
  CATEGORIES,
  EDITS,
  LANGUAGES,
  LENGTHS,
  LONGEST_TIME_TO_LIVE,
  NAME_LOCKED,
  PARAMETER_FORMATS,
  SAMPLE_NAMES,
  TIME_TO_LIVE,
} from './table';
import { checkComponents } from './content';
import { isMissing, isObject, kindOf, Report, type TemplateNode, type TemplateIssue } from './report';

/** What is known of a business account; times in milliseconds since 1970. */
export interface KnownAccount {
  now: number;
  templates: readonly { name: string; language: string; category: string }[];
  /** Approved templates that were deleted. */
  deleted: readonly { name: string; language: string; at: number }[];
  /** The most templates that the account may have; null if not known. */
  most: number | null;
}

/** What is known of the template that is edited. */
export interface EditedTemplate {
  name: string;
  language: string;
  /** In the platform's words, as is `status`. */
  category: string;
  status: string;
  parameterFormat: string | null;
  /** Times of the edits since it was approved. */
  edits: readonly number[];
}

/** The issues of a template that is created. @param account null: only the template itself is checked */
export function issuesOfCreation(given: unknown, account: KnownAccount | null): TemplateIssue[] {
  const report = new Report();
  const template = read(report, given);
  if (template === null) return report.issues;
  const name = readName(report, template);
  const language = readLanguage(report, template);
  readCategory(report, template, null);
  if (isMissing(template.json.library_template_name)) checkComponents(report, template);
  const { value, categories } = LONGEST_TIME_TO_LIVE;
  const isLongest =
    template.json.message_send_ttl_seconds === value && categories.includes(report.category ?? '');
  if (!isLongest) checkTimeToLive(report, template);
  if (account !== null && name !== null && language !== null)
    checkAccount(report, account, { name, language, category: report.category });
  return report.issues;
}

/** The issues of an edit. @param now milliseconds since 1970 */
export function issuesOfEdit(given: unknown, edited: EditedTemplate, now: number): TemplateIssue[] {
  const report = new Report();
  const change = read(report, given);
  if (change === null) return report.issues;
  const { json } = change;
  const status = kindOf(edited.status);
  if (!EDITS.statuses.includes(status)) report.add('edit.state', '', { status });
  if (['category', 'components', 'message_send_ttl_seconds'].every((field) => isMissing(json[field])))
    report.add('edit.empty', '', {});
  const fixed = { name: edited.name, language: edited.language };
  for (const [field, value] of Object.entries(fixed)) {
    if (!isMissing(json[field]) && json[field] !== value) report.add('edit.fixed', field, { field });
  }
  readCategory(report, change, edited);
  if (status === 'APPROVED') {
    if (report.category !== null && report.category !== kindOf(edited.category))
      report.add('edit.category', 'category', {});
    checkBudget(report, edited.edits, now);
  }
  if (!isMissing(json.components)) checkComponents(report, change);
  checkTimeToLive(report, change);
  return report.issues;
}

function read(report: Report, given: unknown): TemplateNode | null {
  if (isObject(given)) return { json: given, path: '' };
  report.add('field.type', '', { field: '', expected: 'object' });
  return null;
}

function readName(report: Report, template: TemplateNode): string | null {
  const name = report.text(template, 'name');
  if (name === null) return null;
  if (!/^[a-z0-9_]+$/.test(name) || name.length > LENGTHS.name)
    report.add('name.format', 'name', { most: LENGTHS.name });
  if (SAMPLE_NAMES.includes(name)) report.add('name.sample', 'name', { name });
  return name;
}

function readLanguage(report: Report, template: TemplateNode): string | null {
  const language = report.text(template, 'language');
  if (language !== null && !LANGUAGES.includes(language))
    report.add('language.unknown', 'language', { given: language.slice(0, 64) });
  return language;
}

/** Reads category and format of the variables; an edit that names none keeps them. */
function readCategory(report: Report, template: TemplateNode, edited: EditedTemplate | null): void {
  const category = report.word(template, 'category', CATEGORIES, edited === null);
  const isKept = edited !== null && isMissing(template.json.category);
  report.category = isKept ? kindOf(edited.category) : category;
  const format = report.word(template, 'parameter_format', PARAMETER_FORMATS, false);
  const known = kindOf(format ?? edited?.parameterFormat);
  report.format = PARAMETER_FORMATS.find((each) => each === known) ?? null;
}

function checkTimeToLive(report: Report, template: TemplateNode): void {
  const range = TIME_TO_LIVE[report.category ?? ''];
  if (range) report.range(template, 'message_send_ttl_seconds', range);
}

interface NewTemplate {
  name: string;
  language: string;
  category: string | null;
}

/** Events of the platform write `en-US` for `en_US`. */
export const isSameLanguage = (one: string, other: string): boolean =>
  one.replaceAll('-', '_').toLowerCase() === other.replaceAll('-', '_').toLowerCase();

function checkAccount(
  report: Report,
  account: KnownAccount,
  { name, language, category }: NewTemplate,
): void {
  const { templates, deleted, now, most } = account;
  const namesakes = templates.filter((each) => each.name === name);
  if (namesakes.some((each) => isSameLanguage(each.language, language)))
    report.add('name.taken', 'name', { name, language });
  const other = namesakes.find((each) => kindOf(each.category) !== category);
  if (other && category !== null)
    report.add('category.other', 'category', { given: category, existing: kindOf(other.category) });
  // The name in its other languages stays in use.
  const locks = deleted
    .filter((each) => each.name === name && each.at > now - NAME_LOCKED)
    .filter((each) => namesakes.length === 0 || isSameLanguage(each.language, language));
  if (locks.length > 0) {
    const until = new Date(Math.max(...locks.map(({ at }) => at)) + NAME_LOCKED).toISOString();
    report.add('name.deleted', 'name', { name, until });
  }
  if (most !== null && templates.length >= most) report.add('account.full', '', { most });
}

/** Checks how often an approved template was edited. */
function checkBudget(report: Report, edits: readonly number[], now: number): void {
  const { every, most, within } = EDITS;
  const recent = edits.filter((at) => at > now - within).toSorted((a, b) => a - b);
  const last = recent.at(-1);
  if (last !== undefined && last > now - every)
    report.add('edit.daily', '', { until: new Date(last + every).toISOString() });
  const oldest = recent.at(-most);
  if (oldest !== undefined)
    report.add('edit.monthly', '', { most, until: new Date(oldest + within).toISOString() });
}
