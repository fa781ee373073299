import { type FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import { type Static, type TSchema } from 'typebox';
import { DEEPEST, depthOf } from '../../cloud-api/json/json-depth';
import { isObject } from '../../cloud-api/json/json-value';
import { validatorOf } from '../../cloud-api/validate/schema-issues';
import { invalidJson, invalidPayload, quoted } from '../../errors';

/** A request body: the parsed value, and the bytes without a byte order mark. */
export interface ParsedBody {
  value: Record<string, unknown>;
  raw: Buffer;
}

/**
 * @param encoding the header Content-Encoding: compression is not accepted
 * @throws Refusal if the body is not a JSON object in UTF-8, is nested too deeply, or has a key that reaches a
 * prototype
 */
export function parseBody(raw: Buffer, encoding?: string): ParsedBody {
  const text = utf8(raw, encoding);
  if (depthOf(text) > DEEPEST) throw invalidJson(`it is nested more than ${DEEPEST} levels deep.`);
  let value: unknown;
  try {
    value = secureJson.parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw invalidJson(reason(error as Error));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidJson('it must start with { and end with }.');
  }
  return { value: value as Record<string, unknown>, raw: withoutMark(raw) };
}

/** Validates a request body with this schema. @throws Refusal with all issues */
export function bodyOf<Schema extends TSchema>(schema: Schema): (request: FastifyRequest) => Static<Schema> {
  const issuesOf = validatorOf(schema);
  return ({ body }) => {
    const { value } = body as ParsedBody;
    const issues = issuesOf(value);
    if (issues.length) throw invalidPayload(issues);
    return value as Static<Schema>;
  };
}

const LIMITS = ['enum', 'format', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/**
 * A schema without limits, which only checks types: the use case checks the limits for every interface, with better
 * messages.
 */
export const typesOf = <Schema extends TSchema>(schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (_key, part: unknown) => {
    if (!isObject(part)) return part;
    const types = 'enum' in part ? { type: 'string', ...part } : part;
    return Object.fromEntries(Object.entries(types).filter(([name]) => !LIMITS.includes(name)));
  }) as Schema;

/** Some clients send a byte order mark (EF BB BF), which is not JSON and which the platform may refuse. */
const withoutMark = (raw: Buffer): Buffer =>
  raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf ? raw.subarray(3) : raw;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function utf8(raw: Buffer, encoding?: string): string {
  try {
    return UTF8.decode(raw);
  } catch {
    throw invalidJson(
      encoding
        ? `it is not UTF-8 text. It came with Content-Encoding ${quoted(encoding)}: send it without compression.`
        : 'it is not UTF-8 text.',
    );
  }
}

/** Parser messages quote the body, so only the position is used. */
function reason({ message }: Error): string {
  if (message.includes('forbidden prototype'))
    return 'it has a key that is not allowed ("__proto__" or "constructor").';
  if (message.startsWith('Unexpected end')) return 'a quote or a bracket may be missing at its end.';
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  return line
    ? `look at line ${line}, column ${column}: a comma, a quote or a bracket may be missing or too many.`
    : 'look at its commas, quotes and brackets: one may be missing or too many.';
}
