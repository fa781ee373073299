import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { callGateway, type GatewayRequest } from '../../../transport';
import type { Step } from './question';

/** The longest and the shortest time that the gateway keeps a question open, in seconds. */
const LONGEST_S = 366 * 24 * 3600;
const SHORTEST_S = 60;

/** Settings shared by all questions of a run. */
export interface Asking extends IDataObject {
	contact: string;
	/** Whether to end another open question to the contact. */
	replaces: boolean;
	/** Whether the answer also starts triggers. */
	alsoForward: boolean;
}

/** One question for the gateway: docs/api.md, "Questions". */
export interface GatewayQuestion extends Asking {
	message: IDataObject;
	accepts: string[];
	taps: string[];
	/** How long the question stays open. */
	seconds: number;
	/** The URL that receives the answer. */
	url: string;
	/** Idempotency key: the same for every try, so that no contact is asked twice. */
	key: string;
}

export interface QuestionAnswer extends IDataObject {
	error_code?: string;
	/** The ID of the question. */
	id?: string;
	message_id?: string;
	/** The secret that signs the answer. */
	secret?: string;
	contacts?: Array<{ input?: string; wa_id?: string }>;
	gateway?: { line?: number };
}

/**
 * Sends a question; the gateway sends its answer only to the waiting run, without a destination of the line.
 */
export async function askQuestion(
	this: IExecuteFunctions | IWebhookFunctions,
	{ contact, message, accepts, taps, seconds, url, key, replaces, alsoForward }: GatewayQuestion,
	of: Pick<GatewayRequest, 'expected' | 'itemIndex' | 'line'>,
): Promise<QuestionAnswer> {
	return await callGateway.call(this, {
		method: 'POST',
		path: 'questions',
		...of,
		body: {
			contact,
			message,
			accepts,
			...(taps.length > 0 && { choices: taps }),
			expires_in: Math.min(Math.max(Math.floor(seconds) || 0, SHORTEST_S), LONGEST_S),
			callback_url: url,
			key,
			...(replaces && { replaces }),
			...(alsoForward && { also_forward: alsoForward }),
		},
		sentences: {
			question_open: {
				happened: 'Another question to this contact is still open',
				next: 'Nothing was sent. Wait until it is answered or its Time Limit is over, or set If a Question Is Open, in Options, to Replace It.',
				isWhole: true,
			},
			invalid_payload: {
				happened: 'The gateway does not accept this question as it is',
				next: `Look at the fields that are named, and at the expressions that fill them. If callback_url is named, the gateway cannot send answers to this n8n at ${new URL(url).origin}: set n8n's environment variable WEBHOOK_URL to the address at which it is reached.`,
			},
		},
	});
}

/** The part of a step that the gateway needs. */
export const asked = ({
	message,
	accepts,
	taps,
}: Step): Pick<GatewayQuestion, 'message' | 'accepts' | 'taps'> => ({
	message,
	accepts,
	taps,
});
