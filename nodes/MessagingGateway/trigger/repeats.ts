import { createHash } from 'node:crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

import type { Items } from './events';

/**
 * Recognizes repeated events, across all workflows of this n8n process: the gateway delivers at least once.
 * Events are compared by their signed content, because an attacker could change a header of a captured event.
 * Kept in memory on purpose. n8n (2.41) discards static data that a webhook changes once a run starts, or
 * writes back old data over a newer registration. After a restart, only events that were never answered are
 * sent again, and these should run. A replay after a restart also runs again.
 */
const seen = new Map<string, 'coming' | 'came'>();

/** About 2 MB. The oldest entries are dropped first. */
const MOST = 20_000;

export interface Arrival {
	/** `coming`: the same event arrived before and is still being processed. */
	before: 'coming' | 'came' | undefined;
	/** Call after the event was processed. */
	done(): void;
	/** Call if processing failed, so that the event is accepted again. */
	failed(): void;
}

const NOT_KNOWN: Arrival = { before: undefined, done: () => {}, failed: () => {} };

/** @param items all items of one POST */
export function arrivalOf(context: IWebhookFunctions, { messages, statuses, alerts }: Items): Arrival {
	const all = [...messages, ...statuses, ...alerts];
	// Tests are often repeated with the same event.
	if (context.getMode() === 'manual' || all.length === 0) return NOT_KNOWN;
	const events = all.map(({ json }) => json.raw);
	const about = createHash('sha256').update(JSON.stringify(events)).digest('base64');
	const key = `${context.getWorkflow().id} ${context.getNode().id} ${about}`;
	const before = seen.get(key);
	if (before) return { ...NOT_KNOWN, before };
	remember(key, 'coming');
	const failed = () => void seen.delete(key);
	// n8n can still fail to start the run. The gateway then gets an error and sends the event again.
	const response = context.getResponseObject();
	response.once('finish', () => {
		if (response.statusCode >= 400) failed();
	});
	return { before, done: () => remember(key, 'came'), failed };
}

function remember(key: string, state: 'coming' | 'came'): void {
	seen.delete(key);
	seen.set(key, state);
	const [oldest] = seen.keys();
	if (oldest !== undefined && seen.size > MOST) seen.delete(oldest);
}
