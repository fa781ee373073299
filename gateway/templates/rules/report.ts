import { type TemplateIssueValues, type TemplatePart } from '../../wording/template-issues';
import { RULES, type TemplateRule } from './table';

/** A broken rule. `path` looks like `components[1].buttons[0].text`; empty for the whole template. */
export type TemplateIssue = {
  [Rule in TemplateRule]: {
    rule: Rule;
    path: string;
    level: 'refused' | 'likely';
    /** The platform's `error_subcode`. */
    subcode?: number;
    values: TemplateIssueValues[Rule];
  };
}[TemplateRule];

type Fields = Record<string, unknown>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is undefined, null or "", which the platform treats alike. */
export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Length in code points. */
export const lengthOf = (text: string): number => [...text].length;

/** A kind in the platform's spelling; clients also send lowercase. Empty if the value is not a text. */
export const kindOf = (value: unknown): string => (typeof value === 'string' ? value.toUpperCase() : '');

/** An object of the request and its path. */
export interface TemplateNode {
  json: Fields;
  path: string;
}

const within = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);

/** Reads a template and collects its issues. */
export class Report {
  readonly issues: TemplateIssue[] = [];
  /** Null if it is missing or unknown. */
  category: string | null = null;
  /** How variables are written; null until the first one decides. */
  format: 'POSITIONAL' | 'NAMED' | null = null;

  add<Rule extends TemplateRule>(rule: Rule, path: string, values: TemplateIssueValues[Rule]): void {
    const { level, subcode } = RULES[rule];
    const issue = { rule, path, level, ...(subcode !== undefined && { subcode }), values };
    this.issues.push(issue as TemplateIssue);
  }

  /** Returns a text; null if it is missing or not a text. */
  text({ json, path }: TemplateNode, field: string, isRequired = true): string | null {
    const value = json[field];
    if (typeof value === 'string' && value !== '') return value;
    if (!isMissing(value)) this.add('field.type', within(path, field), { field, expected: 'text' });
    else if (isRequired) this.add('field.missing', within(path, field), { field });
    return null;
  }

  /** The same for a text with a limit; null if it is too long, too. */
  bounded(
    place: TemplateNode,
    field: string,
    part: TemplatePart,
    most: number,
    isRequired = true,
  ): string | null {
    const text = this.text(place, field, isRequired);
    const length = text === null ? 0 : lengthOf(text);
    if (length <= most) return text;
    this.add('text.long', within(place.path, field), { part, length, most });
    return null;
  }

  /** Returns the objects of a list with their paths; null if there is no list, or an empty one. */
  list({ json, path }: TemplateNode, field: string): TemplateNode[] | null {
    const value = json[field];
    const at = within(path, field);
    if (isMissing(value) || (Array.isArray(value) && value.length === 0)) {
      this.add('field.missing', at, { field });
      return null;
    }
    if (!Array.isArray(value)) {
      this.add('field.type', at, { field, expected: 'list' });
      return null;
    }
    return value.flatMap((each: unknown, index) => {
      const own = `${at}[${index}]`;
      if (isObject(each)) return [{ json: each, path: own }];
      this.add('field.type', own, { field: `${field}[${index}]`, expected: 'object' });
      return [];
    });
  }

  /** Returns the object of a field; an empty one if it is missing or another value. */
  object({ json, path }: TemplateNode, field: string): TemplateNode {
    const value = json[field];
    if (!isMissing(value) && !isObject(value)) {
      this.add('field.type', within(path, field), { field, expected: 'object' });
    }
    return { json: isObject(value) ? value : {}, path: within(path, field) };
  }

  /** Returns one of several words; null if it is missing or another. */
  word(place: TemplateNode, field: string, possible: readonly string[], isRequired = true): string | null {
    const given = this.text(place, field, isRequired);
    if (given === null || possible.includes(kindOf(given))) return given && kindOf(given);
    this.add('value.unknown', within(place.path, field), { field, given: given.slice(0, 64), possible });
    return null;
  }

  range({ json, path }: TemplateNode, field: string, { least, most }: { least: number; most: number }): void {
    const value = json[field];
    if (isMissing(value)) return;
    if (typeof value !== 'number') {
      this.add('field.type', within(path, field), { field, expected: 'number' });
    } else if (!Number.isInteger(value) || value < least || value > most) {
      this.add('number.range', within(path, field), { field, least, most });
    }
  }

  boolean({ json, path }: TemplateNode, field: string): boolean {
    const value = json[field];
    if (!isMissing(value) && typeof value !== 'boolean') {
      this.add('field.type', within(path, field), { field, expected: 'boolean' });
    }
    return value === true;
  }
}
