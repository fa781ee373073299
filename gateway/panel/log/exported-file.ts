import { Readable } from 'node:stream';
import { EXPORT_FORMATS, type ExportFormat } from '../../export-file';
import { isoTime, type Clock } from '../../time';
import { type PanelResponse } from '../outcome';

/** The format whose button was pressed (`SaveAll`). */
export const formatIn = (form: FormData): ExportFormat =>
  EXPORT_FORMATS.find((one) => one === form.get('format')) ?? 'csv';

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
