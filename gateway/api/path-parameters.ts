/** An object id of the platform. Other values are an unknown path. */
const DIGITS = '^\\d{1,32}$';
/** An id of the gateway. */
const ID = '^[1-9]\\d{0,8}$';
/** An id with any characters, including slashes. */
const ANYTHING = '^.+$';

export interface PathParameter {
  description: string;
  example: string;
  /** If the value does not match, the path is unknown. */
  pattern?: string;
}

/** The parameters in the paths of operations. */
export const PATH_PARAMETERS: Record<string, PathParameter> = {
  tid: {
    description: "Your line: the platform's phone number id, or the line's number in the gateway.",
    example: '109351478203615',
  },
  id: { description: 'The id from the answer to the request that added it.', example: '1' },
  message_id: {
    description:
      'The `chat_message_id` of the answer to the send, URL-encoded: it may contain `/`, `+` and `=`.',
    example: 'wamid.HBgLMTIwMjU1NTAxNDcVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
    pattern: ANYTHING,
  },
  question_id: {
    description: 'The id of the question, from the answer to the request that asked it.',
    example: 'qst_0Zq4vN1tYb8mXr3sKc7dLw',
    pattern: '^qst_[\\w-]{1,60}$',
  },
  contact: {
    description:
      'The phone number of the contact with country code, as in `to`, or the platform’s id of the contact.',
    example: '12025550147',
    pattern: ANYTHING,
  },
  media_id: {
    description: 'The id of a file, from its upload or from an event.',
    example: '4490709327384033',
    pattern: DIGITS,
  },
  object_id: {
    description: 'The id of a file; or of your line, or of the business account that it belongs to.',
    example: '4490709327384033',
    pattern: DIGITS,
  },
  app_id: {
    description: '`app`, or the id of an app.',
    example: 'app',
    pattern: '^\\w{1,32}$',
  },
  upload_id: {
    description: 'What follows `upload:` in the id of an upload.',
    example: 'v1.Zm9v.YmFy',
    pattern: '^[\\w.-]+$',
  },
  code: {
    description: 'The code, from its link.',
    example: '4O4YGZEG3RIVE1',
    pattern: '^[A-Za-z0-9]{1,40}$',
  },
  template_id: {
    description: 'The id of a template.',
    example: '594425479261596',
    pattern: DIGITS,
  },
  customer_id: {
    description: 'The id of a customer.',
    example: '1',
    pattern: ID,
  },
  line_id: {
    description: 'The id of a line.',
    example: '1',
    pattern: ID,
  },
  token_id: {
    description: 'The id of a token of a line.',
    example: '1',
    pattern: ID,
  },
  destination_id: {
    description: 'The id of a destination.',
    example: '1',
    pattern: ID,
  },
  admin_token_id: {
    description: 'The id of an admin token.',
    example: '1',
    pattern: ID,
  },
  external_id: {
    description: 'The id of the customer in your own systems, URL-encoded.',
    example: 'crm-4711',
    pattern: '^.{1,80}$',
  },
  rate_card_id: {
    description: 'The id of a rate card.',
    example: '1',
    pattern: ID,
  },
  channel_id: {
    description: 'The id of an alert channel.',
    example: '1',
    pattern: ID,
  },
  condition: {
    description: 'The condition of an alert rule, such as `destination_failing`.',
    example: 'destination_failing',
    pattern: '^\\w{1,40}$',
  },
  draft_id: {
    description: 'The id of a template draft.',
    example: '1',
    pattern: ID,
  },
  mute_id: {
    description: 'The id of a mute.',
    example: '1',
    pattern: ID,
  },
  user_id: {
    description: 'The id of a user.',
    example: '1',
    pattern: ID,
  },
  membership: {
    description: 'The id of a customer, or `all` for the role in all customers.',
    example: '1',
    pattern: '^all$|^[1-9]\\d{0,8}$',
  },
  session_id: {
    description: 'The id of a session.',
    example: '9f86d081884c7d65',
    pattern: '^\\w{1,32}$',
  },
  invitation_id: {
    description: 'The id of an invitation.',
    example: '1',
    pattern: ID,
  },
  account_id: {
    description: 'The id of the business account that your line belongs to, or of the line itself.',
    example: '102290129340398',
    pattern: DIGITS,
  },
};

/** The names in braces, in order. */
export const parameterNames = (path: string): string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

/** The path in the router's syntax. */
export const routedPath = (path: string): string =>
  path.replaceAll(':', '::').replace(/\{(\w+)\}/g, (_, name: string) => {
    const pattern = PATH_PARAMETERS[name]?.pattern;
    return `:${name}${pattern ? `(${pattern})` : ''}`;
  });
