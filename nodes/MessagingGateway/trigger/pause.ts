import type { IHookFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

/** In seconds. n8n listens for a test event for two minutes, and somebody has to write first. */
export const LONGEST_PAUSE_OF_A_TEST = 60;

/** For how many seconds a contact has to be silent before its messages start a run; undefined where each does at once. */
export function pauseWaitedFor(context: IHookFunctions | IWebhookFunctions): number | undefined {
	const { waitForPause } = context.getNodeParameter('options', {}) as { waitForPause?: number };
	return waitForPause || undefined;
}

/**
 * What a contact wrote until it paused, as one item: that of the latest message, with the texts of all of them one below
 * the other, their files, and each by itself under `messages`.
 */
export function together(messages: INodeExecutionData[]): INodeExecutionData[] {
	const latest = messages.at(-1);
	if (!latest) return [];
	const texts = messages.flatMap(({ json }) => (typeof json.text === 'string' ? [json.text] : []));
	const files = messages.flatMap(({ binary }) => Object.entries(binary ?? {}));
	return [
		{
			...latest,
			json: {
				...latest.json,
				text: texts.length > 0 ? texts.join('\n') : null,
				messages: messages.map(({ json }) => json),
			},
			...(files.length > 0 && {
				// The field of the first file, then the same with a number.
				binary: Object.fromEntries(
					files.map(([field, file], index) => [index === 0 ? field : `${field}_${index + 1}`, file]),
				),
			}),
		},
	];
}
