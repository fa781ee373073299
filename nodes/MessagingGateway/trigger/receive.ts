import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { toItems, type Envelope, type Items } from './events';
import { secrets } from './registration';
import { isSignedWith } from './signature';

/** Nothing else is echoed, so that no answer of this address can be read as a page. */
const CHALLENGE = /^[A-Za-z0-9_.-]{1,200}$/;

/** The handshake that the gateway tries when a destination is saved: the bare challenge, as plain text. */
export function answerHandshake(this: IWebhookFunctions): IWebhookResponseData {
	const query = this.getQueryData() as Record<string, unknown>;
	const challenge = query['hub.challenge'];
	if (query['hub.mode'] === 'subscribe' && typeof challenge === 'string' && CHALLENGE.test(challenge)) {
		answer(this, 200, 'text/plain', challenge);
	} else {
		answer(
			this,
			400,
			'application/json',
			JSON.stringify({ error: 'This address expects a hub.challenge, or signed events by POST.' }),
		);
	}
	return { noWebhookResponse: true };
}

/**
 * One POST of the gateway. The signature is checked over the bytes as they came, before anything is read from them:
 * without a right one the answer is 401 and no workflow runs. An event that nobody asked for is answered 200, so that
 * the gateway does not send it again.
 */
export async function receiveEvents(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = this.getRequestObject();
	if (!request.rawBody) await request.readRawBody();
	const rawBody = request.rawBody ?? Buffer.alloc(0);
	const header = this.getHeaderData()['x-hub-signature-256'];
	const signature = typeof header === 'string' ? header : undefined;
	if (!secrets(this).some((secret) => isSignedWith(secret, rawBody, signature))) {
		answer(
			this,
			401,
			'application/json',
			JSON.stringify({
				error: 'The signature X-Hub-Signature-256 is missing or wrong; the event was not accepted.',
			}),
		);
		return { noWebhookResponse: true };
	}

	const items = wanted(toItems(this.getBodyData() as Envelope), this.getNodeParameter('events') as string[]);
	const received = items.messages.length + items.statuses.length;
	if (received === 0) return { webhookResponse: { received } };
	return { webhookResponse: { received }, workflowData: [items.messages, items.statuses] };
}

/** Answers in n8n's place: only so can the status be another one than 200. */
function answer(context: IWebhookFunctions, statusCode: number, contentType: string, body: string): void {
	context.getResponseObject().writeHead(statusCode, { 'Content-Type': contentType }).end(body);
}

/** `played` follows `read` for voice messages; whoever asked for read gets both. */
const STATUS_EVENTS: Record<string, string> = { played: 'read' };

function wanted({ messages, statuses }: Items, events: string[]): Items {
	const isWanted = ({ json }: INodeExecutionData) => {
		const messageStatus = String(json.messageStatus);
		return events.includes(STATUS_EVENTS[messageStatus] ?? messageStatus);
	};
	return {
		messages: events.includes('messages') ? messages : [],
		statuses: statuses.filter(isWanted),
	};
}
