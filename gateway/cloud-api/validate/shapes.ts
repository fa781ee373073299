import * as Type from 'typebox';
import { type Static, type TSchema } from 'typebox';

/**
 * Building blocks for schemas of message bodies. They never change a value, so valid bodies are sent
 * unchanged. They use only features of OpenAPI 3.0.3 (one `type` each, `nullable`, no `const`), because the
 * API description is generated from them. Lengths are in code points.
 */

/** A field that can be omitted or null; many clients send null. */
export const optional = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, nullable: true }));

/** An object; unknown fields are allowed at every level. */
export const object = <T extends Record<string, TSchema>>(
  properties: T,
  about: { description?: string } = {},
) => Type.Object(properties, about);

/** A string that must not be empty. */
export const text = (maxLength?: number, description?: string) =>
  Type.String({ minLength: 1, ...(maxLength && { maxLength }), ...(description && { description }) });

/** A string that can be empty. */
export const anyText = (description?: string, maxLength?: number) =>
  Type.String({ ...(maxLength && { maxLength }), ...(description && { description }) });

/** A value that matches one of the schemas. If none matches, the closest one reports its issues. */
export const either = <T>(...anyOf: Record<string, unknown>[]) => Type.Unsafe<T>({ anyOf });

/** A URL that the platform or the contact's browser opens. */
export const webAddress = (description: string) =>
  Type.String({ pattern: '^[hH][tT][tT][pP][sS]?://[^\\s/?#][^\\s]*$', description });

/** A file: exactly one of `id` and `link`. */
const media = <T extends Record<string, TSchema>>(more: T) =>
  object({
    id: optional(text(undefined, 'Id of an uploaded file. Either this or "link".')),
    link: optional(
      webAddress('Public web address from which the platform fetches the file. Either this or "id".'),
    ),
    ...more,
  });

const caption = optional(anyText('Text under the file.', 1024));

export const MEDIA = {
  image: media({ caption }),
  video: media({ caption }),
  audio: media({ voice: optional(Type.Boolean({ description: 'Shown as a voice message.' })) }),
  document: media({ caption, filename: optional(anyText('File name that the recipient sees.')) }),
  sticker: media({}),
};

/** A number, or a number as text; clients send both. */
const coordinate = (limit: number, description: string) => ({
  ...either<number | string>(
    { type: 'number', minimum: -limit, maximum: limit },
    { type: 'string', pattern: '^[-+]?(\\d+(\\.\\d*)?|\\.\\d+)$' },
  ),
  description,
});

export const Location = object({
  latitude: coordinate(90, 'Degrees from -90 to 90.'),
  longitude: coordinate(180, 'Degrees from -180 to 180.'),
  name: optional(anyText('Name of the place.')),
  address: optional(anyText('Address of the place.')),
});
