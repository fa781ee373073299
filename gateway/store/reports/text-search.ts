import { sql, type RawBuilder, type SqlBool } from 'kysely';

/** A text search: the database finds candidates, which are then checked in memory. */
export interface TextSearch {
  /** LIKE patterns, escaped with a backslash, which must all match. */
  patterns: string[];
  isIn(text: string): boolean;
}

/**
 * The candidates. Databases ignore the case of ASCII letters only, so texts with other letters, plain or as JSON
 * escapes, are always included.
 */
export function mayHold(column: string, { patterns }: TextSearch): RawBuilder<SqlBool> {
  const text = sql.ref(column);
  const fits = patterns.map((pattern) => sql`lower(${text}) like ${pattern} escape '\\'`);
  return sql`(${sql.join([sql`1 = 1`, ...fits], sql` and `)}
    or octet_length(${text}) <> length(${text}) or ${text} like '%\\u%' escape '!')`;
}
