import { type CloudApi } from '../cloud-api/client';
import { readTemplate, type UpstreamTemplate } from '../cloud-api/template';
import { lineNotConfigured } from '../errors';
import { type Store } from '../store/store';
import { type NewTemplate } from '../store/tables/templates';
import { isoTime, type Clock } from '../time';
import { type KnownTemplates } from './known-templates';
import { STARTER_TEMPLATES } from './starter-templates';
import { type NoticeStatus } from './unknown-statuses';

/** The fields of a line that a sync needs. */
export interface SyncedLine {
  id: number;
  wabaId: string;
  accessToken: string | null;
}

/** Reads all templates of the business account from the platform, then replaces the stored ones in one step. */
export type SyncTemplates = (line: SyncedLine) => Promise<void>;

/**
 * Reads the templates. @returns a function that stores the list for a line of the business account, by the line's id
 */
export type ReadTemplates = (line: SyncedLine) => Promise<(lineId: number) => Promise<void>>;

export interface SyncDeps {
  store: Store;
  cloudApi: CloudApi;
  noticeStatus: NoticeStatus;
  knownTemplates: Pick<KnownTemplates, 'forget'>;
  clock: Clock;
  log: { warn(fields: object, message: string): void };
}

export function templateSync({ store, cloudApi, noticeStatus, knownTemplates, clock, log }: SyncDeps): {
  readTemplates: ReadTemplates;
  syncTemplates: SyncTemplates;
} {
  async function readList(line: SyncedLine & { accessToken: string }) {
    const { templates: told, pages } = await cloudApi.templates(line);
    const templates = told.map(readTemplate).filter((template) => template !== null);
    if (templates.length < told.length)
      log.warn(
        { line: line.id, templates: told.length - templates.length },
        'the platform listed templates without a name or a language: left out',
      );
    return { templates, pages };
  }

  /**
   * The whole list. If a template is deleted while pages are read, later ones move up, and one may be skipped between
   * two pages. So if a known template is missing, the list is read once more.
   */
  async function wholeList(line: SyncedLine & { accessToken: string }): Promise<UpstreamTemplate[]> {
    const { templates, pages } = await readList(line);
    if (pages === 1) return templates;
    const found = new Set(templates.map(keyOf));
    const known = await store.templates.ofLine(line.id);
    const isMissing = known.some((row) => row.upstream_id !== null && !found.has(keyOf(row)));
    return isMissing ? [...templates, ...(await readList(line)).templates] : templates;
  }

  const readTemplates: ReadTemplates = async ({ accessToken, ...line }) => {
    if (accessToken === null) throw lineNotConfigured();
    const readAt = isoTime(clock());
    const templates = await wholeList({ ...line, accessToken });
    templates.forEach(({ status, name }) => noticeStatus(status, name));
    const rows = templates.map(rowOf);
    const list = { wabaId: line.wabaId, readAt, syncedAt: isoTime(clock()) };
    return async (lineId) => {
      await store.templates.replaceSynced(lineId, rows, list);
      knownTemplates.forget();
    };
  };

  return {
    readTemplates,
    async syncTemplates(line) {
      const storeFor = await readTemplates(line);
      await storeFor(line.id);
    },
  };
}

const keyOf = ({ name, language }: { name: string; language: string }): string =>
  JSON.stringify([name, language]);

const rowOf = (template: UpstreamTemplate): NewTemplate => ({
  name: template.name,
  language: template.language,
  upstream_id: template.id,
  category: template.category,
  upstream_status: template.status,
  rejected_reason: template.rejectedReason,
  quality_score: template.qualityScore,
  quality_node: template.qualityNode,
  parameter_format: template.parameterFormat,
  components: JSON.stringify(template.components),
});

/** Creates the starter templates of a new line. */
export const seedStarterTemplates = (store: Pick<Store, 'templates'>, lineId: number): Promise<void> =>
  store.templates.insertStarters(
    STARTER_TEMPLATES.map(({ components, ...template }) => ({
      ...template,
      line_id: lineId,
      upstream_id: null,
      upstream_status: null,
      quality_score: null,
      quality_node: null,
      parameter_format: 'POSITIONAL',
      components: JSON.stringify(components),
      is_starter: 1,
    })),
  );
