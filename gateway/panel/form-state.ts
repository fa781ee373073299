import { Refusal } from '../errors';
import { type Sayable } from '../wording/facts';
import { said, saidOfRefusal } from './languages/said';

/** Field name for issues of the whole form, which are shown above the fields. */
export const WHOLE = '';

/** The values and issues of a form, either submitted or filled from stored values. */
export class FormState {
  /** In a map, because `FormData` finds a value only by comparing all names. */
  readonly #values: Map<string, FormDataEntryValue[]>;
  readonly #issues = new Map<string, string>();
  #refusal: Refusal | null = null;

  constructor(values: Iterable<[string, FormDataEntryValue]> | Record<string, string> = {}) {
    const all = Symbol.iterator in values ? [...values] : Object.entries(values);
    this.#values = new Map();
    for (const [name, value] of all) {
      const known = this.#values.get(name);
      if (known) known.push(value);
      else this.#values.set(name, [value]);
    }
  }

  /** A trimmed text. Forms send line ends as CRLF, which becomes LF. */
  text(name: string): string {
    return this.exact(name).trim().replaceAll('\r\n', '\n');
  }

  /** The untrimmed text, for passwords. */
  exact(name: string): string {
    const value = this.#first(name);
    return typeof value === 'string' ? value : '';
  }

  /** All values of a name, for check boxes and lists. */
  all(name: string): string[] {
    return (this.#values.get(name) ?? []).filter((value) => typeof value === 'string');
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  #first(name: string): FormDataEntryValue | undefined {
    return this.#values.get(name)?.[0];
  }

  file(name: string): File | null {
    const value = this.#first(name);
    return value instanceof File && value.size > 0 ? value : null;
  }

  /** @param fault what to change; nothing if the field is valid */
  addIssue(name: string, fault: Sayable | null | undefined): void {
    if (fault && !this.#issues.has(name)) this.#issues.set(name, said(fault));
  }

  /** @returns the text; adds an issue if it is missing */
  required(name: string, sentence: string): string {
    const text = this.text(name);
    this.addIssue(name, text ? null : sentence);
    return text;
  }

  /**
   * Shows a temporary refusal beside the field, for example after too many guesses.
   * @returns null, as the result of the request
   * @throws any error that is not a refusal
   */
  refuse(name: string, error: unknown): null {
    if (!(error instanceof Refusal) || 'verbatim' in error.error) throw error;
    this.#refusal = error;
    this.addIssue(name, saidOfRefusal(error));
    return null;
  }

  /**
   * Runs an action with the values of the form, and shows issues beside their fields.
   * @param fields form field names, by the field names in issues
   * @returns null if there were issues
   */
  async given<T>(work: () => T | Promise<T>, fields: Record<string, string> = {}): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refusal) || !error.issues) throw error;
      for (const { path, fact, message } of error.issues) {
        const field = path.replace(/\[.*/, '');
        this.addIssue(fields[field] ?? field, fact ?? message);
      }
      return null;
    }
  }

  issueOf(name: string): string | null {
    return this.#issues.get(name) ?? null;
  }

  get issues(): { name: string; sentence: string }[] {
    return [...this.#issues].map(([name, sentence]) => ({ name, sentence }));
  }

  get isValid(): boolean {
    return this.#issues.size === 0;
  }

  /** The HTTP status of the page with this form. */
  get status(): number {
    return this.#refusal?.status ?? (this.isValid ? 200 : 422);
  }

  /** Seconds to wait before the next try; undefined if no wait is needed. */
  get retryAfter(): number | undefined {
    return this.#refusal?.retryAfter;
  }
}
