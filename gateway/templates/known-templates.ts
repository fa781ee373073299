import { setImmediate as nextTurn } from 'node:timers/promises';
import { type TemplateState } from '../cloud-api/template';
import { LruCache } from '../primitives/lru-cache';
import { type Store } from '../store/store';
import { type TemplateRow } from '../store/tables/templates';
import { templateRecord, type TemplateRecord } from './template-record';

/** Templates in memory, of some kilobytes each. */
const MOST = 1_000;
/** Bytes of all lists in memory. A list of 500 long templates takes some megabytes. */
const MOST_LISTED = 16 * 1024 * 1024;
/** Characters of templates that are added to a list per turn of the event loop. */
const MOST_IN_A_TURN = 64 * 1024;

/** A template of a list. */
export interface ListedTemplate {
  row: Omit<TemplateRow, 'components'>;
  status: TemplateState;
  /** The template's record, and the platform's `components` alone, as JSON. */
  record: Buffer;
  components: Buffer;
}

export interface TemplateList {
  /** Null if the list was never read from the platform. */
  syncedAt: string | null;
  /** By name, then language. */
  templates: ListedTemplate[];
}

/** Templates used by sends and lists requested by customers, cached until a template or a line changes. */
export class KnownTemplates {
  readonly #templates: Pick<Store['templates'], 'find' | 'ofLine' | 'syncedAt'>;
  readonly #kept = new LruCache<TemplateRecord>(MOST);
  /** By line; concurrent callers share a read. */
  readonly #lists = new Map<number, Promise<TemplateList>>();
  #listed = 0;
  /** How often the cache was cleared: a read that started before is not stored. */
  #forgotten = 0;

  constructor({ templates }: { templates: Pick<Store['templates'], 'find' | 'ofLine' | 'syncedAt'> }) {
    this.#templates = templates;
  }

  /** @returns null for a template that is not from the platform, such as a starter template */
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

  /** All templates of a line, including starter templates. */
  list(lineId: number): Promise<TemplateList> {
    const kept = this.#lists.get(lineId);
    if (kept) return kept;
    const reading = this.#read(lineId);
    this.#lists.set(lineId, reading);
    reading.then(
      ({ templates }) => this.#count(lineId, reading, templates),
      () => this.#lists.get(lineId) === reading && this.#lists.delete(lineId),
    );
    return reading;
  }

  /** Clears the cache after a change in any process. */
  forget(): void {
    this.#forgotten++;
    this.#kept.clear();
    this.#lists.clear();
    this.#listed = 0;
  }

  async #read(lineId: number): Promise<TemplateList> {
    const [syncedAt, rows] = await Promise.all([
      this.#templates.syncedAt(lineId),
      this.#templates.ofLine(lineId),
    ]);
    const templates: ListedTemplate[] = [];
    let characters = 0;
    for (const { components, ...row } of rows) {
      const record = templateRecord({ ...row, components });
      templates.push({
        row,
        status: record.status,
        record: Buffer.from(JSON.stringify(record)),
        components: Buffer.from(components),
      });
      characters += components.length;
      if (characters < MOST_IN_A_TURN) continue;
      characters = 0;
      await nextTurn();
    }
    return { syncedAt, templates };
  }

  /** If all lists together are too large, the other lists are dropped and read again on demand. */
  #count(lineId: number, list: Promise<TemplateList>, templates: ListedTemplate[]): void {
    if (this.#lists.get(lineId) !== list) return;
    const size = templates.reduce(
      (sum, { record, components }) => sum + record.length + components.length,
      0,
    );
    if (this.#listed + size > MOST_LISTED) {
      this.#lists.clear();
      this.#listed = 0;
      if (size > MOST_LISTED) return;
      this.#lists.set(lineId, list);
    }
    this.#listed += size;
  }
}
