import type { IHookFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

/** In seconds. n8n listens for a test event for two minutes, and a contact has to write first. */
export const LONGEST_PAUSE_OF_A_TEST = 60;

/**
 * How many seconds a contact must not write before its messages start a run; undefined if each starts one
 * immediately.
 */
export function pauseWaitedFor(context: IHookFunctions | IWebhookFunctions): number | undefined {
	const { waitForPause } = context.getNodeParameter('options', {}) as { waitForPause?: number };
	return waitForPause || undefined;
}

/**
 * What a contact wrote until it paused, as one item: that of the latest message, with the texts of all of them one below
 * the other, their files, and each by itself under `messages`, with the field of its file in `binaryField`.
 */
export function together(messages: INodeExecutionData[]): INodeExecutionData[] {
	const latest = messages.at(-1);
	if (!latest) return [];
	const texts = messages.flatMap(({ json }) => (typeof json.text === 'string' ? [json.text] : []));
	const files = messages.flatMap(({ binary }, index) =>
		Object.entries(binary ?? {}).map(([field, file]) => ({ field, file, index })),
	);
	// The field of the first file, then the same with a number.
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
