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

/** `TextMessage` of `text`, `InteractiveCtaUrl` of `interactive`, `cta_url`. */
const named = (...words: string[]): string =>
  words
    .join('_')
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const interactiveName = (kind: string): string => named('interactive', kind);
const messageName = (type: string): string => named(type, 'message');

/** One kind of interactive message, identified by its `type`. */
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

/** What the gateway does not know more of: judged by the platform. */
function otherInteractive(): Json {
  const { properties, ...rest } = toOpenApi(OtherInteractive);
  const { type, ...others } = properties as Json;
  return {
    ...rest,
    properties: { type: { ...(type as Json), not: { enum: Object.keys(INTERACTIVE) } }, ...others },
  };
}

/** Whom a message goes to: a phone number, an identity that the platform gave, or a group. */
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

/** A message of one type: the fields of every message, and the part under the type's own name. */
function ofType(type: string, part: object): Json {
  const shown = type === 'interactive' ? ref('Interactive') : toOpenApi(part);
  return {
    allOf: [ref('MessageBase')],
    type: 'object',
    required: ['type', type],
    properties: { type: { type: 'string', enum: [type] }, [type]: shown },
  };
}

/** Parts of several messages, by the name of their shared schema. */
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

/** The same schema, which refers to the shared parts in it. */
function withReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = SHARED_NAMES.get(JSON.stringify(schema));
  return name === undefined ? withReferencesInside(schema) : ref(name);
}

const withReferencesInside = (schema: object): Json =>
  Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value)]));

/**
 * The body of a send, from the schemas that validate it. A message is one of several by its `type`, which is
 * the discriminator. "Mark as read" has no `type`, so it is beside all messages, one level up, and says that
 * it has none.
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
