import { type FastifyRequest } from 'fastify';
import { fieldUnknown } from '../../errors';

/**
 * What all reads in the platform's own shape have in common. Their answers are the platform's to the letter, so that a
 * client written for the platform parses them; their errors have this API's shape, which holds the platform's.
 */
export type Node = Record<string, unknown>;

/** The existing fields, the default fields, and the platform's name for the kind of node. */
interface Fields {
  known: readonly string[];
  usual: readonly string[];
  named: string;
}

/** Query parameters. Of a repeated one, the last value counts, as for the platform. */
export type Query = Record<string, string | string[] | undefined>;

export const lastOf = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value.at(-1) : value) || undefined;

/**
 * The requested fields of the node, in their order, always with `id` at the end. An empty field is left out,
 * as by the platform.
 * @throws Refusal for a field that the platform does not have either
 */
export function selectFields(node: Node, fields: string | undefined, of: Fields): Node {
  return Object.fromEntries(
    selectedFields(fields, of)
      .filter((name) => node[name] !== undefined && node[name] !== null)
      .map((name) => [name, node[name]]),
  );
}

/** The fields asked for, each once, `id` last. @throws Refusal as `selectFields` */
export function selectedFields(fields: string | undefined, of: Fields): string[] {
  const names = new Set(fields === undefined ? of.usual : fieldNames(fields));
  for (const name of names) if (!of.known.includes(name)) throw fieldUnknown(name, of.named, of.known);
  names.delete('id');
  return [...names, 'id'];
}

/**
 * The requested fields beyond the stored ones; if there are any, the platform answers all of them.
 * @returns null if the stored data is enough
 * @throws Refusal for an invalid field, which the platform would misunderstand
 */
export function fieldsToAsk(
  fields: string | undefined,
  of: { known: readonly string[]; named: string },
): string[] | null {
  const names = fieldNames(fields ?? '');
  const noField = names.find((name) => !/^[a-z][a-z0-9_]{0,63}$/.test(name));
  if (noField !== undefined) throw fieldUnknown(noField, of.named, of.known);
  return names.every((name) => of.known.includes(name)) ? null : names;
}

/**
 * `id,throughput{level}` names `id` and `throughput`: subfields are ignored, and the field is returned whole.
 */
export function fieldNames(fields: string): string[] {
  let flat = '';
  let depth = 0;
  for (const character of fields) {
    if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (depth === 0) flat += character;
  }
  return flat
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

/**
 * The base URL under which the customer reaches this API, without a slash at its end: the public one, if set;
 * otherwise the host of this request.
 */
export function apiAddress(request: FastifyRequest, publicUrl: string | null): string {
  const { localAddress = '', localPort } = request.socket;
  const own = `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
  const root = publicUrl ?? `${request.protocol}://${request.host || own}`;
  return request.url.startsWith('/api/') ? `${root}/api` : root;
}
