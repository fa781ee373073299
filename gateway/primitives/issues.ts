import { invalidPayload, issueOf, MAX_ISSUES, quoted, type ValidationIssue } from '../errors';
import { fact, type Fact } from '../wording/facts';
import { hasHiddenCharacters } from './visible-text';

/** Collects the issues of an input: the first one per field. */
export class Issues {
  readonly #found: ValidationIssue[] = [];

  get found(): readonly ValidationIssue[] {
    return this.#found;
  }

  /** @param fault null if the field is valid */
  add(field: string, rule: string, fault: Fact | null): void {
    if (fault !== null && !this.#found.some(({ path }) => path === field))
      this.#found.push(issueOf(field, rule, fault));
  }

  /** Checks a name for display. @param stored may keep characters that are no longer accepted */
  addName(name: string, most: number, stored: string | null = null): void {
    if (!name) this.add('name', 'name', fact('name.missing', {}));
    if (name.length > most) this.add('name', 'name', fact('name.long', { most }));
    if (name !== stored && hasHiddenCharacters(name)) this.add('name', 'name', fact('name.hidden', {}));
  }

  /** @param given undefined if unchanged or default */
  addChoice(field: string, possible: readonly string[], given: string | null | undefined): void {
    if (given !== null && given !== undefined && !possible.includes(given))
      this.addOfValue(field, 'enum', fact('choice.unknown', { given: quoted(given), possible }));
  }

  addChoices(field: string, possible: readonly string[], given: readonly string[] | null | undefined): void {
    if (given?.length === 0) this.addOfValue(field, 'minItems', fact('choice.none', {}));
    given?.forEach((one, index) => this.addChoice(`${field}[${index}]`, possible, one));
  }

  /**
   * Checks whole seconds.
   * @param given undefined if unchanged; null if unlimited
   */
  addSeconds(field: string, given: number | null | undefined, most: number): void {
    if (given === null || given === undefined || (Number.isInteger(given) && given >= 1 && given <= most))
      return;
    this.addOfValue(field, given < 1 ? 'minimum' : 'maximum', fact('seconds.range', { most }));
  }

  /**
   * Checks a whole number, which may be typed.
   * @returns the number; NaN if it is not allowed
   */
  addWhole(
    field: string,
    given: number | string,
    [least, most]: [least: number, most: number],
    fault: Fact,
  ): number {
    const value = typeof given === 'string' && !/^\d+$/.test(given) ? Number.NaN : Number(given);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    this.addOfValue(field, value < least ? 'minimum' : 'maximum', fault);
    return Number.NaN;
  }

  /** Adds the general sentence about a value; in the API, which has no labels, with the field's name. */
  addOfValue(field: string, rule: string, fault: Fact): void {
    const issue = issueOf(field, rule, fault);
    if (this.#found.length < MAX_ISSUES)
      this.#found.push({ ...issue, message: `${field}: ${issue.message}` });
  }

  /** @throws Refusal with all issues */
  check(): void {
    if (this.#found.length) throw invalidPayload(this.#found);
  }
}
