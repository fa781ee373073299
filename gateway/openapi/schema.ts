import { type Json } from '../cloud-api/json/json-value';

/** Keywords that mean the same in OpenAPI 3.0.3. */
const SAME = [
  'type',
  'title',
  'description',
  'default',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'required',
  'enum',
  'nullable',
  'example',
  'discriminator',
  '$ref',
];

/** The keywords of each type, for schemas with several types. */
const OF_TYPE: Record<string, string[]> = {
  string: ['pattern', 'format', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties'],
};

/**
 * Translates a validation schema to OpenAPI 3.0.3, which has no `const`, no `null` and no list of types.
 * @throws Error for a keyword that cannot be translated
 */
export function toOpenApi(schema: object): Json {
  const { const: only, type, anyOf, oneOf, ...rest } = schema as Json;
  if (only !== undefined) return toOpenApi({ ...rest, enum: [only] });
  if (Array.isArray(type)) return ofSeveralTypes(type as string[], rest);
  const choices = (anyOf ?? oneOf) as object[] | undefined;
  if (choices)
    return ofChoices(anyOf ? 'anyOf' : 'oneOf', choices, { ...rest, ...(type !== undefined && { type }) });
  const given = type === undefined ? rest : { type, ...rest };
  return withNullableEnum(
    Object.fromEntries(Object.entries(given).map(([keyword, value]) => translated(keyword, value))),
  );
}

function translated(keyword: string, value: unknown): [string, unknown] {
  switch (keyword) {
    case 'properties':
      return [
        keyword,
        Object.fromEntries(
          Object.entries(value as Record<string, object>).map(([name, one]) => [name, toOpenApi(one)]),
        ),
      ];
    case 'items':
    case 'not':
      return [keyword, toOpenApi(value as object)];
    case 'allOf':
      return [keyword, (value as object[]).map(toOpenApi)];
    case 'additionalProperties':
      return [keyword, typeof value === 'object' && value !== null ? toOpenApi(value) : value];
    case 'patternProperties':
      // OpenAPI 3.0.3 has no rule for property names.
      return ['additionalProperties', toOpenApi(Object.values(value as Record<string, object>)[0] ?? {})];
    case 'examples':
      return ['example', (value as unknown[])[0]];
    default:
      if (SAME.includes(keyword)) return [keyword, value];
      throw new Error(`The schema keyword "${keyword}" has no translation for the OpenAPI document yet`);
  }
}

function ofSeveralTypes(types: string[], rest: Json): Json {
  const ofNone = Object.entries(rest).filter(([keyword]) => !Object.values(OF_TYPE).flat().includes(keyword));
  const choices = types.map((type) => {
    if (type === 'null') return { type };
    const own = Object.entries(rest).filter(([keyword]) => OF_TYPE[type]?.includes(keyword));
    return { type, ...Object.fromEntries(own) };
  });
  return ofChoices('oneOf', choices, Object.fromEntries(ofNone));
}

const isNull = (choice: object): boolean => 'type' in choice && choice.type === 'null';

/** A `null` choice makes the other choices `nullable`. */
function ofChoices(keyword: 'anyOf' | 'oneOf', choices: object[], { nullable, ...rest }: Json): Json {
  const others = choices.filter((choice) => !isNull(choice));
  const orNull = nullable === true || others.length < choices.length;
  const [only] = others;
  if (only && others.length === 1) return toOpenApi({ ...only, ...rest, ...(orNull && { nullable: true }) });
  const inner = others.map((choice) => toOpenApi(orNull ? { ...choice, nullable: true } : choice));
  return { ...toOpenApi(rest), [keyword]: inner };
}

/** An enum that contains `null` needs a nullable type. */
function withNullableEnum(schema: Json): Json {
  if (!Array.isArray(schema.enum)) return schema;
  const words = schema.enum as unknown[];
  const type = schema.type ?? typeof words.find((word) => word !== null);
  const orNull = schema.nullable === true || words.includes(null);
  const values = orNull ? [...words.filter((word) => word !== null), null] : words;
  return { ...schema, type, enum: values, ...(orNull && { nullable: true }) };
}
