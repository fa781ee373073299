import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { webhookAnswer } from '../webhookAnswer';
import { wantsAlerts } from './registration/destination';
import { toItems, type Envelope, type Items } from './events';
import { wanted } from './filters';
import { knownLine } from './registration/lines';
import { withFiles } from './media';
import { pauseWaitedFor, together } from './pause';
import { withQuestions } from './question';
import { secrets } from './registration/registration';
import { arrivalOf } from './repeats';
import { resumePath, resumeRun } from './resume';
import { faultOfSignature } from './signature';

/** Only these characters are echoed, so that the answer can never be read as a web page. */
const CHALLENGE = /^[A-Za-z0-9_.-]{1,200}$/;

/** Answers the handshake when a destination is saved: echoes the challenge as plain text. */
export function answerHandshake(this: IWebhookFunctions): IWebhookResponseData {
	const query = this.getQueryData() as Record<string, unknown>;
	const challenge = query['hub.challenge'];
	if (query['hub.mode'] === 'subscribe' && typeof challenge === 'string' && CHALLENGE.test(challenge)) {
		return webhookAnswer(this, 200, challenge);
	}
	return webhookAnswer(this, 400, {
		error: 'This address expects a hub.challenge, or signed events by POST.',
	});
}

/**
 * Handles one POST from the gateway. Checks the signature over the raw bytes before parsing; answers 401 if
 * it is invalid, and starts no workflow. Answers 200 to unwanted and repeated events, so that the gateway
 * does not send them again.
 */
export async function receiveEvents(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = this.getRequestObject();
	if (!request.rawBody) await request.readRawBody();
	const rawBody = request.rawBody ?? Buffer.alloc(0);
	const headers = this.getHeaderData() as IDataObject;
	const fault = faultOfSignature(await secrets(this), rawBody, headers);
	if (fault !== null) return webhookAnswer(this, 401, { error: fault });

	const lateAnswerTo = headers['x-gateway-late-answer-to'];
	const items = toItems(
		this.getBodyData() as Envelope,
		(phoneNumberId) => knownLine(this, phoneNumberId),
		typeof lateAnswerTo === 'string' ? lateAnswerTo : null,
		headers['x-gateway-automation'] === 'paused',
	);
	const arrival = arrivalOf(this, items);
	if (arrival.before === 'came') return { webhookResponse: { received: 0, repeated: true } };
	// An accepted event would be lost if the first delivery fails later.
	if (arrival.before === 'coming')
		return webhookAnswer(this, 503, { error: 'This event is being dealt with.' });
	let isDealtWith = false;
	try {
		const { others, undelivered } = await answerWaitingRuns.call(this, items);
		if (undelivered !== undefined) return webhookAnswer(this, 503, { error: undelivered });
		const { messages, statuses, alerts } = wanted.call(this, others);
		const received = messages.length + statuses.length + alerts.length;
		const complete = await withFiles.call(this, await withQuestions.call(this, messages));
		const workflowData = [pauseWaitedFor(this) ? together(complete) : complete, statuses];
		if (wantsAlerts(this)) workflowData.push(alerts);
		isDealtWith = true;
		arrival.done();
		return received === 0
			? { webhookResponse: { received } }
			: { webhookResponse: { received }, workflowData };
	} finally {
		if (!isDealtWith) arrival.failed();
	}
}

/**
 * Sends replies to the runs that wait for them; these replies start no run. A late reply starts one, with the
 * button's title, because its ID is internal. `undelivered` is the reason why a reply could not be delivered
 * yet, so that the gateway sends the event again.
 */
async function answerWaitingRuns(
	this: IWebhookFunctions,
	{ messages, ...rest }: Items,
): Promise<{ others: Items; undelivered?: string }> {
	const others: Items = { messages: [], ...rest };
	for (const item of messages) {
		const path = resumePath(this, item.json.replyId);
		if (path === undefined) {
			others.messages.push(item);
			continue;
		}
		const { outcome, detail } = await resumeRun.call(this, path, item.json);
		if (outcome === 'later') return { others, undelivered: detail };
		if (outcome === 'over') {
			const { json } = item;
			const late = { replyId: json.replyTitle ?? null, lateAnswerTo: json.contextId ?? null };
			others.messages.push({ ...item, json: { ...json, ...late } });
		}
	}
	return { others };
}
