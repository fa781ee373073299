/**
 * Shared parts of Graph reads: field selection, and lists in pages with cursors.
 * https://developers.facebook.com/docs/graph-api/guides/field-expansion and …/results
 */
import { fieldUnknown, GraphRefusal, parameterInvalid } from './errors';

type Node = Record<string, unknown>;

/** Query parameters; a repeated parameter is a list. */
export type QueryParameters = Record<string, string | string[] | undefined>;

/** The platform's default page size. */
const DEFAULT_LIMIT = 25;

/** Returns the last value of a query parameter; undefined if missing or empty. */
export const lastOf = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value.at(-1) : value) || undefined;

/** "id,throughput{level}" → ["id", "throughput"]. Subfields are ignored, so the whole field is returned. */
function fieldNames(fields: string): string[] {
  const flat = fields.replace(/\{[^{}]*\}/g, '');
  if (flat !== fields) return fieldNames(flat);
  return fields
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Returns the requested fields in order, with `id` always at the end. As on the platform, one unknown field
 * fails the whole request.
 */
export function selectFields(
  node: Node,
  fields: string | undefined,
  defaults: string[],
  nodeType: string,
): Node {
  const names = fields ? fieldNames(fields) : defaults;
  const unknown = names.find((name) => !Object.hasOwn(node, name));
  if (unknown !== undefined) throw fieldUnknown(unknown, nodeType);
  return Object.fromEntries(
    [...names.filter((name) => name !== 'id'), 'id'].map((name) => [name, node[name]]),
  );
}

/** Fields without a value: they can be requested, and the answer omits them. */
export const emptyFields = (names: readonly string[]): Node =>
  Object.fromEntries(names.map((name) => [name, undefined]));

/** Encodes a cursor like the platform: the position in base64, with "ZD" for every "=". */
const cursorAt = (position: number): string =>
  Buffer.from(String(position)).toString('base64').replaceAll('=', 'ZD');

function positionOf(cursor: string): number {
  const position = Buffer.from(cursor.replaceAll('ZD', '='), 'base64').toString();
  if (!/^\d{1,9}$/.test(position))
    throw new GraphRefusal(400, { message: 'Invalid cursors values', code: 100 });
  return Number(position);
}

function limitOf(limit: string | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (!/^\d{1,9}$/.test(limit) || Number(limit) === 0)
    throw parameterInvalid('limit must be a positive integer');
  return Number(limit);
}

/**
 * Returns one page of a list: `{data, paging: {cursors: {before, after}, previous?, next?}}`. `next` is
 * present only if more items follow.
 * @param address URL of the list without its query; like the platform, links repeat a token from the query
 */
export function page(items: readonly Node[], query: QueryParameters, address: string): Node {
  const limit = limitOf(lastOf(query.limit));
  const after = lastOf(query.after);
  const before = lastOf(query.before);
  const ahead = before === undefined ? 0 : positionOf(before) - limit;
  const from = after === undefined ? ahead : positionOf(after) + 1;
  const start = Math.max(from, 0);
  const end =
    before !== undefined && after === undefined ? Math.min(positionOf(before), start + limit) : start + limit;
  const data = items.slice(start, end);
  if (data.length === 0) return { data };

  const link = (name: 'after' | 'before', cursor: string): string => {
    const rest = Object.entries(query)
      .filter(([key]) => !['after', 'before', 'limit'].includes(key))
      .map(([key, value]): [string, string] => [key, lastOf(value) ?? '']);
    return `${address}?${new URLSearchParams([...rest, ['limit', String(limit)], [name, cursor]])}`;
  };
  const last = start + data.length - 1;
  return {
    data,
    paging: {
      cursors: { before: cursorAt(start), after: cursorAt(last) },
      ...(start > 0 && { previous: link('before', cursorAt(start)) }),
      ...(last < items.length - 1 && { next: link('after', cursorAt(last)) }),
    },
  };
}
