/**
 * What the platform refuses, or probably refuses, about a new or edited template; one entry for each rule of
 * `templates/rules/table.ts`.
 */
export interface TemplateIssueValues {
  'field.missing': { field: string };
  'field.type': { field: string; expected: 'text' | 'list' | 'object' | 'number' | 'boolean' };
  'value.unknown': { field: string; given: string; possible: readonly string[] };
  'kind.unknown': { of: 'component' | 'header' | 'button'; given: string };
  'text.long': { part: TemplatePart; length: number; most: number };
  'number.range': { field: string; least: number; most: number };

  'name.format': { most: number };
  'name.sample': { name: string };
  'name.taken': { name: string; language: string };
  /** `until`: ISO time. */
  'name.deleted': { name: string; until: string };
  'language.unknown': { given: string };
  'category.other': { given: string; existing: string };
  'category.unfit': { what: string; categories: readonly string[] };
  'category.promotional': { word: string };
  'account.full': { most: number };

  'component.missing': { component: string };
  'component.twice': { component: string };
  'component.unfit': { component: string; in: 'authentication' | 'offer' | 'card' };
  'carousel.beside': { component: string };
  'carousel.cards': { least: number; most: number };
  'carousel.unlike': Record<never, never>;
  'header.unfit': { in: 'offer' | 'card'; formats: readonly string[] };
  'header.format': Record<never, never>;
  'header.variables': Record<never, never>;
  'body.lines': { most: number };
  'body.emojis': { most: number };
  'body.variables_only': Record<never, never>;
  'footer.format': Record<never, never>;
  'footer.variables': Record<never, never>;

  'variable.format': Record<never, never>;
  'variable.mixed': Record<never, never>;
  'variable.gap': { missing: number };
  'variable.edge': Record<never, never>;
  'variable.punctuation': Record<never, never>;
  'variable.adjacent': Record<never, never>;
  'variable.ratio': { words: number; variables: number };
  /** `variable`: null for a file or a code. */
  'sample.missing': { variable: string | null };
  'sample.count': { needed: number; given: number };
  'sample.personal': { given: string };
  'link.shortener': { host: string };

  'buttons.count': { most: number };
  'buttons.kind_count': { kind: string; most: number };
  'buttons.grouping': Record<never, never>;
  'button.format': Record<never, never>;
  'button.unfit': { kind: string; possible: readonly string[] };
  'url.format': Record<never, never>;
  'url.variable': Record<never, never>;
  'offer.code_order': Record<never, never>;

  'authentication.text': Record<never, never>;
  'authentication.button': Record<never, never>;
  'authentication.apps': { most: number };
  'authentication.package': { most: number };
  'authentication.hash': { length: number };
  'authentication.terms': Record<never, never>;

  /** `status`: the platform's word. */
  'edit.state': { status: string };
  'edit.empty': Record<never, never>;
  'edit.category': Record<never, never>;
  'edit.fixed': { field: string };
  'edit.daily': { until: string };
  'edit.monthly': { most: number; until: string };
}

/** A text with a limit of its own. */
export type TemplatePart = 'header' | 'body' | 'footer' | 'label' | 'url' | 'phone' | 'code' | 'offer';

/** The same as facts: `template.name.taken`. */
export type TemplateFactValues = {
  [Rule in keyof TemplateIssueValues as `template.${Rule}`]: TemplateIssueValues[Rule];
};
