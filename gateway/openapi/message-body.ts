import {
  Base,
  INTERACTIVE,
  MarkAsRead,
  MESSAGE_TYPES,
  OtherInteractive,
} from '../cloud-api/validate/message-request';
import { toOpenApi, type Json } from './schema';

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

/** One kind of interactive message, told from the others by its `type`. */
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

/** A message of one type: the base fields, and the part under the type's own name. */
function ofType(type: string, part: object): Json {
  const { properties, required, ...rest } = toOpenApi(Base);
  const shown = type === 'interactive' ? ref('Interactive') : toOpenApi(part);
  return {
    ...rest,
    required: [...new Set([...(required as string[]), type])],
    // Whom it goes to: a phone number, or an identity that the platform gave.
    anyOf: [{ required: ['to'] }, { required: ['recipient'] }],
    properties: { ...(properties as Json), type: { type: 'string', enum: [type] }, [type]: shown },
  };
}

/**
 * The body of a send, made of the schemas that judge it. A message is one of several by its `type`, which is what the
 * discriminator goes by; marking as read has no `type`, so it stands beside all messages together, one level up, and
 * says that it has none.
 */
export function messageBodySchemas(): Record<string, Json> {
  const types = Object.entries(MESSAGE_TYPES);
  const mapping = Object.fromEntries(
    types.map(([type]) => [type, `#/components/schemas/${messageName(type)}`]),
  );
  return {
    SendRequest: { oneOf: [ref('Message'), ref('MarkAsRead')] },
    Message: {
      oneOf: types.map(([type]) => ref(messageName(type))),
      discriminator: { propertyName: 'type', mapping },
    },
    MarkAsRead: { ...toOpenApi(MarkAsRead), not: { required: ['type'] } },
    ...Object.fromEntries(types.map(([type, part]) => [messageName(type), ofType(type, part)])),
    Interactive: { oneOf: [...Object.keys(INTERACTIVE).map(interactiveName), 'InteractiveOther'].map(ref) },
    ...interactiveKinds(),
    InteractiveOther: otherInteractive(),
  };
}
