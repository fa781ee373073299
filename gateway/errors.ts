import { fact, sentence, type Sayable } from './wording/facts';
import { say } from './wording/say';

/**
 * Every refusal of the gateway: HTTP status, stable `error_code`, the platform's integer code (which its SDKs
 * parse), and a sentence that says what to do. Errors of the platform keep the platform's own error object;
 * see `cloud-api/failures.ts`.
 */

/**
 * An issue in a request body. `path` looks like `interactive.action.buttons[2].reply.title`; empty for the
 * whole body.
 */
export interface ValidationIssue {
  path: string;
  /** The broken rule: `required`, `maxLength`, `type`, … */
  rule: string;
  message: string;
  /** The message as a fact, so that it can be translated. */
  fact?: Exclude<Sayable, string>;
  /** The platform's integer code for this kind of issue. */
  code: number;
}

/** The platform's error object, in the shape that its clients parse. */
export interface ErrorObject {
  message: string;
  type: string;
  code: number;
  error_subcode?: number;
  error_data?: {
    messaging_product?: string;
    details: string;
    /** What to do, as a sentence; omitted if `details` says everything. */
    action?: string;
    fields?: Pick<ValidationIssue, 'path' | 'rule' | 'message'>[];
  };
  fbtrace_id?: string;
}

/** Failures that may be an attack. `too_many`: too many wrong tokens, so this token was not checked. */
export const SUSPICIONS = [
  'missing_token',
  'wrong_token',
  'too_many',
  'wrong_signature',
  'wrong_verify_token',
] as const;
export type Suspicion = (typeof SUSPICIONS)[number];

/** A refused request. Functions throw it, and the server turns it into the error body. */
export class Refusal extends Error {
  /** In seconds; sent as `Retry-After`. */
  retryAfter?: number;
  /** If set, the request may be an attack and is logged and counted under this word. */
  suspicion?: Suspicion;
  /** `unknown`: the platform received the request, and its result is not known. */
  outcome?: 'unknown';
  /** The platform's error object as received, if `error` has additions. */
  platformsOwn?: string;
  /** All invalid fields of the request. */
  issues?: readonly ValidationIssue[];
  /** The content of `error` in translatable form; undefined if the platform wrote the error. */
  said?: { title: string; happened: Sayable; action: Sayable | undefined };

  constructor(
    readonly status: number,
    readonly errorCode: string,
    /** The error object, or the platform's error object as received, byte for byte. */
    readonly error: ErrorObject | { verbatim: string },
  ) {
    super('message' in error ? error.message : errorCode);
    this.name = 'Refusal';
  }

  /** Copies the refusal with another HTTP status. */
  as(status: number): Refusal {
    return Object.assign(new Refusal(status, this.errorCode, this.error), { said: this.said });
  }
}

/**
 * The shared part of several refusals: HTTP status, `error_code`, the platform's integer code, and the title.
 */
type Kind = [status: number, errorCode: string, code: number, title: string];

/** Makes a refusal. `happened` and `action` together become `details`. */
export function refuse(
  [status, errorCode, code, title]: Kind,
  happened: Sayable,
  action?: Sayable,
  more: Partial<Pick<Refusal, 'retryAfter' | 'suspicion' | 'outcome'>> = {},
): Refusal {
  const details = [happened, action].flatMap((one) => (one === undefined ? [] : say('en', one)));
  const error: ErrorObject = {
    message: `(#${code}) ${title}`,
    type: 'OAuthException',
    code,
    error_data: {
      messaging_product: 'whatsapp',
      details: details.join(' '),
      ...(action !== undefined && { action: details[1] }),
    },
  };
  return Object.assign(new Refusal(status, errorCode, error), { said: { title, happened, action }, ...more });
}

/** Makes a function for a refusal without parameters. */
const refusal =
  (...row: Parameters<typeof refuse>) =>
  (): Refusal =>
    refuse(...row);

/** Kinds that several refusals share. */
const INVALID_TOKEN: Kind = [401, 'invalid_token', 190, 'Invalid access token'];
const RATE_LIMITED: Kind = [429, 'rate_limited', 130429, 'Rate limit hit'];
const TOO_MANY_REGISTRATIONS: Kind = [409, 'too_many_registrations', 100, 'Too many registrations'];
const UNSUPPORTED_TYPE: Kind = [415, 'unsupported_media_type', 100, 'Unsupported content type'];

export const missingToken = refusal(
  [401, 'missing_token', 190, 'Access token missing'],
  'The request came without a line token.',
  'Send the line token in the header "Authorization: Bearer gwl_…".',
  { suspicion: 'missing_token' },
);

/**
 * An unknown line, a wrong token and another line's token get the same answer, so that a caller learns
 * nothing.
 */
export const invalidToken = refusal(
  INVALID_TOKEN,
  'This token does not open this line: it is unknown, revoked, expired, or belongs to another line.',
  'Send the token of this line, which begins with "gwl_" (a token of the platform is none), or create a new one.',
  { suspicion: 'wrong_token' },
);

/** Detected by the token's checksum, without a look-up in the database. */
export const mistypedToken = refusal(
  INVALID_TOKEN,
  'This is not a complete token: a character is wrong or missing.',
  'Copy it again, from its first to its last character.',
  { suspicion: 'wrong_token' },
);

export const adminTokenMissing = refusal(
  [401, 'missing_token', 190, 'Access token missing'],
  'The request came without an admin token.',
  'Send the admin token in the header "Authorization: Bearer gwa_…".',
  { suspicion: 'missing_token' },
);

export const adminTokenInvalid = refusal(
  INVALID_TOKEN,
  'This is not a valid admin token: it is unknown, revoked or expired.',
  'Send a token that begins with "gwa_", or create a new one in the control panel (Admin tokens) or with "admin-token create".',
  { suspicion: 'wrong_token' },
);

/** @param has the permissions of the token */
export const permissionMissing = (needed: string, has: readonly string[]): Refusal =>
  refuse(
    [403, 'permission_missing', 10, 'Permission missing'],
    sentence('This needs the permission "{needed}". This token has: {has}.', {
      needed,
      has: has.join(', ') || '–',
    }),
    'Make a token with that permission, or use another one.',
  );

export const customerNotFound = refusal(
  [404, 'not_found', 100, 'Customer not found'],
  'There is no customer with that id.',
  'GET /v1/customers lists the customers that this token can see.',
);

export const rateCardNotFound = refusal(
  [404, 'not_found', 100, 'Rate card not found'],
  'There is no rate card with that id.',
  'List the rate cards to see their ids.',
);

/** For a token of several lines, if nothing in the request determines the line. */
export const lineNotNamed = refusal(
  [400, 'line_not_named', 100, 'The line is not named'],
  'The token reaches several lines, and the request names none of them.',
  'Add "phone_number_id" to the query, or use a token of the line.',
);

export const lineInactive = refusal(
  [403, 'line_inactive', 200, 'Line deactivated'],
  'This line is deactivated.',
  'Activate it again in the gateway.',
);

export const apiDisabled = refusal(
  [403, 'api_disabled', 200, 'API disabled for this line'],
  'The API of this line is switched off.',
  'Switch it on in the gateway.',
);

export const notPermitted = refusal(
  [403, 'not_permitted', 10, 'Your role does not allow this'],
  'Users can change only what their role covers, and only other users whose role is not above their own.',
  'Ask an owner of this gateway to do it.',
);

/** `notPermitted` for a program. */
export const tokenNotPermitted = refusal(
  [403, 'not_permitted', 10, 'Permission denied for this token'],
  'The token can change and give only what it may do itself, in its whole reach. What concerns the whole gateway needs a token that reaches everything.',
  'GET /v1/me shows what the token may do.',
);

export const adminTokenNotFound = refusal(
  [404, 'not_found', 100, 'Admin token not found'],
  'There is no such admin token.',
  'List the admin tokens to see their ids.',
);

export const userNotFound = refusal(
  [404, 'not_found', 100, 'User not found'],
  'There is no such user. It may have been removed.',
);

export const lastRole = refusal(
  [409, 'last_role', 100, 'Last role of the user'],
  'This is the only role of the user.',
  'Remove the user instead, or give another role first.',
);

export const lastOwner = refusal(
  [409, 'last_owner', 100, 'Last owner with a password'],
  'No other owner has a password, so nobody could manage the gateway after this change.',
  'Add another owner first, who chooses a password. If the password is lost, set a new one with "user reset NAME --password-file FILE".',
);

export const invitationNotFound = refusal(
  [404, 'not_found', 100, 'Invitation not found'],
  'There is no such invitation. It may have been accepted or revoked.',
);

export const invitationGone = refusal(
  [404, 'invitation_gone', 100, 'This invitation doesn’t work'],
  'It was accepted, renewed or revoked, is older than 72 hours, or the link is incomplete.',
  'Ask the person who invited you for another invitation.',
);

export const invitationVoid = refusal(
  [403, 'invitation_void', 10, 'This invitation no longer applies'],
  'The person who sent it may no longer give this role, or the customer no longer exists.',
  'Ask an owner of this gateway for another invitation.',
);

export const appRequired = refusal(
  [409, 'app_required', 100, 'Authenticator app required'],
  'The authenticator app can’t be switched off, because the gateway or a customer requires one.',
  'Set up the app on another phone instead: ask an owner to reset your password.',
);

/** @param lines, users the names of those that belong to the customer */
export function customerInUse(lines: readonly string[], users: readonly string[]): Refusal {
  const values = { lines: shortList(lines), users: shortList(users) };
  const ofOne = lines.length
    ? sentence('This customer still has lines: {lines}.', values)
    : sentence('This customer still has users: {users}.', values);
  const happened =
    lines.length && users.length
      ? sentence('This customer still has lines ({lines}) and users ({users}).', values)
      : ofOne;
  return refuse([409, 'customer_in_use', 100, 'Customer in use'], happened, 'Move or remove them first.');
}

/** The first ten names. */
const shortList = (names: readonly string[]): string =>
  names.length > 10 ? `${names.slice(0, 10).join(', ')}, …` : names.join(', ');

export const olderProcess = refusal(
  [409, 'older_process', 100, 'Older process running'],
  'A process of an earlier version is still running, which knows no customers and would show users everything.',
  'Upgrade or stop it, then try again.',
);

export const customerSuspended = refusal(
  [403, 'customer_suspended', 200, 'Customer suspended'],
  'The customer of this line is suspended.',
  'Ask the operator of the gateway.',
);

/** The answer to an admin token whose customers are all suspended. */
export const tokenSuspended = refusal(
  [403, 'customer_suspended', 200, 'Customer suspended'],
  'The customers of this token are suspended.',
  'Ask the operator of the gateway.',
);

/** The answer to the right password of a user whose customers are all suspended. */
export const accessSuspended = refusal(
  [403, 'customer_suspended', 200, 'Customer suspended'],
  'Your access is suspended.',
  'Ask the operator of the gateway.',
);

/** The answer to the right password of a user who is no owner, if only owners may use one. */
export const passwordLogInOff = refusal(
  [403, 'not_permitted', 10, 'Password log-in is off'],
  'Only owners can log in with a password here.',
  'Choose the provider of your company on the log-in page.',
);

/** @param provider its name on the log-in page */
export const providerUnavailable = (provider: string): Refusal =>
  refuse(
    [503, 'provider_unavailable', 2, 'Provider not available'],
    sentence('{provider} cannot be reached, or its settings in the gateway are wrong.', { provider }),
    'Try again in a moment, or log in with a password.',
    { retryAfter: 30 },
  );

/** @param provider as above */
export const providerAnswerRefused = (provider: string): Refusal =>
  refuse(
    [403, 'not_permitted', 10, 'Log-in not completed'],
    sentence('The log-in at {provider} was not completed, took too long, or was used before.', { provider }),
    'Start again from the log-in page.',
  );

/** No user belongs to the person, or none of the person's groups gives access. @param provider as above */
export const personUnknown = (provider: string): Refusal =>
  refuse(
    [403, 'not_permitted', 10, 'No access'],
    sentence('You are logged in at {provider}, but have no access to this gateway.', { provider }),
    'Ask an owner of this gateway for access.',
  );

/** One person is one user. @param provider as above */
export const personLinkedElsewhere = (provider: string): Refusal =>
  refuse(
    [409, 'already_linked', 100, 'Already linked'],
    sentence('This account at {provider} is already linked to a user.', { provider }),
    'Log in with another account there, or remove that link first.',
  );

/** @param provider as above */
export const userLinkedAlready = (provider: string): Refusal =>
  refuse(
    [409, 'already_linked', 100, 'Already linked'],
    sentence('You are already linked to an account at {provider}.', { provider }),
    'Remove that link first.',
  );

export const lastWayToLogIn = refusal(
  [409, 'last_log_in', 100, 'Last way to log in'],
  'This is your only way to log in.',
  'Ask an owner for a link to set a password first.',
);

export const externalIdTaken = (): Refusal =>
  invalidField('external_id', 'external_id', fact('external_id.taken', {}));

export const customerMissing = (): Refusal =>
  invalidField('customer', 'customer', fact('customer.missing', {}));

/** Also for a customer that the user may not see. */
export const customerUnknown = (): Refusal =>
  invalidField('customer', 'customer', fact('customer.unknown', {}));

/** For the management API. */
export const lineNotFound = refusal(
  [404, 'not_found', 100, 'Line not found'],
  'There is no line with that id.',
  'GET /v1/lines lists the lines that this token can see.',
);

export const tokenNotFound = refusal(
  [404, 'not_found', 100, 'Token not found'],
  'There is no valid token with that id.',
  'List the tokens of the line to see their ids.',
);

export const lineUnknown = (): Refusal => invalidField('line', 'line', fact('line_id.unknown', {}));

const SCOPE_MISSING: Kind = [403, 'scope_missing', 10, 'Permission denied for this token'];

/** @param has scopes of the token */
export const scopeMissing = (
  needed: string,
  has: readonly string[],
  kind: 'line' | 'admin' = 'line',
): Refusal => {
  if (kind === 'admin')
    return refuse(
      SCOPE_MISSING,
      `This needs the scope "${needed}", which this admin token does not have.`,
      `Use an admin token with that scope, or make one in the control panel (Admin tokens) or with "admin-token create --permissions ${[...has, needed].join(',')}".`,
    );
  return refuse(
    SCOPE_MISSING,
    `This needs the scope "${needed}", which this token does not have: it may do "${has.join('", "')}" only.`,
    `Use a token with that scope, or make one in the control panel (API) or with "token create --scopes ${[...has, needed].join(',')}".`,
  );
};

/** @param retryAfter seconds */
export const tooManyLogIns = (retryAfter: number): Refusal =>
  refuse(
    [429, 'too_many_log_ins', 4, 'Too many log-ins'],
    'There were too many wrong passwords or codes.',
    sentence('Try again in {wait}.', { wait: { minutes: Math.ceil(retryAfter / 60) } }),
    { retryAfter },
  );

/** @param rate messages per second @param retryAfter seconds */
export const lineRateExceeded = (rate: number, retryAfter: number): Refusal =>
  refuse(
    RATE_LIMITED,
    sentence('This line sends up to {rate} messages a second, and {burst} at once. Nothing was sent.', {
      rate,
      burst: 2 * rate,
    }),
    sentence(
      'Send it again in {wait}, and more slowly. The operator of the gateway can change this limit with GATEWAY_LINE_RATE.',
      { wait: { seconds: retryAfter } },
    ),
    { retryAfter },
  );

/** @param rate requests per minute @param retryAfter seconds */
export const tokenRateExceeded = (
  whose: 'line' | 'admin',
  of: 'changes' | 'reads',
  rate: number,
  retryAfter: number,
): Refusal =>
  refuse(
    RATE_LIMITED,
    sentence(
      whose === 'line'
        ? 'Beside sends, this line takes up to {rate} {of} a minute, and {burst} at once. Nothing was done.'
        : 'This token can make up to {rate} {of} a minute, and {burst} at once. Nothing was done.',
      { rate, of, burst: 2 * rate },
    ),
    sentence(
      'Try again in {wait}, and more slowly. The operator of the gateway can change this limit with GATEWAY_TOKEN_RATE.',
      { wait: { seconds: retryAfter } },
    ),
    { retryAfter },
  );

/** @param rate events per second @param retryAfter seconds */
export const tooManyEvents = (rate: number, retryAfter: number): Refusal =>
  refuse(
    RATE_LIMITED,
    sentence(
      'The callback of this line takes up to {rate} events a second, and one large notification at a time. Nothing of this one was kept.',
      { rate },
    ),
    sentence('Send it again in {wait}.', { wait: { seconds: retryAfter } }),
    { retryAfter },
  );

/** @param retryAfter seconds */
export const tooManyPlatformReads = (retryAfter: number): Refusal =>
  refuse(
    RATE_LIMITED,
    'This asks the platform for something that is not kept here, and the platform lets a business account ask only so often.',
    sentence('Try again in {wait}, or ask less often.', { wait: { seconds: retryAfter } }),
    { retryAfter },
  );

/** @param limit messages in one burst @param retryAfter seconds */
export const pairLimitExceeded = (contact: string, limit: number, retryAfter: number): Refusal =>
  refuse(
    [429, 'pair_rate_limited', 131056, '(Business Account, Consumer Account) pair rate limit hit'],
    sentence(
      'One contact gets up to {limit} messages at once from this line, then one every 6 seconds. Nothing was sent.',
      { limit },
    ),
    sentence(
      'Send to {contact} again in {wait}; other contacts need not wait. The operator of the gateway can change this limit with GATEWAY_PAIR_LIMIT.',
      { contact, wait: { seconds: retryAfter } },
    ),
    { retryAfter },
  );

/**
 * @param what the kind of requests, in words
 * @param retryAfter seconds
 */
export const tooManyAtOnce = (what: string, retryAfter: number): Refusal =>
  refuse(
    [429, 'rate_limited', 130429, 'Too many requests at the same time'],
    sentence(
      'This line has as many {what} in work and waiting as it may have at the same time. Nothing was done.',
      { what },
    ),
    sentence('Try again in {wait}, with fewer requests at the same time.', { wait: { seconds: retryAfter } }),
    { retryAfter },
  );

/** @param limit concurrent uploads and downloads @param retryAfter seconds */
export const tooManyTransfers = (limit: number, retryAfter: number): Refusal =>
  refuse(
    [429, 'rate_limited', 130429, 'Too many transfers at the same time'],
    sentence(
      'This line has {limit} uploads and downloads under way, which is as many as it may have at the same time. Nothing was transferred.',
      { limit },
    ),
    sentence('Wait until one of them has ended, or try again in {wait}.', { wait: { seconds: retryAfter } }),
    { retryAfter },
  );

/** @param perMinute failed requests per minute that are allowed @param retryAfter seconds */
export const tooManyWrongTokens = (perMinute: number, retryAfter: number): Refusal =>
  refuse(
    [429, 'rate_limited', 130429, 'Too many requests without the right token'],
    sentence('More than {perMinute} requests a minute came from this address without the right token.', {
      perMinute,
    }),
    sentence(
      'Correct the token first: the right one is let in at once; any other can be tried again in {wait}. The operator of the gateway can change this limit with GATEWAY_AUTH_FAILURE_RATE.',
      { wait: { seconds: retryAfter } },
    ),
    { suspicion: 'too_many', retryAfter },
  );

export const lineQualityLow = refusal(
  [403, 'line_quality_low', 131048, 'Line quality too low'],
  'The platform rates this line LOW, because recipients blocked or reported it. Nothing was sent.',
  'Wait until its rating has recovered, then send again.',
);

export const lineQualityUnrated = refusal(
  [403, 'line_quality_low', 131048, 'Line not rated yet'],
  'The platform has not rated this line yet, and it is set to "strict", which sends with HIGH or MEDIUM only.',
  'Set its quality check to "normal" to send before the first rating.',
);

export const invalidJson = (reason: string): Refusal =>
  refuse([400, 'invalid_json', 100, 'Invalid JSON'], `The body is not a JSON object: ${reason}`);

/** The request is not valid HTTP, or was not received completely. */
export const malformedRequest = (happened: string, action?: string): Refusal =>
  refuse([400, 'malformed_request', 100, 'Malformed request'], happened, action);

export const TOO_SLOW = 'The request took too long to arrive. Send it again.';

export const unsupportedMediaType = refusal(
  UNSUPPORTED_TYPE,
  'The body is not declared as JSON.',
  'Send the body as JSON with the header "Content-Type: application/json".',
);

/** 400 instead of 415: Graph clients send forms, and some (restfb) read only the error of a 400. */
export const formEncoded = refusal(
  [400, 'unsupported_media_type', 100, 'Unsupported content type'],
  'The body has form fields (application/x-www-form-urlencoded).',
  'Send the body as JSON with the header "Content-Type: application/json", and the token in the header "Authorization: Bearer …".',
);

export const payloadTooLarge = (limit: string): Refusal =>
  refuse(
    [413, 'payload_too_large', 100, 'Body too large'],
    sentence('The body is larger than {limit}.', { limit }),
    'Send less at once.',
  );

/** An upload that is not `multipart/form-data`. */
export const notMultipart = refusal(
  UNSUPPORTED_TYPE,
  'The body is not declared as a form with a file.',
  'Send the file as multipart/form-data with the parts messaging_product, type and file, and the boundary in the Content-Type header.',
);

export const fileTooLarge = (of: string, limit: string): Refusal =>
  refuse(
    [413, 'payload_too_large', 100, 'File too large'],
    sentence('The file is larger than {limit}, the limit for {of}.', { limit, of }),
    'Make it smaller, then upload it again.',
  );

/** An upload form that is cut off or cannot be parsed. */
export const formBroken = (what: string): Refusal =>
  malformedRequest(`${what} Nothing was uploaded.`, 'Send the form again.');

/** Most issues in `error_data.fields`. An invalid body may have thousands, and the answer must stay small. */
export const MAX_ISSUES = 20;

/** Reports all issues: `details` has the first, `error_data.fields` has up to `MAX_ISSUES`. */
export const invalidPayload = (issues: ValidationIssue[]): Refusal => invalid('invalid_payload', issues);

/** Reports what the platform would refuse about a template. @param subcode the platform's, for the first issue */
export function invalidTemplate(issues: ValidationIssue[], subcode?: number): Refusal {
  const refused = invalid('invalid_template', issues);
  if (subcode !== undefined && 'code' in refused.error) refused.error.error_subcode = subcode;
  return refused;
}

function invalid(errorCode: string, issues: ValidationIssue[]): Refusal {
  const [first, ...others] = issues;
  if (!first) throw new Error('A refusal needs at least one issue');
  const { length: count } = others;
  const whole = (said: Sayable): Sayable =>
    count ? sentence('{first} (and {count} more: see error_data.fields)', { first: said, count }) : said;
  const title = 'Invalid parameter';
  const refused = refuse([400, errorCode, first.code, title], whole(first.message));
  // The message may name the field. On pages a label already does, so use the fact.
  refused.said = { title, happened: whole(first.fact ?? first.message), action: undefined };
  refused.issues = issues;
  const { error } = refused;
  if ('error_data' in error && error.error_data) {
    error.error_data.fields = issues
      .slice(0, MAX_ISSUES)
      .map(({ path, rule, message }) => ({ path, rule, message }));
  }
  return refused;
}

/** Reports one invalid field. */
export const invalidField = (path: string, rule: string, said: Sayable): Refusal =>
  invalidPayload([issueOf(path, rule, said)]);

/** Makes an issue. Its message is in English. */
export const issueOf = (path: string, rule: string, said: Sayable): ValidationIssue => ({
  path,
  rule,
  message: say('en', said),
  ...(typeof said !== 'string' && { fact: said }),
  code: rule === 'required' ? 100 : 131009,
});

/** The contact is neither a phone number nor a user id. */
export const contactInvalid = (): Refusal =>
  invalidField('contact', 'pattern', fact('recipient.invalid', {}));

export const fileMissing = (): Refusal =>
  invalidField(
    'file',
    'required',
    'The form has no file. Add a part with the name "file" and a filename; with curl: -F "file=@photo.jpg".',
  );

export const fileEmpty = (): Refusal => invalidField('file', 'minLength', 'The file is empty.');

export const mediaTypeNotSupported = (type: string, possible: string[]): Refusal =>
  invalidField(
    'type',
    'enum',
    sentence('A file of type {type} cannot be uploaded. Possible: {possible}.', {
      type: quoted(type),
      possible: possible.join(', '),
    }),
  );

/** @param found the detected type of the file, in words */
export const fileNotSupported = (found: string, possible: string[]): Refusal =>
  invalidField(
    'file',
    'content',
    sentence('The file is {found}. Possible types: {possible}.', { found, possible: possible.join(', ') }),
  );

export const fileNotAsDeclared = (declared: string, found: string): Refusal =>
  invalidField(
    'type',
    'content',
    sentence(
      'The file is declared as {declared}, but it is {found}. Give it its own type, or send another file.',
      { declared: quoted(declared), found },
    ),
  );

export const mediaNotFound = refusal(
  [404, 'not_found', 100, 'Media not found'],
  'The platform has no media file with that id.',
);

export const uploadNotFound = refusal(
  [404, 'not_found', 100, 'Upload not found'],
  'There is no upload with that id for this token.',
  'Begin a new upload, and use the same token for all of it.',
);

/** For what concerns a whole business account. */
export const sharedBusinessAccount = refusal(
  [403, 'shared_business_account', 10, 'Shared business account'],
  'This concerns the whole business account, which also has lines of other customers.',
  'Ask the operator of the gateway to do it.',
);

/** For requests that would take the platform's events away from the gateway. */
export const callbackIsTheGateways = refusal(
  [403, 'callback_is_the_gateways', 10, 'The callback is the gateway'],
  'The platform sends the events of this business account to the gateway, which forwards them.',
  'Add a destination with your URL instead: POST /{line}/destinations, or "Destinations" in the control panel.',
);

/** A template that does not exist, or that belongs to another customer. */
export const templateNotFound = (code: 100 | 132001 = 100): Refusal =>
  refuse(
    [404, 'template_not_found', code, 'Template not found'],
    'There is no such template for this line.',
    'List the templates of the line to see their names and ids.',
  );

export const draftNotFound = refusal(
  [404, 'not_found', 100, 'Draft not found'],
  'There is no such draft.',
  'It may have been deleted. Open the list of drafts.',
);

export const draftCellUnknown = refusal(
  [400, 'invalid_payload', 100, 'Invalid parameter'],
  'The draft cannot be submitted there: the language or the business account is not one of its own.',
  'Open the draft again, and choose from what it shows.',
);

/** @param who the user of the last save @param at its ISO time */
export const draftChanged = (who: string, at: string): Refusal =>
  refuse(
    [409, 'draft_changed', 100, 'Draft changed'],
    fact('draft.changed', { who, at }),
    'Nothing was overwritten. Read the saved draft before you save yours.',
  );

/** @param node the platform's name for the type of object */
export const fieldUnknown = (field: string, node: string, known: readonly string[]): Refusal =>
  refuse(
    [
      400,
      'invalid_query',
      100,
      `Tried accessing nonexisting field (${quoted(field).slice(1, -1)}) on node type (${node})`,
    ],
    `There is no such field here.`,
    `Leave it out of "fields". Possible: ${known.join(', ')}.`,
  );

/**
 * The gateway doesn't have the information yet, and the platform may not be asked again before `wait` has
 * passed.
 * @param wait in seconds
 */
export const notToldYet = (what: string, wait: number): Refusal =>
  refuse(
    [503, 'upstream_unavailable', 2, 'Not known yet'],
    `The platform has not reported ${what} yet.`,
    `Ask again in ${wait} seconds.`,
    { retryAfter: wait },
  );

export const invalidQuery = (details: string): Refusal =>
  refuse([400, 'invalid_query', 100, 'Invalid query parameter'], details);

export const templateParamsMismatch = (details: string): Refusal =>
  refuse(
    [
      400,
      'template_params_mismatch',
      132000,
      'Number of parameters does not match the expected number of params',
    ],
    details,
  );

export const templateNotApproved = (
  code: 132001 | 132015 | 132016,
  happened: Sayable,
  action: string,
): Refusal => refuse([400, 'template_not_approved', code, 'Template not approved'], happened, action);

export const outsideWindow = (happened: Sayable): Refusal =>
  refuse(
    [400, 'outside_24h_window', 131047, 'Re-engagement message'],
    happened,
    'Send an approved template instead.',
  );

export const contactOptedOut = (contact: string): Refusal =>
  refuse(
    [403, 'contact_opted_out', 131050, 'Contact opted out'],
    sentence('{contact} wants no more messages from this line. Nothing was sent.', { contact }),
    'Remove them from your own list as well. Messages are sent again if they write a word to come back, or if you remove them from the opt-out list of the line in the control panel.',
  );

export const budgetReached = refusal(
  [403, 'budget_reached', 200, 'Budget reached'],
  'The monthly budget of this customer is used up. Marketing templates are not sent until the next month. Nothing was sent.',
  'Send other messages as usual. The operator of the gateway can raise the budget.',
);

/** @param seconds time limit, after which no further message of a batch is sent */
export const batchOutOfTime = (seconds: number): Refusal =>
  refuse(
    [503, 'batch_out_of_time', 2, 'Service temporarily unavailable'],
    `The messages before this one took more than ${seconds} seconds. This one was not sent.`,
    'Send it again, with the same key.',
    { retryAfter: 1 },
  );

export const invalidIdempotencyKey = (longest: number): Refusal =>
  invalidField(
    'Idempotency-Key',
    'length',
    `The header Idempotency-Key takes 1 to ${longest} characters, once.`,
  );

export const idempotencyConflict = refusal(
  [409, 'idempotency_conflict', 100, 'Idempotency-Key used with another body'],
  'Another request was sent under this Idempotency-Key within the last 24 hours.',
  'Use a new key for each request, and repeat a request with the same key and the same body.',
);

export const idempotencyInProgress = refusal(
  [409, 'idempotency_in_progress', 100, 'First request still in progress'],
  'The first request with this Idempotency-Key has not been answered yet.',
  'Ask again in a moment to get its answer.',
  { retryAfter: 1 },
);

export const requestOutcomeUnknown = refusal(
  [409, 'outcome_unknown', 100, 'Outcome of the first request unknown'],
  'The gateway stopped while it processed the first request with this Idempotency-Key. The change may have been made.',
  'Check whether it was made. If not, send the request again with a new key.',
  { outcome: 'unknown' },
);

export const preconditionFailed = refusal(
  [412, 'precondition_failed', 100, 'Object changed'],
  'The object has changed since you read its ETag. Nothing was changed.',
  'Read the object again, then repeat the change with its current ETag in If-Match.',
);

export const questionOpen = (contact: string): Refusal =>
  refuse(
    [409, 'question_open', 100, 'Contact has an open question'],
    sentence('{contact} has an open question of this line. Nothing was sent.', { contact }),
    'Cancel that question first, or send "replaces": true to replace it.',
  );

export const questionNotFound = refusal(
  [404, 'question_not_found', 100, 'Question not found'],
  'This line has no question with that id.',
  'Take the id from the answer to the request that asked it.',
);

export const lineNotConfigured = refusal(
  [409, 'line_not_configured', 131045, 'Line without platform credentials'],
  'The gateway has no access token of the platform for this line.',
  'Enter it in the control panel (Lines, Settings), or with "messaging-gateway line edit TID --access-token-file FILE".',
);

export const tooManyDestinations = (most: number): Refusal =>
  refuse(
    TOO_MANY_REGISTRATIONS,
    sentence('This line has {most} destinations, and each event goes to all of them.', { most }),
    "Remove one that is no longer used: they are on the line's page in the control panel.",
  );

export const destinationNotFound = refusal(
  [404, 'not_found', 100, 'Destination not found'],
  'This line has no destination with that id.',
);

export const tooManyAlertWebhooks = (most: number): Refusal =>
  refuse(
    TOO_MANY_REGISTRATIONS,
    `This line has ${most} webhooks for alerts.`,
    'Remove one that is no longer used: they are in the control panel: Alerts, Channels.',
  );

export const alertWebhookNotFound = refusal(
  [404, 'not_found', 100, 'Alert webhook not found'],
  'This line has no webhook for alerts with that id that a token has added.',
);

export const alertChannelNotFound = refusal(
  [404, 'not_found', 100, 'Alert channel not found'],
  'There is no alert channel with that id.',
);

export const alertRuleNotFound = refusal(
  [404, 'not_found', 100, 'Alert rule not found'],
  'There is no alert rule for that condition.',
  'docs/alerts.md lists the conditions.',
);

export const alertMuteNotFound = refusal(
  [404, 'not_found', 100, 'Mute not found'],
  'There is no mute with that id, or it has ended.',
);

export const incidentNotFound = refusal(
  [404, 'not_found', 100, 'Incident not found'],
  'There is no open incident with that id.',
);

export const messageNotFound = refusal(
  [404, 'not_found', 100, 'Message not found'],
  'This line has sent no message with that id.',
  'Take the id from "chat_message_id" of the answer to the send, and URL-encode it in the path.',
);

export const notFound = (path: string): Refusal =>
  refuse([404, 'not_found', 2500, 'Unknown path'], `There is nothing at ${quoted(path)}.`, whereToLook(path));

/**
 * Not 404: the n8n nodes and other clients take that for something that was deleted, and forget their destination.
 * @param role the process role (`GATEWAY_ROLES`) that serves the path
 */
export const roleMissing = (path: string, role: string): Refusal =>
  refuse(
    [421, 'role_missing', 2500, 'Not served here'],
    `This process does not serve ${quoted(path)}, because its GATEWAY_ROLES does not include ${role}.`,
    `Send the request to a process with the role ${role}, or add ${role} to its GATEWAY_ROLES.`,
  );

/**
 * Explains common mistakes of clients written for the platform: another version, or a base URL that ends with
 * a slash.
 */
function whereToLook(path: string): string {
  if (/^.+\/\/|^\/\/+[^/]/.test(path))
    return 'It has two slashes in a row: end the base address without one. GET /docs shows every operation.';
  if (/^\/v1(\/|$)/.test(path)) return 'GET /v1/docs shows every operation of the management API.';
  const [, first = ''] = /^(?:\/api)?\/([^/]+)\/./.exec(path) ?? [];
  if (/^v\d/i.test(first) && !SERVED_VERSION.test(first))
    return 'The version in a path is one from v13.0 to v26.0, as "/v22.0/…". GET /docs shows every operation.';
  return 'GET /docs shows every operation.';
}

const SERVED_VERSION = /^v(1[3-9]|2[0-6])\.0$/;

export const methodNotAllowed = (method: string, allowed: string): Refusal =>
  refuse(
    [405, 'method_not_allowed', 2500, 'Method not allowed'],
    `${method} is not possible here.`,
    `Use ${allowed}.`,
  );

export const wrongMetricsToken = refusal(
  [401, 'invalid_token', 190, 'Invalid token'],
  'The request came without the token of /metrics.',
  'Send what GATEWAY_METRICS_TOKEN is set to in the header "Authorization: Bearer …".',
  { suspicion: 'wrong_token' },
);

export const callbackNotFound = refusal(
  [404, 'not_found', 2500, 'Unknown callback'],
  'No callback is set up at this address.',
  'That of all lines needs GATEWAY_APP_SECRET and GATEWAY_VERIFY_TOKEN; that of one line ends in its phone number id and needs its app secret.',
);

export const wrongVerifyToken = refusal(
  [403, 'wrong_verify_token', 200, 'Verification failed'],
  'hub.verify_token is not the verify token of this callback.',
  undefined,
  { suspicion: 'wrong_verify_token' },
);

export const wrongSignature = refusal(
  [401, 'wrong_signature', 200, 'Signature missing or wrong'],
  'X-Hub-Signature-256 does not match the body.',
  'Check the app secret of this callback.',
  { suspicion: 'wrong_signature' },
);

export const databaseAway = refusal(
  [503, 'database_unavailable', 2, 'Service temporarily unavailable'],
  'The database of the gateway cannot be used at the moment. Nothing was sent.',
  'Try again in a moment.',
  { retryAfter: 5 },
);

/** @param because the scarce resource, in a few words */
export const overloaded = (because: string): Refusal =>
  refuse(
    [503, 'overloaded', 2, 'Service temporarily unavailable'],
    sentence('The gateway accepts nothing new at the moment: {because}. Nothing was sent or kept.', {
      because,
    }),
    'Try again in a moment.',
    { retryAfter: 5 },
  );

/** The answer of /readyz during shutdown. */
export const stopping = refusal(
  [503, 'stopping', 2, 'Service ends'],
  'The gateway is stopping and accepts nothing new.',
);

export const internalError = refusal(
  [500, 'internal_error', 1, 'Internal error'],
  'The gateway failed at this request.',
  'Its log has the cause under this request_id.',
);

/** An invalid setting or command-line argument. The message is shown to the person who started the program. */
export class SettingError extends Error {
  override name = 'SettingError';
}

/** Makes text from a request safe to repeat in a sentence: printable, on one line, at most 100 characters. */
export function quoted(text: string): string {
  const shown = Array.from(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '�'));
  return `"${shown.length > 100 ? `${shown.slice(0, 99).join('')}…` : shown.join('')}"`;
}
