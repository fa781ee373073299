/**
 * Templates of each business account, and what counts against its limits, in memory only. All accounts start with
 * the same templates.
 */
import { createHash } from 'node:crypto';
import { DEMO_WABA_ID } from '../platform/account';
import { type Callbacks } from '../platform/callbacks';
import { type Template } from './starter-templates';

/** Dependencies of the template routes. */
export interface TemplateDeps {
  templates: TemplateStore;
  callbacks: Callbacks;
  now: () => Date;
}

/** An approved template that was deleted, so that its name is locked. `at`: milliseconds since 1970. */
interface DeletedTemplate {
  name: string;
  language: string;
  at: number;
}

export class TemplateStore {
  private readonly accounts = new Map<string, Template[]>();
  private readonly deletions: (DeletedTemplate & { wabaId: string })[] = [];
  private creations: { wabaId: string; at: number }[] = [];
  private readonly edits = new Map<string, number[]>();

  constructor(private readonly atFirst: readonly Template[]) {}

  of(wabaId: string): readonly Template[] {
    return this.listOf(wabaId);
  }

  /** Returns the template with this ID and its business account, searching only the given accounts. */
  find(wabaIds: readonly string[], id: string): { wabaId: string; template: Template } | undefined {
    for (const wabaId of new Set(wabaIds)) {
      const template = this.listOf(wabaId).find((each) => each.id === id);
      if (template) return { wabaId, template };
    }
    return undefined;
  }

  add(wabaId: string, template: Template): void {
    this.listOf(wabaId).push(template);
  }

  remove(wabaId: string, template: Template, at: number): void {
    const { name, language, status } = template;
    if (status === 'APPROVED') this.deletions.push({ wabaId, name, language, at });
    this.accounts.set(
      wabaId,
      this.listOf(wabaId).filter((each) => each !== template),
    );
  }

  deletedOf(wabaId: string): DeletedTemplate[] {
    return this.deletions.filter((each) => each.wabaId === wabaId);
  }

  countCreation(wabaId: string, at: number): void {
    this.creations.push({ wabaId, at });
  }

  /** Counts creations, also of templates that are deleted by now. Forgets earlier ones. */
  createdSince(wabaId: string, from: number): number {
    this.creations = this.creations.filter(({ at }) => at > from);
    return this.creations.filter((each) => each.wabaId === wabaId).length;
  }

  /** Times of the edits of a template since it was approved. */
  editsOf({ id }: Template): readonly number[] {
    return this.edits.get(id) ?? [];
  }

  countEdit(template: Template, at: number): void {
    this.edits.set(template.id, [...this.editsOf(template), at]);
  }

  /** Resets every business account to its initial templates. */
  forget(): void {
    this.accounts.clear();
    this.deletions.length = 0;
    this.creations = [];
    this.edits.clear();
  }

  private listOf(wabaId: string): Template[] {
    const known = this.accounts.get(wabaId);
    if (known) return known;
    const templates = structuredClone(this.atFirst).map((each) => ({ ...each, id: idIn(wabaId, each.id) }));
    this.accounts.set(wabaId, templates);
    return templates;
  }
}

/** Makes IDs unique across business accounts. */
function idIn(wabaId: string, id: string): string {
  if (wabaId === DEMO_WABA_ID) return id;
  const digest = createHash('sha256').update(`${wabaId} ${id}`).digest();
  return templateId(digest.readUIntBE(0, 6));
}

/**
 * Returns an ID of 16 digits, which is still exact as a JSON number.
 * @param seed below 2 ** 48
 */
export const templateId = (seed: number): string => String(1e15 + seed);
