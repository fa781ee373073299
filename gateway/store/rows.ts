import { sql } from 'kysely';

/** The first row of a query; null if there is none. */
export const firstOf = async <Row>(query: {
  executeTakeFirst(): Promise<Row | undefined>;
}): Promise<Row | null> => (await query.executeTakeFirst()) ?? null;

/** The number of rows as a column; PostgreSQL returns it as text. */
export const COUNT = sql<number | string>`count(*)`.as('count');

/** The result of a `COUNT` query. */
export const countOf = async (query: {
  executeTakeFirstOrThrow(): Promise<{ count: number | string }>;
}): Promise<number> => Number((await query.executeTakeFirstOrThrow()).count);

/** Whether the update changed a row. */
export const anyUpdated = async (query: {
  executeTakeFirst(): Promise<{ numUpdatedRows: bigint }>;
}): Promise<boolean> => (await query.executeTakeFirst()).numUpdatedRows > 0n;

/** Whether the query deleted a row. */
export const anyDeleted = async (query: {
  executeTakeFirst(): Promise<{ numDeletedRows: bigint }>;
}): Promise<boolean> => (await query.executeTakeFirst()).numDeletedRows > 0n;

/** The number of deleted rows. */
export const countDeleted = async (query: {
  executeTakeFirst(): Promise<{ numDeletedRows: bigint }>;
}): Promise<number> => Number((await query.executeTakeFirst()).numDeletedRows);

/** The values of column `of`, grouped by column `by`, for one statement per group. */
export const byColumn = <Row, By extends keyof Row, Of extends keyof Row>(
  rows: readonly Row[],
  by: By,
  of: Of,
): [Row[By], Row[Of][]][] =>
  [...Map.groupBy(rows, (row) => row[by])].map(([value, some]) => [value, some.map((row) => row[of])]);
