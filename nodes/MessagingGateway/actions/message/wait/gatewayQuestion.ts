import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { callGateway } from '../../../transport';
import type { Step } from './question';

/** The longest that the gateway keeps a question open, in seconds, and the shortest. */
const LONGEST_S = 366 * 24 * 3600;
const SHORTEST_S = 60;

/** What all questions of a run have in common. */
export interface Asking extends IDataObject {
	contact: string;
	/** Whether a question to the contact that is still open ends. */
	replaces: boolean;
	/** Whether the answer starts triggers as well. */
	alsoForward: boolean;
}

/** One question, as the gateway keeps it: docs/api.md, "Questions". */
export interface GatewayQuestion extends Asking {
	message: IDataObject;
	accepts: string[];
	taps: string[];
	/** How long it stays open. */
	seconds: number;
	/** Where the answer goes. */
	url: string;
	/** The same for every try, so that no contact is asked twice. */
	key: string;
}

export interface QuestionAnswer extends IDataObject {
	error_code?: string;
	/** The id of the question. */
	id?: string;
	message_id?: string;
	/** What its answer is signed with. */
	secret?: string;
	contacts?: Array<{ input?: string; wa_id?: string }>;
	gateway?: { line?: number };
}

/**
 * Sends a message whose answer the gateway sends only to a waiting run. It uses no destination of the line.
 * @param expected refusals that are returned instead of thrown
 */
export async function askQuestion(
	this: IExecuteFunctions | IWebhookFunctions,
	{ contact, message, accepts, taps, seconds, url, key, replaces, alsoForward }: GatewayQuestion,
	expected: string[] = [],
	itemIndex?: number,
): Promise<QuestionAnswer> {
	return await callGateway.call(this, {
		method: 'POST',
		path: 'questions',
		itemIndex,
		expected,
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

/** The step of a question without what only the node needs. */
export const asked = ({
	message,
	accepts,
	taps,
}: Step): Pick<GatewayQuestion, 'message' | 'accepts' | 'taps'> => ({
	message,
	accepts,
	taps,
});
