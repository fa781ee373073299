/** Parsers for bodies of control requests. Each refuses invalid values with a sentence. */
import { type SandboxLine } from '../platform/account';
import { ControlRefusal } from './refusal';
import { type DocumentedError, documentedError } from '../platform/documented-errors';
import { isObject, type JsonObject, parseJson } from '../platform/json';

/**
 * Returns the body as an object; empty if there is no body.
 * @param example an accepted body, for the refusal
 */
export function bodyOf(text: unknown, example: JsonObject): JsonObject {
  if (text === undefined || text === null || text === '') return {};
  const body = parseJson(text);
  if (isObject(body)) return body;
  throw new ControlRefusal(
    `The body is to be a JSON object, for example ${JSON.stringify(example).replaceAll('":', '": ').replaceAll(',"', ', "')}.`,
  );
}

export function onlyFields(body: JsonObject, fields: readonly string[]): void {
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown === undefined) return;
  throw new ControlRefusal(
    `The field "${unknown.slice(0, 100)}" is not known here. There are ${listOf(fields)}.`,
  );
}

export function wordOf<T extends string>(value: unknown, name: string, words: readonly T[]): T {
  const word = words.find((each) => each === value);
  if (word !== undefined) return word;
  throw new ControlRefusal(`"${name}" is one of ${listOf(words)}.`);
}

export function numberOf(value: unknown, name: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ControlRefusal(`"${name}" is a whole number from ${least} to ${most}.`);
}

export function textOf(value: unknown, name: string, most: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= most) return value;
  throw new ControlRefusal(`"${name}" is a text of up to ${most} characters that is not empty.`);
}

export function flagOf(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ControlRefusal(`"${name}" is true or false.`);
}

export function objectOf(value: unknown, name: string): JsonObject {
  if (isObject(value)) return value;
  throw new ControlRefusal(`"${name}" is a JSON object.`);
}

/** Returns a list of different texts. */
export function textsOf(value: unknown, name: string, most: number): string[] {
  if (Array.isArray(value) && value.length <= most)
    return [...new Set(value.map((each) => textOf(each, name, 100)))];
  throw new ControlRefusal(`"${name}" is a list of up to ${most} texts.`);
}

/** A parser for each field of a state. */
export type StateFields<State> = { [Name in keyof State]: (value: unknown, name: string) => State[Name] };

/** Returns the state with the fields of the body; refuses unknown fields and invalid values. */
export function changedState<State extends object>(
  fields: StateFields<State>,
  before: State,
  body: JsonObject,
): State {
  onlyFields(body, Object.keys(fields));
  const after = { ...before };
  for (const name of Object.keys(body) as (string & keyof State)[])
    after[name] = fields[name](body[name], name);
  return after;
}

/** A parser of one of these words. */
export const oneOf =
  <T extends string>(words: readonly T[]) =>
  (value: unknown, name: string): T =>
    wordOf(value, name, words);

export const listOf = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** Returns the documented error with this code. */
export function errorOf(code: unknown): DocumentedError {
  const error = typeof code === 'number' ? documentedError(code) : undefined;
  if (error) return error;
  throw new ControlRefusal(
    '"code" is the number of an error that the platform documents, for example 131026; GET /sandbox/errors lists them.',
  );
}

/** The most lines listed in a refusal. */
const MOST_NAMED = 5;

/** Returns the line with this phone number ID, which is optional if there is only one line. */
export function lineNamed(lines: readonly SandboxLine[], id: unknown): SandboxLine {
  const only = id === undefined && lines.length === 1 ? lines[0] : undefined;
  const line = only ?? lines.find((each) => each.phoneNumberId === id);
  if (line) return line;
  if (lines.length === 0) throw new ControlRefusal('There is no line yet that a contact could write to.');
  const shown = lines
    .slice(0, MOST_NAMED)
    .map((each) => `${each.phoneNumberId} (${each.verifiedName}, ${each.displayPhoneNumber})`);
  const others = lines.length - shown.length;
  const there = [...shown, ...(others > 0 ? [`and ${others} more, which GET /sandbox lists`] : [])].join(
    ', ',
  );
  throw new ControlRefusal(
    id === undefined
      ? `There are several lines; name one as "line": ${there}.`
      : `There is no line ${JSON.stringify(id)}; "line" is the phone number id, one of ${there}.`,
  );
}
