import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { webhookAnswer } from '../webhookAnswer';
import { toItems, type Envelope, type Items } from './events';
import { wanted } from './filters';
import { withFiles } from './media';
import { pauseWaitedFor, together } from './pause';
import { withQuestions } from './question';
import { knownLine, secrets, wantsAlerts } from './registration';
import { arrivalOf } from './repeats';
import { resumePath, resumeRun } from './resume';
import { faultOfSignature } from './signature';

/** Nothing else is echoed, so that no answer of this address can be read as a page. */
const CHALLENGE = /^[A-Za-z0-9_.-]{1,200}$/;

/** The handshake that a gateway tries when a destination is saved: the bare challenge, as plain text. */
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
 * One POST of the gateway. The signature is checked over the raw bytes, before anything is read from them:
 * without a valid one the answer is 401 and no workflow runs. An unwanted or repeated event is answered with
 * 200, so that the gateway does not send it again.
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
		knownLine(this),
		typeof lateAnswerTo === 'string' ? lateAnswerTo : null,
		headers['x-gateway-automation'] === 'paused',
	);
	const arrival = arrivalOf(this, items);
	if (arrival.before === 'came') return { webhookResponse: { received: 0, repeated: true } };
	// If it were answered now, it would be lost if a later step fails.
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
 * Sends replies to the runs that wait for them; they start no run of this workflow. A late one does: the ID
 * of its button is this node's own word, so its title is used instead. `undelivered` says why one could not
 * be delivered yet: the gateway then sends the event again.
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
