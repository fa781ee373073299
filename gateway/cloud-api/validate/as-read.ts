import { type TSchema } from 'typebox';
import { DEEPEST, depthOf } from '../json/json-depth';
import { isObject, lower, parsed, type Json } from '../json/json-value';
import { INTERACTIVE, OtherInteractive } from './interactive-request';
import { Base, MESSAGE_TYPES, type MessageType } from './message-request';

/**
 * Normalizes a body like the platform: clients may send an object or list as JSON text, and a file's ID as a
 * number.
 * @param parse parses such texts
 * @returns the same object if nothing changed
 */
export function asRead(body: Json, parse: (text: string) => unknown = JSON.parse): Json {
  const { type } = body;
  if (typeof type !== 'string' || !Object.hasOwn(MESSAGE_TYPES, type)) return body;
  return members(body, { context: Base.properties.context, [type]: MESSAGE_TYPES[type as MessageType] });

  function members(value: Json, properties: Record<string, Schema>): Json {
    const changed = Object.entries(properties).flatMap(([name, schema]) => {
      if (!Object.hasOwn(value, name)) return [];
      const one = name === 'id' && 'link' in properties ? idOf(value.id) : read(value[name], schema);
      return one === value[name] ? [] : [[name, one]];
    });
    return changed.length ? { ...value, ...(Object.fromEntries(changed) as Json) } : value;
  }

  function read(given: unknown, schema: Schema): unknown {
    const value = isTextOf(given, schema) ? parse(given) : given;
    if (Array.isArray(value) && schema.items) {
      const { items } = schema;
      const all = value.map((one) => read(one, items));
      return all.every((one, index) => one === value[index]) ? value : all;
    }
    return isObject(value) && schema.type === 'object' ? members(value, propertiesOf(value, schema)) : value;
  }
}

type Schema = TSchema & { type?: string; items?: Schema; properties?: Record<string, Schema> };

/** Converts a numeric ID to text. Larger numbers have already lost digits and stay invalid. */
const idOf = (id: unknown): unknown => (Number.isSafeInteger(id) && Number(id) > 0 ? String(id) : id);

/** Returns the properties of a part; for an interactive part, they depend on its kind. */
function propertiesOf(value: Json, schema: Schema): Record<string, Schema> {
  if (schema !== (MESSAGE_TYPES.interactive as Schema)) return schema.properties ?? {};
  const kind = lower(value.type);
  const isKnown = typeof kind === 'string' && Object.hasOwn(INTERACTIVE, kind);
  return (isKnown ? INTERACTIVE[kind as keyof typeof INTERACTIVE] : OtherInteractive).properties;
}

function isTextOf(value: unknown, { type }: Schema): value is string {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value) || depthOf(value) > DEEPEST) return false;
  const held = parsed(value);
  return type === 'array' ? Array.isArray(held) : type === 'object' && isObject(held);
}
