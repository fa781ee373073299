/**
 * All refusals of the simulated Graph API, with HTTP status, codes and the platform's own texts.
 * Sources: https://developers.facebook.com/docs/graph-api/guides/error-handling,
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes, and public
 * bug reports that quote real answers.
 */
import { randomBytes } from 'node:crypto';
import { type TemplateIssue } from '../../templates/rules/report';
import { type Fact } from '../../wording/facts';
import { say } from '../../wording/say';

/** The body of every error answer is `{error: …}`. */
export interface GraphError {
  message: string;
  type: 'OAuthException' | 'GraphMethodException';
  code: number;
  error_subcode?: number;
  is_transient?: boolean;
  error_user_title?: string;
  error_user_msg?: string;
  error_data?: { messaging_product: 'whatsapp'; details: string };
  fbtrace_id: string;
}

/** Thrown during validation; the server converts it to the answer. */
export class GraphRefusal extends Error {
  readonly error: GraphError;

  constructor(
    readonly httpStatus: number,
    error: Omit<GraphError, 'type' | 'fbtrace_id'> & Partial<Pick<GraphError, 'type'>>,
  ) {
    super(error.message);
    const { message, type = 'OAuthException', ...rest } = error;
    this.error = { message, type, ...rest, fbtrace_id: `A${randomBytes(16).toString('base64url')}` };
  }
}

/**
 * A refusal in the messaging API's format: "(#code) message", with an explanation in `error_data.details`.
 */
const refusal = (code: number, message: string, details?: string, httpStatus = 400): GraphRefusal =>
  new GraphRefusal(httpStatus, {
    message: `(#${code}) ${message}`,
    code,
    ...(details && { error_data: { messaging_product: 'whatsapp', details } }),
  });

export const tokenMissing = () =>
  new GraphRefusal(401, { message: 'An access token is required to request this resource', code: 104 });

export const tokenInvalid = () =>
  new GraphRefusal(401, { message: 'Invalid OAuth access token - Cannot parse access token', code: 190 });

export const tokenExpired = () =>
  new GraphRefusal(401, {
    message: 'Error validating access token: Session has expired',
    code: 190,
    error_subcode: 463,
  });

export const permissionMissing = (scope: string) =>
  refusal(200, `Requires ${scope} permission to manage the object`, undefined, 403);

/** https://developers.facebook.com/docs/graph-api/overview/rate-limiting */
export const tooManyCreations = () =>
  refusal(
    80008,
    'There have been too many calls to this WhatsApp Business account. Wait a bit and try again. For more info, please refer to https://developers.facebook.com/docs/graph-api/overview/rate-limiting.',
  );

/** Refuses a callback whose receiver did not pass the handshake. */
export const callbackNotVerified = (reason: string) =>
  refusal(2200, `Callback verification failed with the following errors: ${reason}`);

/** Like the platform, uses one refusal for a missing object and for an object that the token may not see. */
export const objectUnknown = (method: string, id: string) =>
  new GraphRefusal(400, {
    message:
      `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to ` +
      'missing permissions, or does not support this operation. Please read the Graph API documentation at ' +
      'https://developers.facebook.com/docs/graph-api',
    type: 'GraphMethodException',
    code: 100,
    error_subcode: 33,
  });

export const pathUnknown = (path: string) =>
  new GraphRefusal(400, { message: `Unknown path components: ${path}`, code: 2500 });

export const bodyTooLarge = () =>
  new GraphRefusal(413, { message: 'The request body is larger than this endpoint accepts', code: 100 });

export const unexpectedFailure = () =>
  new GraphRefusal(500, {
    message: 'An unexpected error occurred. Please retry your request',
    type: 'GraphMethodException',
    code: 2,
    is_transient: true,
  });

export const fieldUnknown = (field: string, node: string) =>
  refusal(100, `Tried accessing nonexisting field (${field}) on node type (${node})`);

/** @param parameter in the platform's format: `to`, `text['body']`, `template['language']['code']` */
export const parameterMissing = (parameter: string) =>
  refusal(100, `The parameter ${parameter} is required.`);

export const parameterNotObject = (parameter: string) =>
  refusal(100, `Param ${parameter} must be a JSON object.`);

export const parameterNotText = (parameter: string) => refusal(100, `Param ${parameter} must be a string.`);

export const parameterNotOneOf = (parameter: string, allowed: readonly string[], got: unknown) =>
  refusal(
    100,
    `Param ${parameter} must be one of {${allowed.join(', ').toUpperCase()}} - got ${JSON.stringify(got)}.`,
  );

export const parameterTooLong = (parameter: string, most: number) =>
  refusal(100, `Param ${parameter} must be at most ${most} characters long.`);

export const parameterInvalid = (details: string) => refusal(100, 'Invalid parameter', details);

export const insideMissing = (details: string) => refusal(131008, 'Required parameter is missing', details);

export const valueInvalid = (details: string) => refusal(131009, 'Parameter value is not valid', details);

export const templateUnknown = (name: string, language: string) =>
  refusal(
    132001,
    'Template name does not exist in the translation',
    `template name (${name}) does not exist in ${language}`,
    404,
  );

export const templateCount = (component: string, came: number, expected: number) =>
  refusal(
    132000,
    'Number of parameters does not match the expected number of params',
    `${component}: number of localizable_params (${came}) does not match the expected number of params (${expected})`,
  );

export const templateFormat = (component: string, expected: string, received: string) =>
  refusal(
    132012,
    'Parameter format does not match format in the created template',
    `${component}: Format mismatch, expected ${expected}, received ${received}`,
  );

export const templateTooLong = (component: string, length: number, most: number) =>
  refusal(
    132005,
    'Translated text too long',
    `${component}: Template Hydrated Text Too Long: ${length} characters, at most ${most}`,
  );

export const templateValueInvalid = (component: string) =>
  refusal(
    132018,
    'There was an issue with the parameters in your template',
    `${component}: Param text cannot have new-line/tab characters or more than 4 consecutive spaces`,
  );

export const templatePaused = (name: string) =>
  refusal(132015, 'Template is Paused', `template name (${name}) is paused due to low quality`);

export const templateDisabled = (name: string) =>
  refusal(132016, 'Template is Disabled', `template name (${name}) is disabled due to low quality`);

/** Refuses to create, edit or delete a template. */
export const templateFault = (subcode: number | undefined, title: string | undefined, explained: string) =>
  new GraphRefusal(400, {
    message: 'Invalid parameter',
    code: 100,
    ...(subcode !== undefined && { error_subcode: subcode }),
    is_transient: false,
    ...(title !== undefined && { error_user_title: title }),
    error_user_msg: explained,
  });

/** The platform's title and sentence of a subcode, as its page of error codes and published answers have them. */
const TEMPLATE_FAULTS: Record<number, [title: string, sentence?: string]> = {
  2388019: [
    'Message Template Limit Exceeded',
    'You have exceeded the maximum number of message templates you can have for this WhatsApp business account.',
  ],
  2388023: ['Message template language is being deleted'],
  2388024: ['Content in This Language Already Exists'],
  2388039: [
    "Message template status can't be changed",
    "The status for this message template can't be changed. You can only delete or add templates.",
  ],
  2388040: ['Character Limit Exceeded'],
  2388042: ['Message template "components" param contains unexpected field(s)'],
  2388043: ['Message template "components" param is missing expected field(s)'],
  2388046: [
    'Name Format is Incorrect',
    'The message template name can only have lowercase letters and underscores.',
  ],
  2388047: ['Message header format is incorrect'],
  2388060: [
    'Button format is incorrect',
    "Buttons can't have any variables, newlines, emojis or formatting characters.",
  ],
  2388072: ['Message body format is incorrect'],
  2388073: ['Message footer format is incorrect'],
  2388299: [
    'Leading or trailing parameters not allowed',
    "Variables can't be at the start or end of the template.",
  ],
};

/** Refuses a template that breaks a rule. */
export function templateRefused({ rule, path, subcode, values }: TemplateIssue): GraphRefusal {
  if (rule === 'field.missing') return parameterMissing(path);
  if (rule === 'value.unknown') return parameterNotOneOf(path, values.possible, values.given);
  const [title, sentence] = TEMPLATE_FAULTS[subcode ?? 0] ?? [];
  const said =
    rule === 'name.taken'
      ? `There is already ${values.language} content for this template. You can create a new template and try again.`
      : (sentence ?? say('en', { word: `template.${rule}`, values } as Fact));
  return templateFault(subcode, title, said);
}

export const fileTypeNotOneOf = (allowed: readonly string[], got: string) =>
  refusal(
    100,
    `Param file must be a file with one of the following types: ${allowed.join(', ')}. Received file of type '${got}'.`,
  );

export const mediaIdUnknown = (type: string) =>
  refusal(100, `Param ${type}['id'] is not a valid whatsapp business account media attachment ID`);

/** The refusal for a media URL that expired or was never issued. */
export const mediaLinkExpired = () =>
  new GraphRefusal(404, { message: 'URL signature expired', type: 'GraphMethodException', code: 100 });
