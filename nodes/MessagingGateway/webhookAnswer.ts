import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** Answers in n8n's place: only so can the status be another one than 200. Text goes out bare. */
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
