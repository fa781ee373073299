export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Cell = string | number | boolean | null;

/** The columns of a file: the name of each, and its value in a row. */
export type Columns<Row> = readonly (readonly [name: string, of: (row: Row) => Cell])[];

/** A header and a line for each row (RFC 4180), in UTF-8 with a byte order mark, which spreadsheets need. */
export async function* csvFile<Row>(columns: Columns<Row>, rows: AsyncIterable<Row>): AsyncGenerator<string> {
  yield `\uFEFF${columns.map(([name]) => name).join(',')}\r\n`;
  for await (const row of rows) yield `${columns.map(([, of]) => csvCell(of(row))).join(',')}\r\n`;
}

/** One JSON object per line. */
export async function* ndjsonFile(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** Writes a cell. An apostrophe keeps spreadsheets from running a text that begins like a formula, also after spaces. */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^\s*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
