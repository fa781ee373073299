import { LruCache } from '../primitives/lru-cache';
import { type Store } from '../store/store';
import { templateRecord, type TemplateRecord } from './template-record';

/** Templates kept at once; one holds some kilobytes. */
const MOST = 1_000;

/** The templates that sends name, kept in memory until a template or a line changes. */
export class KnownTemplates {
  readonly #templates: Pick<Store['templates'], 'find'>;
  readonly #kept = new LruCache<TemplateRecord>(MOST);
  /** How often all were forgotten: what was read before that is not kept any more. */
  #forgotten = 0;

  constructor({ templates }: { templates: Pick<Store['templates'], 'find'> }) {
    this.#templates = templates;
  }

  /** @returns null for a template that the platform did not tell of, be it a starter template */
  async find(lineId: number, name: string, language: string): Promise<TemplateRecord | null> {
    const key = JSON.stringify([lineId, name, language]);
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const before = this.#forgotten;
    const row = await this.#templates.find(lineId, name, language);
    if (!row || row.upstream_status === null) return null;
    const found = templateRecord(row);
    if (before === this.#forgotten) this.#kept.set(key, found);
    return found;
  }

  /** Something has changed, here or in another process. */
  forget(): void {
    this.#forgotten++;
    this.#kept.clear();
  }
}
