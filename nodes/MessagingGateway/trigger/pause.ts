import type { IHookFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

/** In seconds. n8n listens for a test event for only two minutes, and the contact must write first. */
export const LONGEST_PAUSE_OF_A_TEST = 60;

/**
 * Returns how many seconds a contact must be silent before the messages start a run; undefined to start
 * immediately.
 */
export function pauseWaitedFor(context: IHookFunctions | IWebhookFunctions): number | undefined {
	const { waitForPause } = context.getNodeParameter('options', {}) as { waitForPause?: number };
	return waitForPause || undefined;
}

/**
 * Combines a contact's messages into one item, based on the latest message: texts joined by line breaks, all
 * files, and each message under `messages` with its file's field in `binaryField`.
 */
export function together(messages: INodeExecutionData[]): INodeExecutionData[] {
	const latest = messages.at(-1);
	if (!latest) return [];
	const texts = messages.flatMap(({ json }) => (typeof json.text === 'string' ? [json.text] : []));
	const files = messages.flatMap(({ binary }, index) =>
		Object.entries(binary ?? {}).map(([field, file]) => ({ field, file, index })),
	);
	// The first file keeps its field name; the others get a number.
	const named = files.map(({ field, ...of }, place) => ({
		...of,
		field: place === 0 ? field : `${field}_${place + 1}`,
	}));
	const fieldOf = (index: number) => named.find((one) => one.index === index)?.field;
	return [
		{
			...latest,
			json: {
				...latest.json,
				text: texts.length > 0 ? texts.join('\n') : null,
				messages: messages.map(({ json }, index) => {
					const binaryField = fieldOf(index);
					return { ...json, ...(binaryField && { binaryField }) };
				}),
			},
			...(named.length > 0 && { binary: Object.fromEntries(named.map(({ field, file }) => [field, file])) }),
		},
	];
}
