import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** Sends the answer itself, because n8n always answers 200. Text is sent without quotes. */
export function webhookAnswer(
	context: IWebhookFunctions,
	statusCode: number,
	content: string | IDataObject,
): IWebhookResponseData {
	const isText = typeof content === 'string';
	context
		.getResponseObject()
		.writeHead(statusCode, { 'Content-Type': isText ? 'text/plain' : 'application/json' })
		.end(isText ? content : JSON.stringify(content));
	return { noWebhookResponse: true };
}
