import { type CloudApi } from '../cloud-api/client';
import { type UpstreamTemplate } from '../cloud-api/template';
import { type Store } from '../store/database';
import { isoTime, type Clock } from '../time';
import { STARTER_TEMPLATES } from './starter-templates';

/** Reads all templates of the business account from upstream, then replaces what was stored, all at once. */
export async function syncTemplates(
  { store, cloudApi, clock }: { store: Store; cloudApi: CloudApi; clock: Clock },
  line: { id: number; wabaId: string; accessToken: string },
): Promise<void> {
  const templates = await cloudApi.templates(line);
  await store.templates.replaceSynced(
    line.id,
    templates.map((template) => rowOf(line.id, template)),
    isoTime(clock()),
  );
}

const rowOf = (lineId: number, template: UpstreamTemplate) => ({
  line_id: lineId,
  name: template.name,
  language: template.language,
  upstream_id: template.id,
  category: template.category,
  upstream_status: template.status,
  quality_score: template.quality_score?.score ?? null,
  parameter_format: template.parameter_format ?? 'POSITIONAL',
  components: JSON.stringify(template.components ?? []),
  is_starter: 0,
});

/** Gives a new line its starter templates. */
export const seedStarterTemplates = (store: Store, lineId: number): Promise<void> =>
  store.templates.insertStarters(
    STARTER_TEMPLATES.map(({ components, ...template }) => ({
      ...template,
      line_id: lineId,
      upstream_id: null,
      upstream_status: null,
      quality_score: null,
      parameter_format: 'POSITIONAL',
      components: JSON.stringify(components),
      is_starter: 1,
    })),
  );
