import { type TemplateState } from '../cloud-api/template';
import { type Store } from '../store/store';
import { templateRecord, type TemplateRecord } from './template-record';

/** The line's templates as stored, by name, then language. The filters apply before the limit; `name` is found within names. */
export async function listTemplates(
  store: Store,
  lineId: number,
  { status, name = '', limit }: { status?: TemplateState; name?: string; limit: number },
): Promise<TemplateRecord[]> {
  const rows = await store.templates.ofLine(lineId);
  return rows
    .filter((row) => row.name.toLowerCase().includes(name))
    .map(templateRecord)
    .filter((template) => status === undefined || template.status === status)
    .slice(0, limit);
}
