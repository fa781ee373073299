import type { INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { callGateway } from '../transport';
import { lineOfEvent } from './registration/lines';

/**
 * The gateway waits 20 seconds for the answer to an event, and the tap must not be delayed by this look-up.
 */
const TIMEOUT_MS = 3_000;

/**
 * Adds `clientRef` and text of the tapped message to each tap. Both stay null if the gateway does not know
 * the message or cannot be reached.
 */
export async function withQuestions(
	this: IWebhookFunctions,
	messages: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	return await Promise.all(
		messages.map(async (item) => {
			const { replyId, contextId } = item.json;
			if (typeof replyId !== 'string' || typeof contextId !== 'string') return item;
			const question = await callGateway
				.call(this, {
					method: 'GET',
					path: `messages/${encodeURIComponent(contextId)}`,
					line: lineOfEvent(this, item.json),
					timeoutMs: TIMEOUT_MS,
				})
				.catch((error: Error) => {
					this.logger.debug(`The message that was tapped is not known: ${error.message}`);
					return {};
				});
			const { client_ref: clientRef, text: questionText } = question as Record<string, string | null>;
			return {
				...item,
				json: {
					...item.json,
					clientRef: item.json.clientRef ?? clientRef ?? null,
					questionText: questionText ?? null,
				},
			};
		}),
	);
}
