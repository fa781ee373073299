import {
  Base,
  GroupBase,
  INTERACTIVE,
  MarkAsRead,
  MESSAGE_TYPES,
  OtherInteractive,
} from '../cloud-api/validate/message-request';
import { MEDIA, optional } from '../cloud-api/validate/shapes';
import { type Json } from '../cloud-api/json/json-value';
import { toOpenApi } from './schema';

/**
 * Makes names such as `TextMessage` from `text`, and `InteractiveCtaUrl` from `interactive` and `cta_url`.
 */
const named = (...words: string[]): string =>
  words
    .join('_')
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const interactiveName = (kind: string): string => named('interactive', kind);
const messageName = (type: string): string => named(type, 'message');

/** The schemas of interactive messages, by name. The `type` identifies the kind. */
const interactiveKinds = (): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(INTERACTIVE).map(([kind, schema]) => {
      const { properties, required, ...rest } = toOpenApi(schema);
      return [
        interactiveName(kind),
        {
          ...rest,
          required: [...new Set(['type', ...((required as string[] | undefined) ?? [])])],
          properties: { ...(properties as Json), type: { type: 'string', enum: [kind] } },
        },
      ];
    }),
  );

/** Interactive kinds that the gateway doesn't know. The platform validates them. */
function otherInteractive(): Json {
  const { properties, ...rest } = toOpenApi(OtherInteractive);
  const { type, ...others } = properties as Json;
  return {
    ...rest,
    properties: { type: { ...(type as Json), not: { enum: Object.keys(INTERACTIVE) } }, ...others },
  };
}

/** The recipient of a message: a phone number, an identity from the platform, or a group. */
function messageBase(): Json {
  const { properties, ...rest } = toOpenApi(Base);
  const { to, recipient_type: recipientType, ...others } = properties as Json;
  const { to: groupId } = toOpenApi(GroupBase).properties as Json;
  const { description: ofNumber, ...number } = to as Json;
  const { description: ofGroup, ...group } = groupId as Json;
  return {
    ...rest,
    properties: {
      ...others,
      to: { type: 'string', nullable: true, description: `${ofNumber as string} ${ofGroup as string}` },
      recipient_type: recipientType,
    },
    anyOf: [
      { required: ['to'], properties: { to: number } },
      { required: ['recipient'], properties: { recipient: {} } },
      {
        required: ['to', 'recipient_type'],
        properties: { to: group, recipient_type: { type: 'string', enum: ['group'] } },
      },
    ],
  };
}

/** A message of one type: the fields of every message, and the object named after its type. */
function ofType(type: string, part: object): Json {
  const shown = type === 'interactive' ? ref('Interactive') : toOpenApi(part);
  return {
    allOf: [ref('MessageBase')],
    type: 'object',
    required: ['type', type],
    properties: { type: { type: 'string', enum: [type] }, [type]: shown },
  };
}

/** Schemas that several messages share, by name. */
const SHARED_PARTS: Record<string, Json> = {
  InteractiveHeader: toOpenApi(INTERACTIVE.button.properties.header),
  InteractiveBody: toOpenApi(INTERACTIVE.button.properties.body),
  InteractiveFooter: toOpenApi(INTERACTIVE.button.properties.footer),
  CaptionedFile: toOpenApi(optional(MEDIA.image)),
  DocumentFile: toOpenApi(optional(MEDIA.document)),
  MediaId: toOpenApi(MEDIA.sticker.properties.id),
  MediaLink: toOpenApi(MEDIA.sticker.properties.link),
};
const SHARED_NAMES = new Map(
  Object.entries(SHARED_PARTS).map(([name, part]) => [JSON.stringify(part), name]),
);

/** Replaces shared parts in a schema by references. */
function withReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = SHARED_NAMES.get(JSON.stringify(schema));
  return name === undefined ? withReferencesInside(schema) : ref(name);
}

const withReferencesInside = (schema: object): Json =>
  Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value)]));

/**
 * The body of a send, built from the schemas that validate it. `type` is the discriminator of messages. "Mark
 * as read" has no `type`, so it is an alternative to `Message`, one level up.
 */
export function messageBodySchemas(): Record<string, Json> {
  const types = Object.entries(MESSAGE_TYPES);
  const mapping = Object.fromEntries(
    types.map(([type]) => [type, `#/components/schemas/${messageName(type)}`]),
  );
  const schemas = {
    SendRequest: { oneOf: [ref('Message'), ref('MarkAsRead')] },
    Message: {
      oneOf: types.map(([type]) => ref(messageName(type))),
      discriminator: { propertyName: 'type', mapping },
    },
    MessageBase: messageBase(),
    MarkAsRead: { ...toOpenApi(MarkAsRead), not: { required: ['type'], properties: { type: {} } } },
    ...Object.fromEntries(types.map(([type, part]) => [messageName(type), ofType(type, part)])),
    Interactive: { oneOf: [...Object.keys(INTERACTIVE).map(interactiveName), 'InteractiveOther'].map(ref) },
    ...interactiveKinds(),
    InteractiveOther: otherInteractive(),
    ...SHARED_PARTS,
  };
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withReferencesInside(schema)]),
  );
}
