import { Refusal } from '../errors';
import { type Sayable } from '../wording/facts';
import { said, saidOfRefusal } from './languages/said';

/** Instead of the name of a field: the whole form. Its issue is only shown above the fields. */
export const WHOLE = '';

/**
 * The values and issues of a form: from a submitted one, or from stored values. Fields find theirs by name.
 */
export class FormState {
  readonly #values: FormData;
  readonly #issues = new Map<string, string>();
  #refusal: Refusal | null = null;

  constructor(values: FormData | Record<string, string> = {}) {
    this.#values = values instanceof FormData ? values : new FormData();
    if (!(values instanceof FormData))
      Object.entries(values).forEach(([name, value]) => this.#values.set(name, value));
  }

  /** As it was typed, but for spaces around it: a form has two characters for the end of a line. */
  text(name: string): string {
    const value = this.#values.get(name);
    return typeof value === 'string' ? value.trim().replaceAll('\r\n', '\n') : '';
  }

  /** For a password: with every space. */
  exact(name: string): string {
    const value = this.#values.get(name);
    return typeof value === 'string' ? value : '';
  }

  /** For check boxes and lists with one name. */
  all(name: string): string[] {
    return this.#values.getAll(name).filter((value) => typeof value === 'string');
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  file(name: string): File | null {
    const value = this.#values.get(name);
    return value instanceof File && value.size > 0 ? value : null;
  }

  /** @param fault what to type instead; nothing if the field is as it should be */
  addIssue(name: string, fault: Sayable | null | undefined): void {
    if (fault && !this.#issues.has(name)) this.#issues.set(name, said(fault));
  }

  /** @returns the text; one that is missing is an issue. */
  required(name: string, sentence: string): string {
    const text = this.text(name);
    this.addIssue(name, text ? null : sentence);
    return text;
  }

  /**
   * Shows beside the field a temporary refusal, such as after too many guesses.
   * @returns null, as the result of the request
   * @throws everything that is no refusal
   */
  refuse(name: string, error: unknown): null {
    if (!(error instanceof Refusal) || 'verbatim' in error.error) throw error;
    this.#refusal = error;
    this.addIssue(name, saidOfRefusal(error));
    return null;
  }

  /**
   * Runs the use case with the values of the form, and shows each issue beside its field.
   * @param fields the names of issues that have another name in the form
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

  /** The HTTP status of the page that shows it. */
  get status(): number {
    return this.#refusal?.status ?? (this.isValid ? 200 : 422);
  }

  /** Seconds until the same may be tried again; undefined if it may be tried now. */
  get retryAfter(): number | undefined {
    return this.#refusal?.retryAfter;
  }
}
