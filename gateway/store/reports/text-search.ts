import { sql, type RawBuilder, type SqlBool } from 'kysely';

/** Searches texts: the database finds candidates, which are then checked. */
export interface TextSearch {
  /** Patterns for LIKE that all fit, in which a backslash escapes. */
  patterns: string[];
  isIn(text: string): boolean;
}

/**
 * Databases ignore the case of unaccented letters only: texts that may have others, as they are or as JSON
 * escapes, are checked here.
 */
export function mayHold(column: string, { patterns }: TextSearch): RawBuilder<SqlBool> {
  const text = sql.ref(column);
  const fits = patterns.map((pattern) => sql`lower(${text}) like ${pattern} escape '\\'`);
  return sql`(${sql.join([sql`1 = 1`, ...fits], sql` and `)}
    or octet_length(${text}) <> length(${text}) or ${text} like '%\\u%' escape '!')`;
}
