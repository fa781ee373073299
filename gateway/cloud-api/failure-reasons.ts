import { inside, objects, textOf } from './json/json-value';

/**
 * Explains the platform's error codes in plain words. `word` equals the gateway's own code if the gateway has
 * the same refusal (`failures.ts`).
 * Codes: developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes, and the pages
 * on calls, groups, flows and blocked users.
 */
export interface FailureReason {
  /** Stable error code, so that programs can branch on it. */
  word: string;
  /** What happened, in a sentence. */
  reason: string;
  /** What to do next. */
  action: string;
}

const because = (word: string, reason: string, action: string): FailureReason => ({ word, reason, action });

const NEW_TOKEN = 'Store a new access token of the platform for this line.';
const CHECK_PERMISSIONS =
  'Check in the access token debugger that the line’s token of the platform has whatsapp_business_messaging and whatsapp_business_management.';
const SLOW_DOWN = 'Send more slowly, and try this message again in a few minutes.';
const TRY_AGAIN = 'Send it again in a few minutes.';
const CHECK_ACCOUNT = 'Open WhatsApp Manager and resolve what it shows for this business account.';
const CHECK_TEMPLATE = 'Compare the parameters with the template as it was approved, and send again.';
const EDIT_TEMPLATE = 'Correct the template in WhatsApp Manager, and submit it again.';
const CHECK_FIELD = 'Correct the field that the platform names, and send again.';
const REGISTER = 'Register the line’s number in WhatsApp Manager, then send again.';
const CHECK_GROUP = 'Read the group again, and correct the request by what it shows.';

const AUTH_FAILED = because(
  'upstream_auth_failed',
  'The platform refuses the credentials of this line: a permission is missing or was taken away.',
  CHECK_PERMISSIONS,
);
const RATE_LIMITED = (what: string) => because('upstream_rate_limited', what, SLOW_DOWN);
const UNAVAILABLE = because(
  'upstream_unavailable',
  'The platform is out of order or overloaded for the moment.',
  TRY_AGAIN,
);
const UNKNOWN = because(
  'upstream_error',
  'The platform reports no reason.',
  'Contact the platform’s support with these errors.',
);

const REASONS: Record<number, FailureReason> = {
  // Credentials of the line
  0: because(
    'upstream_auth_failed',
    'The platform could not authenticate this line’s access token.',
    NEW_TOKEN,
  ),
  3: AUTH_FAILED,
  10: AUTH_FAILED,
  104: because('upstream_auth_failed', 'The platform was asked without an access token.', NEW_TOKEN),
  190: because(
    'upstream_auth_failed',
    'The line’s access token of the platform has expired or was revoked.',
    NEW_TOKEN,
  ),
  131005: because('access_denied', 'The platform denies this line the access it needs.', CHECK_PERMISSIONS),

  // Business account
  368: because(
    'account_restricted',
    'The business account is restricted, because it violated a policy of the platform.',
    CHECK_ACCOUNT,
  ),
  130497: because(
    'country_restricted',
    'The business account may not write to people in this country.',
    'Check the country restrictions of your kind of business in the WhatsApp Business Messaging Policy.',
  ),
  131031: because(
    'account_locked',
    'The business account is locked, because it violated a policy or its data could not be verified.',
    CHECK_ACCOUNT,
  ),
  131037: because(
    'display_name_not_approved',
    'The display name of the line’s number is not approved.',
    'Have the display name approved in WhatsApp Manager.',
  ),
  131042: because(
    'payment_problem',
    'Something is wrong with the payment method of the business account.',
    'Check payment method, credit line, currency and time zone of the account in WhatsApp Manager.',
  ),
  131044: because(
    'payment_problem',
    'Something is wrong with the payment method of the business account, so that no call can be made.',
    'Check payment method and credit line of the account in WhatsApp Manager.',
  ),
  131045: because(
    'number_not_registered',
    'The line’s number could not be used, because its registration is not in order.',
    REGISTER,
  ),
  131057: because(
    'account_in_maintenance',
    'The business account is in maintenance, perhaps because it is moving to another throughput.',
    TRY_AGAIN,
  ),
  131064: because(
    'messaging_limit_reached',
    'The account has reached its messaging limit, because templates were filed under a wrong category.',
    'Correct the categories of its templates, and send again when the limit is raised.',
  ),
  134011: because(
    'payments_terms_not_accepted',
    'The terms of WhatsApp Payments have not been accepted for this account.',
    'Accept the terms by the link that the platform gives.',
  ),
  2494100: because(
    'account_in_maintenance',
    'The business account is in maintenance for the moment.',
    TRY_AGAIN,
  ),

  // Rate limits
  4: RATE_LIMITED('The app has made more calls to the platform than it may.'),
  613: RATE_LIMITED('More calls of this kind were made to the platform than are allowed.'),
  80007: RATE_LIMITED('The business account has reached its limit of calls to the platform.'),
  80008: RATE_LIMITED(
    'The business account has reached its limit of changes at the platform, such as new templates.',
  ),
  130429: RATE_LIMITED('The line sends more messages a second than the platform lets it.'),
  131048: because(
    'line_quality_low',
    'The platform limits what this number may send, because too many of its messages were blocked or reported.',
    'Look at the quality rating of the number, and write only to people who expect it until it recovers.',
  ),
  131056: RATE_LIMITED('Too many messages were sent to this one contact in a short time.'),
  133016: because(
    'registration_rate_limited',
    'The number was registered or deregistered too often in a short time.',
    'Wait three days before the number is registered again.',
  ),

  // Platform
  1: because(
    'upstream_error',
    'The platform failed at an unknown place, or did not understand the request.',
    TRY_AGAIN,
  ),
  2: UNAVAILABLE,
  131000: UNKNOWN,
  131016: UNAVAILABLE,
  133004: UNAVAILABLE,
  135000: because(
    'upstream_error',
    'The platform could not send this message, and does not know why; often a parameter is wrong.',
    CHECK_FIELD,
  ),

  // Request
  33: because(
    'number_deleted',
    'The line’s number has been deleted by the platform.',
    'Check the phone number id of this line.',
  ),
  100: because('invalid_parameter', 'A field is not known, misspelled or has a wrong value.', CHECK_FIELD),
  131008: because('parameter_missing', 'A field that this message needs is missing.', CHECK_FIELD),
  131009: because('parameter_invalid', 'A field has a value that the platform does not accept.', CHECK_FIELD),
  131051: because(
    'unsupported_message_type',
    'The platform does not support messages of this type.',
    'Send another type of message.',
  ),
  131055: because(
    'method_not_allowed',
    'This kind of message cannot be sent in this way: only marketing templates can.',
    'Send it as a marketing template, or in the ordinary way.',
  ),
  134100: because(
    'marketing_template_only',
    'Only marketing templates can be sent in this way.',
    'Send a marketing template, or send this one in the ordinary way.',
  ),

  // Contact
  130403: because(
    'contact_blocked_by_business',
    'Your business has blocked this contact.',
    'Unblock the contact to write to it again.',
  ),
  130472: because(
    'contact_in_experiment',
    'The platform keeps marketing messages from this contact as part of an experiment.',
    'Do not send it again. Once the contact writes to you, messages reach it.',
  ),
  131021: because(
    'recipient_is_sender',
    'The message was addressed to the line’s own number.',
    'Send it to another number.',
  ),
  131026: because(
    'undeliverable',
    'The message cannot be delivered: the number may not use WhatsApp, may not have accepted its terms, or may use too old a version.',
    'Check the number; ask its owner by another way to update WhatsApp, or to write to you first.',
  ),
  131030: because(
    'recipient_not_in_allowed_list',
    'A test number may only write to the recipients on its list.',
    'Add the recipient to the list of the test number, or send from a number of your own.',
  ),
  131047: because(
    'outside_24h_window',
    'More than 24 hours have passed since the contact last wrote to this line.',
    'Send an approved template instead.',
  ),
  131049: because(
    'held_back_by_upstream',
    'The platform did not deliver this marketing message, because the contact gets too many of them.',
    'Do not send it again at once; try in a day or later, or when the contact has written.',
  ),
  131050: because(
    'marketing_opted_out',
    'The contact has stopped marketing messages of your business.',
    'Send it no more marketing; other templates and answers still reach it.',
  ),
  131062: because(
    'user_id_not_supported',
    'This message cannot be sent to a user id.',
    'Send it to the phone number; authentication templates always need one.',
  ),
  137000: because(
    'identity_changed',
    'The contact’s identity differs from the one in the message.',
    'Confirm by another way who uses the number now, then send with the new identity hash.',
  ),

  // Media
  131052: because(
    'media_download_failed',
    'The platform could not fetch the media.',
    'Check that the link opens for everybody, without a log-in, and gives the right Content-Type.',
  ),
  131053: because(
    'media_upload_failed',
    'The platform could not take the media: its type, its size or its content is not supported.',
    'Check type and size of the file, and its Content-Type where it is linked.',
  ),

  // Templates
  131063: because(
    'marketing_templates_disabled',
    'Marketing templates are switched off for this way of sending.',
    'Send them by the Marketing Messages API, or change that setting of the business account.',
  ),
  132000: because(
    'template_params_mismatch',
    'The number of parameters is not the one that the template has.',
    CHECK_TEMPLATE,
  ),
  132001: because(
    'template_not_found',
    'There is no approved template of this name in this language.',
    'Check name and language, and that the template is approved.',
  ),
  132005: because(
    'template_text_too_long',
    'With its parameters filled in, the text of the template is too long.',
    'Send shorter parameters.',
  ),
  132007: because('template_policy_violated', 'The template violates a policy of WhatsApp.', EDIT_TEMPLATE),
  132008: because('template_params_invalid', 'A parameter of the template has a wrong form.', CHECK_TEMPLATE),
  132012: because('template_params_invalid', 'A parameter of the template has a wrong form.', CHECK_TEMPLATE),
  132015: because(
    'template_not_approved',
    'The template is paused, because of its low quality.',
    'Send another template, or edit this one to raise its quality.',
  ),
  132016: because(
    'template_not_approved',
    'The template was paused too often for its low quality, and is now disabled for good.',
    'Make a new template with another text.',
  ),
  132018: because('template_params_invalid', 'The parameters of the template are not valid.', CHECK_TEMPLATE),
  132068: because(
    'flow_blocked',
    'The flow of this message is blocked.',
    'Correct the flow in WhatsApp Manager.',
  ),
  132069: because(
    'flow_throttled',
    'The flow of this message is throttled: ten messages with it went out in the last hour.',
    'Correct the flow in WhatsApp Manager, or wait an hour.',
  ),
  134101: because(
    'template_not_ready',
    'The template is new, and the platform is still making it ready.',
    'Send it again in ten minutes.',
  ),
  134102: because('template_not_ready', 'The template cannot be used at the moment.', CHECK_ACCOUNT),
  2388019: because(
    'template_limit_reached',
    'The account has as many templates as it may have.',
    'Delete templates that are no longer used.',
  ),
  2388023: because(
    'template_name_locked',
    'A template with this name was deleted, and the name is locked for some time.',
    'Choose another name.',
  ),
  2388024: because(
    'template_exists',
    'A template with this name already exists in this language.',
    'Edit it, or choose another name.',
  ),
  2388039: because('template_change_refused', 'The template cannot be changed to this state.', EDIT_TEMPLATE),
  2388040: because('template_field_too_long', 'A field of the template is too long.', EDIT_TEMPLATE),
  2388042: because(
    'template_field_unknown',
    'The template has a field that is not possible there.',
    EDIT_TEMPLATE,
  ),
  2388043: because('template_sample_missing', 'The template lacks a field, such as a sample.', EDIT_TEMPLATE),
  2388046: because(
    'template_name_invalid',
    'The name of the template has other characters than lowercase letters, digits and underscores.',
    'Choose another name.',
  ),
  2388047: because('template_header_invalid', 'The header of the template has a wrong form.', EDIT_TEMPLATE),
  2388060: because(
    'template_button_invalid',
    'A button of the template has variables, emojis or formatting in its text.',
    EDIT_TEMPLATE,
  ),
  2388072: because('template_body_invalid', 'The body of the template has a wrong form.', EDIT_TEMPLATE),
  2388073: because('template_footer_invalid', 'The footer of the template has a wrong form.', EDIT_TEMPLATE),
  2388155: because(
    'template_name_reserved',
    'The name of the template belongs to a sample template of the platform.',
    'Choose another name.',
  ),
  2388293: because(
    'template_too_many_variables',
    'The template has too many variables for so few words.',
    EDIT_TEMPLATE,
  ),
  2388299: because('template_variable_at_end', 'The template begins or ends with a variable.', EDIT_TEMPLATE),
  2593002: because(
    'template_not_found',
    'The template does not exist: it was deleted, or its name is another.',
    'Read the list of templates, and use a name from it.',
  ),

  // Number of the line
  133000: because(
    'registration_failed',
    'The number could not be deregistered completely before.',
    'Deregister the number again, then register it.',
  ),
  133005: because(
    'pin_wrong',
    'The PIN of two-step verification is wrong.',
    'Register the number with the right PIN, or reset it in WhatsApp Manager.',
  ),
  133006: because(
    'number_not_verified',
    'The line’s number has to be verified before it is registered.',
    'Verify the number in WhatsApp Manager.',
  ),
  133008: because(
    'pin_guessed_too_often',
    'A wrong PIN was given too often.',
    'Wait as long as the platform says.',
  ),
  133009: because(
    'pin_guessed_too_fast',
    'The PIN was given too soon after the last time.',
    'Wait as long as the platform says.',
  ),
  133010: because(
    'number_not_registered',
    'The line’s number is not registered with the platform.',
    REGISTER,
  ),
  133015: because(
    'number_deleted',
    'The number was deleted a moment ago, and the platform is still at it.',
    'Wait five minutes, then register it.',
  ),
  136024: because('verification_failed', 'No verification code could be sent.', TRY_AGAIN),
  136025: because('verification_failed', 'The verification code is wrong.', 'Ask for a new code.'),
  1752041: because(
    'duplicate_onboarding',
    'This account has already been invited.',
    'Continue with the first invitation.',
  ),
  2388012: because(
    'number_already_migrated',
    'The number has already been moved to this account.',
    'Nothing has to be done.',
  ),
  2388091: because('number_ineligible', 'The number cannot be verified at the moment.', CHECK_ACCOUNT),
  2388093: because('number_ineligible', 'The number cannot be verified at the moment.', CHECK_ACCOUNT),
  2388103: because('number_ineligible', 'The number cannot be moved to this account.', CHECK_ACCOUNT),
  2593107: because('sync_rate_limited', 'The number was synchronised as often as it may be.', CHECK_ACCOUNT),
  2593108: because(
    'sync_too_late',
    'The time in which the number could be synchronised has passed.',
    'Add the number to the platform again.',
  ),

  // Calls
  138000: because(
    'calling_not_enabled',
    'Calls are not switched on for the line’s number.',
    'Switch calls on in its settings.',
  ),
  138001: because('contact_cannot_be_called', 'The contact cannot take calls.', 'Send a message instead.'),
  138002: RATE_LIMITED('The number has as many calls at once as it may have.'),
  138003: because('call_in_progress', 'There is a call with this contact already.', 'Wait until it ends.'),
  138004: because('call_failed', 'The call could not be connected.', TRY_AGAIN),
  138005: RATE_LIMITED('The number has made as many calls as it may make.'),
  138006: because(
    'call_not_permitted',
    'The contact has not permitted calls.',
    'Ask for the permission to call first.',
  ),
  138007: because('call_failed', 'The call was not connected in time.', TRY_AGAIN),
  138009: RATE_LIMITED('The contact was asked for the permission to call as often as is allowed.'),
  138012: RATE_LIMITED('The contact was called as often as is allowed in 24 hours.'),
  138013: RATE_LIMITED('The permission to call was looked up as often as is allowed.'),
  138018: because(
    'calling_not_enabled',
    'Calls cannot be switched on, because something that they need is not set up.',
    'Set up SIP, or subscribe an app to the webhook field "calls".',
  ),

  // Groups
  131020: because(
    'group_too_small',
    'A group with one member takes no messages.',
    'Invite somebody to the group.',
  ),
  131041: because('group_not_found', 'There is no such group, or the line is not in it.', CHECK_GROUP),
  131059: because(
    'cursor_invalid',
    'The list was read on from a place that has expired.',
    'Read the list again from its start.',
  ),
  131201: because('group_partly_changed', 'Not everybody in the request could be changed.', CHECK_GROUP),
  131202: because('group_participant_twice', 'The request names somebody twice.', CHECK_GROUP),
  131204: because('group_full', 'The group would have more members than it may have.', CHECK_GROUP),
  131207: because(
    'group_suspended',
    'The group is suspended, because it violates a policy of the platform.',
    CHECK_ACCOUNT,
  ),
  131208: RATE_LIMITED('The number has changed groups too often in a short time.'),
  131209: because(
    'group_picture_invalid',
    'The picture of a group must be as wide as high.',
    'Send a square picture.',
  ),
  131210: because(
    'group_picture_invalid',
    'The picture of a group must be larger than 192 pixels.',
    'Send a larger picture.',
  ),
  131211: because('group_limit_reached', 'The number has as many groups as it may have.', CHECK_GROUP),
  131212: because('group_participant_unknown', 'Somebody in the request is not in the group.', CHECK_GROUP),
  131213: because('group_request_unknown', 'There is no such request to join the group.', CHECK_GROUP),
  131214: because(
    'groups_disabled',
    'New groups are switched off for the account, because it sent too much marketing.',
    CHECK_ACCOUNT,
  ),
  131215: because('groups_not_available', 'Groups are not available to the line’s number.', CHECK_ACCOUNT),

  // Flows
  139000: because(
    'flow_blocked',
    'The platform lets this account make no flows, because of its integrity.',
    CHECK_ACCOUNT,
  ),
  139001: because('flow_invalid', 'The flow could not be changed.', CHECK_FIELD),
  139002: because('flow_invalid', 'The flow could not be published.', CHECK_FIELD),
  139003: because('flow_invalid', 'The flow could not be deprecated.', CHECK_FIELD),
  139004: because('flow_invalid', 'The flow could not be deleted.', CHECK_FIELD),

  // Blocked contacts
  139100: because('block_failed', 'Not every contact could be blocked or unblocked.', CHECK_FIELD),
  139101: because(
    'block_list_full',
    'The list of blocked contacts is full.',
    'Unblock contacts that need not be blocked.',
  ),
  139102: because(
    'block_list_changed',
    'The list of blocked contacts changed while it was read.',
    'Read it again from its start.',
  ),
  139103: UNAVAILABLE,
};

/** Codes with an explanation. In addition, 200 to 299 all mean a missing permission. */
export const DOCUMENTED_CODES = Object.keys(REASONS).map(Number);

/** Replaces advice about sends for other requests. */
const BESIDE_SENDS: Record<string, string> = {
  [SLOW_DOWN]: 'Ask less often, and try again in a few minutes.',
  [TRY_AGAIN]: 'Try again in a few minutes.',
  [UNKNOWN.action]: 'Try again. If it fails again, ask the platform’s support, with the errors as they came.',
  [CHECK_FIELD]: 'Correct the field that the platform names, and try again.',
  [REGISTER]: 'Register the line’s number in WhatsApp Manager.',
};
export const adviceBesideSends = (action: string): string => BESIDE_SENDS[action] ?? action;

/**
 * @param code the platform's error code
 * @returns undefined for an undocumented code
 */
export const documentedReason = (code: number): FailureReason | undefined =>
  code >= 200 && code <= 299 ? AUTH_FAILED : REASONS[code];

/**
 * @param code the platform's error code, or null
 * @param errors the platform's errors as received; their texts explain an undocumented code
 */
export const failureReason = (code: number | null, errors: unknown[] = []): FailureReason =>
  (code === null ? undefined : documentedReason(code)) ?? reasonInWordsOf(errors) ?? UNKNOWN;

function reasonInWordsOf(errors: unknown[]): FailureReason | null {
  const [words] = objects(errors).flatMap((error) => {
    const title = textOf(error.title) || textOf(error.message);
    const details = textOf(inside(error, 'error_data').details);
    return (details.includes(title) ? details : [title, details].filter(Boolean).join(': ')) || [];
  });
  return words
    ? because(
        'upstream_error',
        words,
        'Fix what the platform reports, or contact its support with these errors.',
      )
    : null;
}
