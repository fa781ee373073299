import { Readable } from 'node:stream';
import { EXPORT_FORMATS, type ExportFormat } from '../../export-file';
import { isoTime, type Clock } from '../../time';
import { type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { chosenLine } from '../ui/line-field';

/** The format whose button was pressed (`SaveAll`). */
export const formatIn = (form: FormData): ExportFormat =>
  EXPORT_FORMATS.find((one) => one === form.get('format')) ?? 'csv';

/** Records that the user looks at the messages of the exported lines. @param line of the filter; empty: all lines */
export async function lookedAtExport({ deps, looked }: UserContext, line: string): Promise<void> {
  const lines = deps.lines.all();
  const exported = line ? [chosenLine(lines, line).line].filter((one) => one !== null) : lines;
  await looked(
    'export',
    exported.map(({ id }) => ({ line_id: id, contact: null })),
  );
}

/** A filter without the search text, which may name a contact: audit entries stay when a contact is forgotten. */
export const auditedFilter = (query: URLSearchParams): Record<string, unknown> =>
  Object.fromEntries(
    [...query].map(([name, value]) => {
      if (name === 'q') return ['searched', true];
      return [name, /^\d{1,9}$/.test(value) ? Number(value) : value];
    }),
  );

/** A download. @param subject the beginning of its name, which continues with the time */
export function exportedFile(
  { clock }: { clock: Clock },
  subject: string,
  format: ExportFormat,
  content: AsyncIterable<string>,
): PanelResponse {
  const name = `${subject}-${isoTime(clock()).slice(0, 19).replaceAll(':', '')}.${format}`;
  return {
    kind: 'file',
    type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
    content: Readable.from(content),
    headers: { 'content-disposition': `attachment; filename="${name}"` },
  };
}
