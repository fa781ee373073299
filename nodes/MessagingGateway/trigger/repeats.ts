import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

/**
 * The gateway delivers at least once: after a lost answer, and when someone replays, an event comes again under the
 * same webhook-id. Here it is remembered which ones have come, in two places:
 *
 * - in memory, which is exact while this n8n runs, also for what is still being worked on;
 * - in the workflow's static data, the latest only, which outlives a restart of n8n.
 *
 * n8n writes static data back as a whole, as it was read when the request came. A request that takes its time (a file,
 * a run to go on) could so undo a registration made meanwhile: it is remembered in memory alone.
 */
const seen = new Map<string, 'came' | 'failed'>();

/** Across all workflows of this n8n; about 2 MB. */
const MOST_IN_MEMORY = 20_000;

/** Per workflow; about 10 KB, which n8n writes with each event. */
const MOST_IN_STATIC_DATA = 250;

const LONGEST_ID = 100;

/** Milliseconds from which a request is too old for the static data that it was given. */
const SLOW = 1000;

export interface Arrival {
	isRepeat: boolean;
	/** To be called when the event was dealt with, before n8n is answered. */
	done(): void;
	/** To be called when it could not be dealt with: then it is welcome again. */
	failed(): void;
}

const NOT_KNOWN: Arrival = { isRepeat: false, done: () => {}, failed: () => {} };

/** @param webhookId as the header says; without one, or with an absurd one, nothing is remembered */
export function arrivalOf(context: IWebhookFunctions, webhookId: unknown): Arrival {
	// A test takes one event, and may well be made with the same one again.
	if (context.getMode() === 'manual') return NOT_KNOWN;
	if (typeof webhookId !== 'string' || webhookId === '' || webhookId.length > LONGEST_ID) return NOT_KNOWN;
	const startedAt = Date.now();
	const key = `${context.getWorkflow().id} ${context.getNode().id} ${webhookId}`;
	const staticData = context.getWorkflowStaticData('node');
	const known = seen.get(key);
	if (known === 'came' || (known === undefined && kept(staticData).includes(webhookId))) {
		return { ...NOT_KNOWN, isRepeat: true };
	}
	remember(key, 'came');
	const failed = () => remember(key, 'failed');
	// n8n itself may fail after us, to start the run: then the gateway is told so and comes again.
	const response = context.getResponseObject();
	response.once('finish', () => {
		if (response.statusCode >= 400) failed();
	});
	return {
		isRepeat: false,
		done: () => {
			if (Date.now() - startedAt > SLOW) return;
			staticData.received = [...kept(staticData), webhookId].slice(-MOST_IN_STATIC_DATA);
		},
		failed,
	};
}

const kept = (staticData: IDataObject): string[] => (staticData.received ?? []) as string[];

/** The oldest make room. */
function remember(key: string, state: 'came' | 'failed'): void {
	seen.delete(key);
	seen.set(key, state);
	if (seen.size <= MOST_IN_MEMORY) return;
	const [oldest] = seen.keys();
	seen.delete(oldest);
}
