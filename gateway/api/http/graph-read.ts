import { type FastifyRequest } from 'fastify';
import { fieldUnknown, invalidQuery, quoted } from '../../errors';

/**
 * Common parts of reads in the platform's format. Responses match the platform's exactly, so that its clients can
 * parse them; errors have this API's format, which includes the platform's.
 */
export type Node = Record<string, unknown>;

/** All fields of a kind of node, its default fields, and the platform's name for the kind. */
interface Fields {
  known: readonly string[];
  usual: readonly string[];
  named: string;
}

/** Query parameters. As on the platform, the last value of a repeated one counts. */
export type Query = Record<string, string | string[] | undefined>;

export const lastOf = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value.at(-1) : value) || undefined;

/**
 * The requested fields of the node in order, with `id` always last. Empty fields are omitted, as by the platform.
 * @throws Refusal for a field that the platform does not have
 */
export function selectFields(node: Node, fields: string | undefined, of: Fields): Node {
  return Object.fromEntries(
    selectedFields(fields, of)
      .filter((name) => node[name] !== undefined && node[name] !== null)
      .map((name) => [name, node[name]]),
  );
}

/** The requested fields, each once, `id` last. @throws Refusal as `selectFields` */
export function selectedFields(fields: string | undefined, of: Fields): string[] {
  const names = new Set(fields === undefined ? of.usual : fieldNames(fields));
  for (const name of names) if (!of.known.includes(name)) throw fieldUnknown(name, of.named, of.known);
  names.delete('id');
  return [...names, 'id'];
}

/**
 * The requested fields if any of them is not stored: the platform is then asked for all of them.
 * @returns null if the stored data is enough
 * @throws Refusal for a field with invalid characters, which the platform would misinterpret
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

/** `id,throughput{level}` names `id` and `throughput`: subfields are ignored, and the field is returned whole. */
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

/** A field, perhaps with modifiers such as `.format(SVG)`, of which `.fields(…)` would name subfields. */
const PLAIN_FIELD = /^\w+(?:\.(?!fields\()\w+\([^(){}]*\))*$/;

/**
 * The fields for the platform, without subfields, which could reach objects of others.
 * @throws Refusal for a field that may have subfields in another form
 */
export function plainFields(fields: string): string[] {
  const found = [''];
  let depth = 0;
  for (const character of fields) {
    if ('({['.includes(character)) depth++;
    if (character === ',' && depth === 0) found.push('');
    else found[found.length - 1] += character.trim();
    if (')}]'.includes(character)) depth--;
  }
  const plain = found.map((field) => field.replace(/\{.*\}/s, '')).filter(Boolean);
  const other = plain.find((field) => !PLAIN_FIELD.test(field));
  if (other !== undefined) throw invalidQuery(`${quoted(other)} is not a field that can be read here.`);
  return plain;
}

/**
 * The customer's base URL for this API, without a trailing slash: the public one if set, otherwise the host of the
 * request.
 */
export function apiAddress(request: FastifyRequest, publicUrl: string | null): string {
  const { localAddress = '', localPort } = request.socket;
  const own = `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
  const root = publicUrl ?? `${request.protocol}://${request.host || own}`;
  return request.originalUrl.startsWith('/api/') ? `${root}/api` : root;
}
