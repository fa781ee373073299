import { invalidPayload, issueOf, MAX_ISSUES, quoted, type ValidationIssue } from '../errors';
import { fact, type Fact } from '../wording/facts';
import { hasHiddenCharacters } from './visible-text';

/** Collects the issues of an input: the first of each field. */
export class Issues {
  readonly #found: ValidationIssue[] = [];

  get found(): readonly ValidationIssue[] {
    return this.#found;
  }

  /** @param fault nothing if the field is as it should be */
  add(field: string, rule: string, fault: Fact | null): void {
    if (fault !== null && !this.#found.some(({ path }) => path === field))
      this.#found.push(issueOf(field, rule, fault));
  }

  /** A name that people read. @param stored may have characters that are refused now */
  addName(name: string, most: number, stored: string | null = null): void {
    if (!name) this.add('name', 'name', fact('name.missing', {}));
    if (name.length > most) this.add('name', 'name', fact('name.long', { most }));
    if (name !== stored && hasHiddenCharacters(name)) this.add('name', 'name', fact('name.hidden', {}));
  }

  /** @param given undefined if it stays as it is, or gets its default */
  addChoice(field: string, possible: readonly string[], given: string | null | undefined): void {
    if (given !== null && given !== undefined && !possible.includes(given))
      this.#addOfValue(field, 'enum', fact('choice.unknown', { given: quoted(given), possible }));
  }

  addChoices(field: string, possible: readonly string[], given: readonly string[] | null | undefined): void {
    if (given?.length === 0) this.#addOfValue(field, 'minItems', fact('choice.none', {}));
    given?.forEach((one, index) => this.addChoice(`${field}[${index}]`, possible, one));
  }

  /**
   * Whole seconds.
   * @param given undefined if it stays as it is, or is not limited
   */
  addSeconds(field: string, given: number | null | undefined, most: number): void {
    if (given === null || given === undefined || (Number.isInteger(given) && given >= 1 && given <= most))
      return;
    this.#addOfValue(field, given < 1 ? 'minimum' : 'maximum', fact('seconds.range', { most }));
  }

  /** The sentence for any value; in the API, which has no labels, with the name of its field. */
  #addOfValue(field: string, rule: string, fault: Fact): void {
    const issue = issueOf(field, rule, fault);
    if (this.#found.length < MAX_ISSUES)
      this.#found.push({ ...issue, message: `${field}: ${issue.message}` });
  }

  /** @throws Refusal with all of them */
  check(): void {
    if (this.#found.length) throw invalidPayload(this.#found);
  }
}
