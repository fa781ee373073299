import { hash } from 'node:crypto';
import * as Type from 'typebox';
import { invalidQuery } from '../../errors';
import { readInteger } from '../http/query';
import { type AdminContext, type AdminAnswer } from './operation';

const MOST = 200;
const USUAL = 50;

/** The query parameters of every list. */
export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MOST, default: USUAL, description: 'The most elements to return.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      description: '`next` of the previous page, with the same filters. Omit it for the first page.',
    }),
  ),
};

/** The answer of a list. @param element the name of the shared schema of its elements */
export const pageOf = (element: string) =>
  Type.Object({
    data: Type.Array(Type.Unsafe<object>({ $ref: `#/components/schemas/${element}` })),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The cursor of the next page; null after the last page.',
    }),
  });

/** The position after which a page begins, by the ids of the elements; null for the first page. */
interface PageStart {
  limit: number;
  after: number | null;
}

/** @throws Refusal if the query is invalid, or the cursor belongs to another list, filter or reach */
export function pageStart(context: AdminContext): PageStart {
  const { query, deps } = context;
  const limit = readInteger('limit', query.limit, { minimum: 1, maximum: MOST, default: USUAL });
  if (query.cursor === undefined) return { limit, after: null };
  try {
    const [list, after] = JSON.parse(deps.vault.open('api.cursor', query.cursor)) as [string, number];
    if (list === listOf(context)) return { limit, after };
  } catch {
    // Refused below.
  }
  throw invalidQuery(
    'cursor is not one of this list. Send `next` of the previous page with the same token and filters, or start again without a cursor.',
  );
}

/** A page of elements. @param next where the next page begins, for `PageStart.after`; null after the last page */
export function pageBefore(context: AdminContext, data: readonly object[], next: number | null): AdminAnswer {
  const cursor =
    next === null ? null : context.deps.vault.seal('api.cursor', JSON.stringify([listOf(context), next]));
  return { status: 200, body: { data, next: cursor } };
}

/** A page of a list that is in memory. @param rows all elements that the token may see */
export function pageInMemory<Row extends { id: number }>(
  context: AdminContext,
  rows: readonly Row[],
  shown: (row: Row) => object,
): AdminAnswer {
  const { limit, after } = pageStart(context);
  const following = rows
    .filter(({ id }) => after === null || id > after)
    .toSorted((one, other) => one.id - other.id);
  const seen = following.slice(0, limit);
  const next = following.length > limit ? (seen.at(-1)?.id ?? null) : null;
  return pageBefore(context, seen.map(shown), next);
}

/** A hash of the list, its filters and the reach of the token: a cursor is valid only for these. */
function listOf({ request, query, token }: AdminContext): string {
  const filters = Object.entries(query).filter(([name]) => name !== 'cursor' && name !== 'limit');
  const list = JSON.stringify([
    request.url.split('?')[0],
    filters.toSorted(),
    token.customerIds,
    token.lineIds,
    [...token.permissions],
  ]);
  return hash('sha256', list, 'base64url');
}
