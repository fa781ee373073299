/**
 * The errors that the platform documents for messages, as an immediate answer and as a later `failed` status.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes
 * The page no longer shows HTTP statuses and titles; these are from its earlier version. For 2, 4 and 80007,
 * they are from real answers. For newer errors (130403, 131030, 131037, 131049, 131050, 131062 to 131064,
 * 134011) neither is published: the statuses 400 and 403 follow similar errors, and the titles come from
 * public reports.
 */
import { type GraphError, GraphRefusal } from './errors';
import { type JsonObject } from './json';

export interface DocumentedError {
  code: number;
  httpStatus: number;
  title: string;
  details: string;
  /** Differences of the immediate answer from the error in a status. */
  answer?: Partial<Pick<GraphError, 'message' | 'type' | 'error_subcode' | 'is_transient'>>;
}

const HREF = 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes';

/** [code, title, details, HTTP status (default 400)] */
type Row = readonly [number, string, string, number?];

const PERMISSION = 'Permission is either not granted or has been removed.';
const POLICY =
  'The WhatsApp Business Account associated with the app has been restricted or disabled for violating a platform policy.';

const ROWS: readonly Row[] = [
  [0, 'AuthException', 'We were unable to authenticate the app user.', 401],
  [1, 'API Unknown', 'Invalid request or possible server error.'],
  [2, 'API Service', 'Temporary due to downtime or due to being overloaded.', 500],
  [3, 'API Method', 'Capability or permissions issue.', 500],
  [4, 'API Too Many Calls', 'The app has reached its API call rate limit.', 429],
  [10, 'Permission Denied', PERMISSION, 403],
  [33, 'Parameter value is not valid', 'The business phone number has been deleted.'],
  [100, 'Invalid parameter', 'The request included one or more unsupported or misspelled parameters.'],
  [190, 'Access token has expired', 'Your access token has expired.', 401],
  [200, 'API Permission', PERMISSION, 403],
  [368, 'Temporarily blocked for policies violations', POLICY, 403],
  [80007, 'Rate limit issues', 'The WhatsApp Business Account has reached its rate limit.', 429],
  [
    130403,
    'Message failed to send',
    'Unable to deliver the message. This business has blocked the end user on WhatsApp',
  ],
  [130429, 'Rate limit hit', 'Cloud API message throughput has been reached.'],
  [
    130472,
    "User's number is part of an experiment",
    "Failed to send message because this user's phone number is part of an experiment",
  ],
  [
    130497,
    'Business account is restricted from messaging users in this country.',
    'The WhatsApp Business Account is restricted from messaging to users in certain countries.',
    403,
  ],
  [131000, 'Something went wrong', 'Message failed to send due to an unknown error.', 500],
  [131005, 'Access denied', PERMISSION, 403],
  [131008, 'Required parameter is missing', 'The request is missing a required parameter.'],
  [131009, 'Parameter value is not valid', 'One or more parameter values are invalid.'],
  [131016, 'Service unavailable', 'A service is temporarily unavailable.', 500],
  [131021, 'Recipient cannot be sender', 'Sender and recipient phone number is the same.'],
  [131026, 'Message undeliverable', 'Message Undeliverable.'],
  [131030, 'Recipient phone number not in allowed list', 'Recipient phone number not in allowed list'],
  [131031, 'Account has been locked', POLICY, 403],
  [
    131037,
    'WhatsApp provided number needs display name approval before message can be sent.',
    'The 555 business phone number used to send the request does not have an approved display name.',
  ],
  [
    131042,
    'Business eligibility payment issue',
    'Message failed to send because there were one or more errors related to your payment method.',
  ],
  [131045, 'Incorrect certificate', 'Message failed to send due to a phone number registration error.', 500],
  [
    131047,
    'Re-engagement message',
    'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  ],
  [
    131048,
    'Spam rate limit hit',
    'Message failed to send because there are restrictions on how many messages can be sent from this phone number. ' +
      'This may be because too many previous messages were blocked or flagged as spam.',
  ],
  [
    131049,
    'This message was not delivered to maintain healthy ecosystem engagement.',
    'In order to maintain a healthy ecosystem engagement, the message failed to be delivered.',
  ],
  [
    131050,
    'User has stopped receiving marketing messages',
    'Unable to deliver the message. This recipient has chosen to stop receiving marketing messages on WhatsApp from ' +
      'your business.',
  ],
  [131051, 'Unsupported message type', 'Unsupported message type.'],
  [131052, 'Media download error', 'Unable to download the media sent by the user.'],
  [
    131053,
    'Media upload error',
    'Unsupported Video mime type text/html. Please use one of video/3gpp, video/mp4.',
  ],
  [
    131056,
    '(Business Account, Consumer Account) pair rate limit hit',
    'Too many messages sent from the sender phone number to the same recipient phone number in a short period of time.',
  ],
  [131057, 'Account in maintenance mode', 'Business Account is in maintenance mode', 500],
  [
    131062,
    'Business-scoped User ID recipients are not supported',
    'Business-scoped User ID (BSUID) recipients are not supported for this message.',
  ],
  [
    131063,
    'Marketing templates are disabled for Cloud API',
    'Your template is categorized as Marketing, but marketing templates are currently disabled for your Cloud API ' +
      'configuration.',
  ],
  [
    131064,
    'Messaging limit reached',
    'Message failed to send because this account has reached its messaging limit due to template classification ' +
      'violations.',
  ],
  [
    132000,
    'Number of parameters does not match the expected number of params',
    'The number of variable parameter values included in the request did not match the number of variable parameters ' +
      'defined in the template.',
  ],
  [
    132001,
    'Template name does not exist in the translation',
    'The template does not exist in the specified language or the template has not been approved.',
    404,
  ],
  [132005, 'Translated text too long', 'Translated text is too long.'],
  [132007, 'Template format character policy violated', 'Template content violates a WhatsApp policy.'],
  [
    132012,
    'Parameter format does not match format in the created template',
    'Variable parameter values formatted incorrectly.',
  ],
  [
    132015,
    'Template is Paused',
    'Template is paused due to low quality so it cannot be sent in a template message.',
  ],
  [
    132016,
    'Template is Disabled',
    'Template has been paused too many times due to low quality and is now permanently disabled.',
  ],
  [132068, 'Flow is blocked', 'Flow is in blocked state.'],
  [
    132069,
    'Flow is throttled',
    'Flow is in throttled state and 10 messages using this flow were already sent in the last hour.',
  ],
  [133000, 'Incomplete deregistration', 'A previous deregistration attempt failed.', 500],
  [133004, 'Server temporarily unavailable', 'Server is temporarily unavailable.', 503],
  [133005, 'Two step verification PIN mismatch', 'Two-step verification PIN incorrect.'],
  [133006, 'Phone number re-verification needed', 'Phone number needs to be verified before registering.'],
  [
    133008,
    'Too many two step verification PIN guesses',
    'Too many two-step verification PIN guesses for this phone number.',
  ],
  [
    133009,
    'Two step verification PIN guessed too fast',
    'Two-step verification PIN was entered too quickly.',
  ],
  [133010, 'Phone number not registered', 'Phone number not registered on the WhatsApp Business Platform.'],
  [
    133015,
    'Please wait a few minutes before attempting to register this phone number',
    'The phone number you are attempting to register was recently deleted, and deletion has not yet completed.',
  ],
  [
    133016,
    'Account register deregister rate limit exceeded',
    'Registration or Deregistration failed because there were too many attempts for this phone number in a short ' +
      'period of time',
  ],
  [
    134011,
    'WhatsApp Payments terms of service has not been accepted',
    'Message failed to send because WhatsApp Payments terms of service acceptance is pending for this WhatsApp ' +
      'Business Account.',
    403,
  ],
  [
    135000,
    'Generic user error',
    'Message failed to send because of an unknown error with your request parameters.',
  ],
];

const ANSWERS: Record<number, DocumentedError['answer']> = {
  2: {
    message: 'An unexpected error occurred. Please retry your request',
    type: 'GraphMethodException',
    is_transient: true,
  },
  4: { message: 'Application request limit reached', error_subcode: 2446079, is_transient: true },
  190: { message: 'Error validating access token: Session has expired', error_subcode: 463 },
  200: {
    message: 'Requires whatsapp_business_messaging or whatsapp_business_management permission',
    error_subcode: 1349176,
  },
  80007: {
    message: 'Business request limit reached for WhatsApp Business Account',
    error_subcode: 2446079,
    is_transient: true,
  },
};

export const DOCUMENTED_ERRORS: readonly DocumentedError[] = ROWS.map(
  ([code, title, details, httpStatus = 400]) => ({ code, httpStatus, title, details, answer: ANSWERS[code] }),
);

export const documentedError = (code: number): DocumentedError | undefined =>
  DOCUMENTED_ERRORS.find((each) => each.code === code);

/** Returns the error as a refusal of a request. */
export function refusalOf(code: number): GraphRefusal {
  const error = documentedError(code);
  if (!error) throw new Error(`The code ${code} is not documented`);
  const { httpStatus, title, details, answer } = error;
  if (answer?.message !== undefined)
    return new GraphRefusal(httpStatus, { code, ...answer, message: answer.message });
  return new GraphRefusal(httpStatus, {
    message: `(#${code}) ${title}`,
    code,
    error_data: { messaging_product: 'whatsapp', details },
  });
}

/** Returns the `errors` of a `failed` status. */
export const statusErrors = ({ code, title, details }: DocumentedError): JsonObject => ({
  errors: [{ code, title, message: title, error_data: { details }, href: HREF }],
});
