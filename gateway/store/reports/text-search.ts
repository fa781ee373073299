import { sql, type RawBuilder, type SqlBool } from 'kysely';

/** What is looked for in texts: the database finds more than is meant, and what it finds is looked at. */
export interface TextSearch {
  /** Patterns for LIKE that all fit, in which a backslash escapes. */
  patterns: string[];
  isIn(text: string): boolean;
}

/** Databases fold letters without accents alone: a text that may have others, as they are or as escapes of JSON, is looked at. */
export function mayHold(column: string, { patterns }: TextSearch): RawBuilder<SqlBool> {
  const text = sql.ref(column);
  const fits = patterns.map((pattern) => sql`lower(${text}) like ${pattern} escape '\\'`);
  return sql`(${sql.join([sql`1 = 1`, ...fits], sql` and `)}
    or octet_length(${text}) <> length(${text}) or ${text} like '%\\u%' escape '!')`;
}
