import type { IDataObject } from 'n8n-workflow';

import { PLATFORM_REFUSALS } from './platformRefusals';

/** A failure and the action to take. */
export interface Failure {
	message: string;
	description: string;
}

export interface Sentence {
	happened: string;
	next?: string;
	/** Set if this text replaces the gateway's `details`, which are for programmers. */
	isWhole?: true;
	/** Set if `next` replaces the gateway's advice, because the advice repeats it or does not apply in n8n. */
	replacesAdvice?: true;
}

export type Sentences = Record<string, Sentence>;

/** The nodes never send such a request, so something between n8n and the gateway changed it. */
const CHANGED_ON_THE_WAY: Sentence = {
	happened: 'The gateway could not read the request as it arrived',
	next: 'Try again. If it happens again, something between n8n and the gateway, such as a proxy, changes requests. Ask the people who run it.',
	isWhole: true,
};

/** Only Send has this option. */
const SEND_MORE_SLOWLY =
	'Send more slowly: Send has the option Messages per Second. Or switch on Retry On Fail in the settings of this node: it sends nothing twice.';

/**
 * Maps the gateway's `error_code` to what happened and what to do in n8n. The gateway's own advice
 * (`error.error_data`), which is specific to the case, precedes ours in the description.
 */
const SENTENCES: Sentences = {
	missing_token: {
		happened: 'No token was sent to the gateway',
		next: "Enter the line's token in this node's credential. A new one is made in the gateway's control panel: API tokens.",
		isWhole: true,
	},
	invalid_token: {
		happened: 'The gateway does not accept this token for this line',
		next: "In this node's credential, check that Line is the one the token was made for, and that the token is not revoked. A new one is made in the gateway's control panel: API tokens.",
	},
	line_inactive: {
		happened: 'This line is switched off',
		next: "Switch it on in the gateway's control panel: Lines, then Settings of this line.",
		replacesAdvice: true,
	},
	customer_suspended: {
		happened: 'The customer of this line is suspended',
		next: 'Ask the operator of the gateway.',
		replacesAdvice: true,
	},
	api_disabled: {
		happened: 'The API of this line is disabled',
		next: "Enable it in the gateway's control panel: Lines, then Settings of this line.",
		replacesAdvice: true,
	},
	scope_missing: {
		happened: 'The token of this credential may not do this',
		next: "Make a token that may, in the gateway's control panel: API tokens, then Generate token. n8n needs all that is offered there.",
		isWhole: true,
	},
	line_quality_low: {
		happened: 'The gateway sends nothing from this line because of its quality',
		next: 'Line: Get Status shows its quality. Write only to contacts who asked for it.',
	},
	line_not_configured: {
		happened: 'The gateway has no access to the messaging platform for this line yet',
		next: 'The operator of the gateway enters the access token of the platform in its control panel: Lines, then Settings of this line.',
		isWhole: true,
	},
	rate_limited: {
		happened: 'Too many requests to the gateway in a short time',
		next: SEND_MORE_SLOWLY,
	},
	pair_rate_limited: {
		happened: 'Too many messages in a short time to this contact',
		next: 'Wait before you send to the same contact again, or put what you have to say into one message.',
	},
	upstream_rate_limited: {
		happened: 'The messaging platform asks to send more slowly',
		next: SEND_MORE_SLOWLY,
	},
	outside_24h_window: {
		happened: 'This contact has not written to you within the last 24 hours',
		next: 'Choose the operation Send Template, or set Outside the 24 Hours to Send a Template Instead.',
		replacesAdvice: true,
	},
	contact_opted_out: {
		happened: 'This contact wants no more messages from this line',
		next: 'Leave this contact out. Contact: Get Window shows who opted out.',
	},
	budget_reached: {
		happened: "The customer's monthly budget is used up, so marketing templates are not sent",
		next: 'Send them next month. The operator of the gateway can raise the budget.',
		replacesAdvice: true,
	},
	template_params_mismatch: {
		happened: 'The variables do not fit this template',
		next: 'Choose the template again in this node to load its current variables.',
	},
	template_not_approved: {
		happened: 'This template is not approved',
		next: 'Choose another one From List: it has only templates that can be sent.',
	},
	template_not_found: {
		happened: 'The gateway knows no template of this name and language',
		next: 'Choose the template From List.',
	},
	invalid_payload: {
		happened: 'The gateway does not accept this message as it is',
		next: 'Look at the fields that are named, and at the expressions that fill them.',
	},
	payload_too_large: {
		happened: 'This is larger than what can be sent',
		next: 'Make the file or the text smaller, or send the web address of the file in a text.',
		replacesAdvice: true,
	},
	too_many_registrations: {
		happened: 'This line has as many destinations as it may have',
		next: "Unpublish a workflow with a Messaging Gateway Trigger that is no longer used. What a workflow has left behind is removed in the gateway's control panel: Lines, then the name of this line; for alerts, Alerts, then Channels.",
		replacesAdvice: true,
	},
	invalid_query: CHANGED_ON_THE_WAY,
	invalid_json: CHANGED_ON_THE_WAY,
	malformed_request: CHANGED_ON_THE_WAY,
	method_not_allowed: CHANGED_ON_THE_WAY,
	unsupported_media_type: CHANGED_ON_THE_WAY,
	not_found: {
		happened: 'The gateway does not know what this asks for',
		next: "Check Base URL in this node's credential: it is the address of the gateway alone, such as https://gateway.example.com.",
		isWhole: true,
	},
	role_missing: {
		happened: "The address of this credential does not lead to the gateway's API",
		next: 'Ask the operator of the gateway: a proxy sends requests to a process without the role api.',
		isWhole: true,
	},
	database_unavailable: {
		happened: 'The gateway cannot work at the moment: its database does not answer',
		next: 'Try again later, or switch on Retry On Fail in the settings of this node.',
		replacesAdvice: true,
	},
	overloaded: {
		happened: 'The gateway has too much to do at the moment',
		next: 'Try again in a moment, or switch on Retry On Fail in the settings of this node.',
		replacesAdvice: true,
	},
	stopping: {
		happened: 'The gateway is restarting or stopping',
		next: 'Try again in a moment, or switch on Retry On Fail in the settings of this node.',
	},
	batch_out_of_time: {
		happened: 'The messaging platform answers so slowly that this message was not sent yet',
		next: 'Try again later, or switch on Retry On Fail in the settings of this node.',
		isWhole: true,
	},
	internal_error: {
		happened: 'Something broke in the gateway',
		next: 'Try again. If it happens again, give the operator of the gateway the time of this run.',
		isWhole: true,
	},
	idempotency_conflict: {
		happened: 'This item was already sent with other content',
		next: 'The first try of this run was accepted, so this one was not sent. Content that changes between tries, such as the current time, makes them differ: make it in a node before this one.',
		isWhole: true,
	},
	idempotency_in_progress: {
		happened: 'This item is being sent already',
		next: 'Wait for the first try to end.',
		isWhole: true,
	},
	upstream_auth_failed: {
		happened: "The messaging platform refuses the gateway's own credentials for this line",
		next: 'Your token is fine. The operator of the gateway has to renew the access token of the platform for this line.',
	},
	upstream_unavailable: {
		happened: 'The messaging platform cannot be reached at the moment',
		next: 'Try again later, or switch on Retry On Fail in the settings of this node.',
	},
	upstream_timeout: {
		happened: 'The messaging platform did not answer: it is not known whether the message was sent',
		next: 'Look at the statuses of this contact before you send again.',
	},
};

/** What a token of several lines needs for the nodes. */
export const SCOPES_NEEDED =
	"Create a token with the scopes send, read and destinations, in the gateway's control panel under Admin tokens.";

/** Refusals of a token of several lines. */
export const sentencesOfSeveral = (line: string): Sentences => ({
	invalid_token: {
		happened: `The gateway does not accept this token for the line ${line}`,
		next: "Choose a line of this token: Line, From List. If the list fails too, the token is revoked or expired: the gateway's control panel shows it under Admin tokens.",
		isWhole: true,
	},
	scope_missing: {
		happened: 'The token of this credential may not do this',
		next: SCOPES_NEEDED,
		isWhole: true,
	},
});

/** The gateway's `error_code` for platform refusals without a code of their own. */
const OF_THE_PLATFORM = 'upstream_error';

/**
 * The platform's code for too many messages to one contact. The gateway reports it as a general rate limit.
 */
export const PAIR_LIMIT = 131056;

/**
 * Refusals that apply to every item of a run. If one persists after its required wait, the remaining items
 * fail without a request.
 */
const FOR_THE_WHOLE_LINE = [
	'missing_token',
	'invalid_token',
	'customer_suspended',
	'line_inactive',
	'api_disabled',
	'line_quality_low',
	'line_not_configured',
	'upstream_auth_failed',
	'overloaded',
	'database_unavailable',
];

/** The body of every error of the gateway: docs/api.md, "Errors". */
interface GatewayErrorBody {
	error_code?: string;
	error?: GatewayError;
}

interface GatewayError {
	message?: string;
	code?: number;
	error_user_msg?: string;
	error_data?: {
		details?: string;
		action?: string;
		fields?: Array<{ path?: string; message?: string }>;
	};
}

/** The gateway's message after too many wrong tokens. The correct token still works. */
const TRIED_TOO_OFTEN = '(#130429) Too many requests without the right token';

/** Replaces the rate limit after wrong tokens with `invalid_token`, because waiting fixes no token. */
export const withItsCause = (answer: IDataObject): IDataObject =>
	(answer as GatewayErrorBody).error?.message === TRIED_TOO_OFTEN
		? { ...answer, error_code: 'invalid_token' }
		: answer;

/**
 * @param ofThisRequest sentences for this request by `error_code`, or by `error_code` and platform code,
 * which take precedence over the general ones
 */
export function gatewayFailure(
	statusCode: number,
	body: IDataObject,
	ofThisRequest: Sentences = {},
): Failure {
	const { error_code: code = '', error = {} } = body as GatewayErrorBody;
	const here = ofThisRequest[`${code} ${error.code}`] ?? ofThisRequest[code];
	if (code === OF_THE_PLATFORM && !here) return platformFailure(error);
	const known = here ?? SENTENCES[error.code === PAIR_LIMIT ? 'pair_rate_limited' : code];
	const title = withoutCode(error.message ?? `The gateway answered with status ${statusCode}`);
	// Each entry is a sentence that names its field; `details` repeats only the first entry.
	const fields = (error.error_data?.fields ?? []).flatMap(({ message }) => message ?? []);
	const details = error.error_data?.details ?? error.error_user_msg ?? (known ? title : '');
	const action = error.error_data?.action;
	// The gateway's details end with its advice.
	const happened = known?.replacesAdvice && action ? details.replace(action, '').trim() : details;
	const sentences = fields.length > 0 ? fields : [happened];
	const said = known?.isWhole ? [] : sentences;
	const next = known?.next ?? (action && !said.join('\n').includes(action) ? action : '');
	return { message: known?.happened ?? title, description: [...said, next].filter(Boolean).join('\n') };
}

/** Returns our words for common platform codes, the advice, and the platform's own message. */
function platformFailure({ message = '', code = 0, error_user_msg, error_data }: GatewayError): Failure {
	const title = withoutCode(message);
	const details = error_data?.details ?? error_user_msg ?? '';
	const known = PLATFORM_REFUSALS[code];
	const isMore = !bare(`${known ?? ''} ${title}`).includes(bare(details));
	return {
		message: known ?? `The messaging platform refused this: ${title}`,
		description: [
			error_data?.action,
			...(known ? [`The messaging platform says: ${message}`] : []),
			...(isMore ? [details] : []),
		]
			.filter(Boolean)
			.join('\n'),
	};
}

/** Removes the code from messages such as "(#131026) Message undeliverable". */
const withoutCode = (message: string): string => message.replace(/^\(#\d+\)\s*/, '');

/** Normalizes a text, to find out whether two texts say the same. */
const bare = (text: string): string =>
	text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();

/** The failure for an answer that is not from the gateway, but from another server or a proxy. */
export function notAGateway(baseUrl: string, statusCode: number, headers: IDataObject): Failure {
	if (statusCode >= 300 && statusCode < 400) {
		return {
			message: `${baseUrl} redirects to another address`,
			description: `Put the address that it redirects to (${String(headers.location ?? 'unknown')}) into Base URL of the credential.`,
		};
	}
	if (statusCode >= 500) {
		return {
			message: `The gateway at ${baseUrl} is not available at the moment`,
			description: `Something in front of it answered with status ${statusCode}. Try again later, or switch on Retry On Fail in the settings of this node.`,
		};
	}
	if (statusCode === 429) {
		return {
			message: `The proxy in front of the gateway at ${baseUrl} lets no more requests through at the moment`,
			description: `It was not sent. ${SEND_MORE_SLOWLY} Or ask the operator of the gateway to raise the limit of the proxy.`,
		};
	}
	if (statusCode === 413) {
		return {
			message: `The proxy in front of the gateway at ${baseUrl} refuses anything this large`,
			description:
				'It was not sent. Make the file or the text smaller, or ask the operator of the gateway to raise the limit of the proxy: in nginx it is client_max_body_size, and 110m is enough for every file.',
		};
	}
	return {
		message: `What answers at ${baseUrl} is not a Messaging Gateway`,
		description: `It answered with status ${statusCode}, in a form the gateway never uses. Check Base URL in the credential.`,
	};
}

/** Returns what was thrown as an error. Not `ensureError` of n8n-workflow, which n8n 2.41 no longer has. */
export const asError = (thrown: unknown): Error =>
	thrown instanceof Error ? thrown : new Error(String(thrown));

export const isWebAddress = (baseUrl: string): boolean => /^https?:\/\/[^/]/i.test(baseUrl);

/** Explains common errors of HTTP clients for an address that did not answer. */
const CAUSES: Array<[said: RegExp, inWords: string]> = [
	[/ECONNREFUSED/, 'Nothing listens there: the gateway is not running, or has another address'],
	[/ENOTFOUND|EAI_AGAIN|EAI_NONAME/, 'No machine of this name is known to n8n'],
	[/EHOSTUNREACH|ENETUNREACH/, 'The machine that runs n8n has no way to this address'],
	[/ETIMEDOUT|ECONNABORTED|timeout/i, 'It did not answer in time'],
	[/EPROTO|wrong version number|packet length/i, 'It does not support https: use http://'],
	[/CERT|certificate/i, 'Its certificate is not one that n8n trusts'],
	[/ECONNRESET|EPIPE|socket hang up/, 'The connection was cut before the answer came'],
	[/Invalid character in header/, 'The token holds a character that no token has: copy it again'],
];

/** Names for the local machine; in a container, they mean the container. */
const ITSELF = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)(?=[:/]|$)/i;

/** @param error as thrown by n8n's request helper; it can wrap another error */
export function unreachable(baseUrl: string, error?: Error): Failure {
	if (!isWebAddress(baseUrl)) {
		return {
			message: `Base URL is no web address: "${baseUrl}"`,
			description:
				'Enter the address of the gateway in the credential, with https:// or http:// in front, such as https://gateway.example.com.',
		};
	}
	const said = wordsOf(error);
	const [, cause = error?.message ?? ''] = CAUSES.find(([pattern]) => pattern.test(said)) ?? [];
	const check = 'Check that the gateway is running, and Base URL in the credential.';
	const inContainer =
		'If n8n runs in a container, this address is the container itself: enter the name or address of the machine that runs the gateway, such as http://host.docker.internal:8080.';
	return {
		message: `No gateway answers at ${baseUrl}`,
		description: [cause && `${cause}.`, check, ITSELF.test(baseUrl) && inContainer].filter(Boolean).join(' '),
	};
}

/** Joins the texts of an error and its cause. n8n puts its own sentence before the original text. */
function wordsOf(error: unknown): string {
	const { code, message, messages, description, cause } = (error ?? {}) as Record<string, unknown>;
	return [code, message, messages, description, cause ? wordsOf(cause) : ''].join(' ');
}

/** Whether a refusal would also apply to every other item of the run. */
export function holdsForTheWholeLine(errorResponse: unknown): boolean {
	const code = (errorResponse as GatewayErrorBody | undefined)?.error_code;
	return code !== undefined && FOR_THE_WHOLE_LINE.includes(code);
}
