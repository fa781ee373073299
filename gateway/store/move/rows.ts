import { hash } from 'node:crypto';
import { type SQLOutputValue } from 'node:sqlite';
import { storable } from '../postgres/writes';

/** A row as `node:sqlite` returns it. */
export type SourceRow = Record<string, SQLOutputValue>;

/** A row for `json_populate_recordset`. */
export type MovedRow = Record<string, string | number | null>;

export interface MovedColumn {
  name: string;
  /** The type in PostgreSQL, such as `text`. */
  type: string;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * The same row for PostgreSQL. Characters that PostgreSQL cannot store are replaced, as a gateway on PostgreSQL
 * replaces them.
 */
export const movedRow = (row: SourceRow, columns: MovedColumn[]): MovedRow =>
  Object.fromEntries(columns.map(({ name }) => [name, movedValue(row[name] ?? null)]));

function movedValue(value: SQLOutputValue): string | number | null {
  if (typeof value === 'string') return storable(value);
  if (ArrayBuffer.isView(value)) return `\\x${Buffer.from(value).toString('hex')}`;
  return value as number | null;
}

/** Between the values of a row, and instead of null. Otherwise rows with shifted values would have the same hash. */
const BETWEEN = 31;
const NULL = 30;

/** The first 64 bits of the row's hash. Their sum over a table is the same in any order of its rows. */
export function hashOf(row: MovedRow, columns: MovedColumn[]): bigint {
  const texts = columns.map(({ name, type }) => hashedText(row[name] ?? null, type));
  return hash('sha256', texts.join(String.fromCharCode(BETWEEN)), 'buffer').readBigInt64BE();
}

function hashedText(value: string | number | null, type: string): string {
  if (value === null) return String.fromCharCode(NULL);
  if (type !== FLOAT) return String(value);
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(Number(value));
  return bytes.toString('hex');
}

const FLOAT = 'double precision';

/** The sum of `hashOf` over a table's rows, computed by PostgreSQL. */
export function sumOfHashes(columns: MovedColumn[]): string {
  const texts = columns.map(({ name, type }) => {
    const column = quoted(name);
    const textOf: Record<string, string> = {
      bytea: `'\\x' || encode(${column}, 'hex')`,
      [FLOAT]: `encode(float8send(${column}), 'hex')`,
    };
    return `coalesce(${textOf[type] ?? `${column}::text`}, chr(${NULL}))`;
  });
  const bytes = `sha256(convert_to(${texts.join(` || chr(${BETWEEN}) || `)}, 'UTF8'))`;
  return `coalesce(sum(('x' || encode(substring(${bytes} for 8), 'hex'))::bit(64)::bigint), 0)`;
}
