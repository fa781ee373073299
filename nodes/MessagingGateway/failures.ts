import type { IDataObject } from 'n8n-workflow';

/** What happened, and what to do about it. */
export interface Failure {
	message: string;
	description: string;
}

export type Sentences = Record<string, { happened: string; next?: string }>;

/**
 * The gateway's `error_code` → what happened, and what can be done from within n8n.
 * What the gateway itself says (`error.error_data`) always comes first in the description: it knows the case at hand.
 */
const SENTENCES: Sentences = {
	missing_token: {
		happened: 'No token was sent to the gateway',
		next: "Enter the line's token in this node's credential. A new one is made in the gateway's control panel: API.",
	},
	invalid_token: {
		happened: 'The gateway does not accept this token for this line',
		next: "In this node's credential, check that Line is the one the token was made for, and that the token is not revoked. A new one is made in the gateway's control panel: API.",
	},
	line_inactive: {
		happened: 'This line is switched off',
		next: "Switch it on in the gateway's control panel: Lines, then the name of this line.",
	},
	api_disabled: {
		happened: 'The API of this line is disabled',
		next: "Enable it in the gateway's control panel: Lines, then the name of this line.",
	},
	line_quality_low: {
		happened: "This line's quality is low, so the gateway sends nothing from it",
		next: 'Contacts blocked or reported it. Wait until it recovers (Line: Get Status tells), and write only to those who asked for it.',
	},
	line_not_configured: {
		happened: 'This line has no upstream credentials yet',
		next: 'Whoever runs the gateway enters them in its control panel: Lines, then Edit.',
	},
	rate_limited: {
		happened: 'Too many requests to the gateway in a short time',
		next: 'Send fewer at once, or switch on Retry On Fail in the settings of this node.',
	},
	pair_rate_limited: {
		happened: 'Too many messages in a short time to this contact',
		next: 'Wait before you send to the same contact again.',
	},
	upstream_rate_limited: {
		happened: 'The messaging platform asks to send more slowly',
		next: 'Send fewer at once, or switch on Retry On Fail in the settings of this node.',
	},
	outside_24h_window: {
		happened: 'This contact has not written to you within the last 24 hours',
		next: 'Set Message Type to Template, or Outside the 24 Hours to Send a Template Instead.',
	},
	template_params_mismatch: {
		happened: 'The variables do not fit this template',
		next: 'Choose the template again in this node to load its current variables.',
	},
	template_not_approved: {
		happened: 'This template is not approved',
		next: 'Choose another one From List: it holds only those that can be sent.',
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
		next: 'Make the file or the text smaller.',
	},
	unsupported_media_type: {
		happened: 'A file of this type cannot be sent',
		next: 'Convert it, for example to JPEG, MP4 or PDF, or choose the Message Type that fits the file.',
	},
	not_found: {
		happened: 'The gateway does not know what this asks for',
		next: "Check Base URL in this node's credential: it is the address of the gateway alone, such as https://gateway.example.com.",
	},
	database_unavailable: {
		happened: 'The gateway cannot work at the moment: its database does not answer',
		next: 'Nothing was sent. Try again later, or switch on Retry On Fail in the settings of this node.',
	},
	overloaded: {
		happened: 'The gateway has too much to do at the moment',
		next: 'Nothing was sent. Send fewer at once, or switch on Retry On Fail in the settings of this node.',
	},
	internal_error: {
		happened: 'Something broke in the gateway',
		next: 'Try again. If it happens again, tell whoever runs the gateway the time of this run.',
	},
	idempotency_conflict: {
		happened: 'This item was already sent with other content',
		next: 'The first try of this run was accepted, so this one was not sent. Content that changes between tries, such as the current time, makes them differ.',
	},
	idempotency_in_progress: {
		happened: 'This item is being sent already',
		next: 'Wait for the first try to end.',
	},
	upstream_auth_failed: {
		happened: "The messaging platform refuses the gateway's own credentials for this line",
		next: 'Your token is fine. Whoever runs the gateway has to renew the upstream credentials of the line.',
	},
	upstream_unavailable: {
		happened: 'The messaging platform cannot be reached at the moment',
		next: 'Try again later, or switch on Retry On Fail in the settings of this node.',
	},
	upstream_timeout: {
		happened: 'The messaging platform did not answer: it is not known whether the message was sent',
		next: 'Look at the statuses of this contact before you send again.',
	},
	upstream_error: { happened: 'The messaging platform refused this' },
};

/** Refusals that hold for every item of a run: after one of them, and the wait that it asked for, none is tried any more. */
const FOR_THE_WHOLE_LINE = [
	'missing_token',
	'invalid_token',
	'line_inactive',
	'api_disabled',
	'line_quality_low',
	'line_not_configured',
	'upstream_auth_failed',
	'overloaded',
	'database_unavailable',
];

/** Contract §5: the body that every error of the gateway has. */
interface GatewayErrorBody {
	error_code?: string;
	error?: {
		message?: string;
		error_user_msg?: string;
		error_data?: { details?: string; fields?: Array<{ path?: string; message?: string }> };
	};
}

/** How the gateway refuses whoever tried a wrong token too often. The right one is let in at once, even then. */
const TRIED_TOO_OFTEN = '(#130429) Too many requests without the right token';

/** The answer under the word for what is wrong: waiting, which its own word asks for, mends no token. */
export const withItsCause = (answer: IDataObject): IDataObject =>
	(answer as GatewayErrorBody).error?.message === TRIED_TOO_OFTEN
		? { ...answer, error_code: 'invalid_token' }
		: answer;

/** @param ofThisRequest what an `error_code` means for this very request, where that is more than it usually means */
export function gatewayFailure(
	statusCode: number,
	body: IDataObject,
	ofThisRequest: Sentences = {},
): Failure {
	const { error_code: code, error } = body as GatewayErrorBody;
	const known = code === undefined ? undefined : (ofThisRequest[code] ?? SENTENCES[code]);
	// Each is a sentence that names its field; the details only repeat the first of them.
	const fields = (error?.error_data?.fields ?? []).flatMap(({ message }) => message ?? []);
	const details = error?.error_data?.details ?? error?.error_user_msg;
	const message = known?.happened ?? error?.message ?? `The gateway answered with status ${statusCode}`;
	const said = fields.length > 0 ? fields : [details ?? (known ? error?.message : undefined)];
	return { message, description: [...said, known?.next].filter(Boolean).join('\n') };
}

/** An answer that is not of the gateway's form: another server, or a proxy in front of it. */
export function notAGateway(baseUrl: string, statusCode: number, headers: IDataObject): Failure {
	if (statusCode >= 300 && statusCode < 400) {
		return {
			message: `${baseUrl} redirects to another address`,
			description: `Put the address that it redirects to (${String(headers.location ?? 'unknown')}) into Base URL of this node's credential.`,
		};
	}
	if (statusCode >= 500) {
		return {
			message: `The gateway at ${baseUrl} is not available at the moment`,
			description: `Something in front of it answered with status ${statusCode}. Try again later, or switch on Retry On Fail in the settings of this node.`,
		};
	}
	return {
		message: `What answers at ${baseUrl} is not a Messaging Gateway`,
		description: `It answered with status ${statusCode}, in a form the gateway never uses. Check Base URL in this node's credential.`,
	};
}

export function unreachable(baseUrl: string, error: Error): Failure {
	if (!/^https?:\/\/[^/]/i.test(baseUrl)) {
		return {
			message: `Base URL is no web address: "${baseUrl}"`,
			description:
				"Enter the address of the gateway in this node's credential, with https:// or http:// in front.",
		};
	}
	return {
		message: `No gateway answers at ${baseUrl}`,
		description: `${error.message}. Check that the gateway is running, and Base URL in this node's credential. If n8n runs in a container, 127.0.0.1 is the container itself.`,
	};
}

/** Whether a refusal, as the transport threw it, would meet every other item of the run too. */
export function holdsForTheWholeLine(errorResponse: unknown): boolean {
	const code = (errorResponse as GatewayErrorBody | undefined)?.error_code;
	return code !== undefined && FOR_THE_WHOLE_LINE.includes(code);
}
