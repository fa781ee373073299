import { type TemplateState } from '../cloud-api/template';
import { type Store } from '../store/database';
import { templateRecord, type TemplateRecord } from './template-record';

/** The line's templates as stored, by name, then language. The filter applies before the limit. */
export async function listTemplates(
  store: Store,
  lineId: number,
  { status, limit }: { status?: TemplateState; limit: number },
): Promise<TemplateRecord[]> {
  const rows = await store.templates.ofLine(lineId);
  return rows
    .map(templateRecord)
    .filter((template) => status === undefined || template.status === status)
    .slice(0, limit);
}
