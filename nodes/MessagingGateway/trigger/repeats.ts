import { createHash } from 'node:crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

import type { Items } from './events';

/**
 * The gateway delivers at least once: after a lost answer or a replay, an event comes again. This remembers
 * which ones have come, across all workflows of this n8n process, by the messages and statuses that they are
 * about, which every signature covers. An attacker who repeats a captured event could change a header.
 *
 * In memory on purpose. n8n discards changes of static data by a webhook as soon as it starts a run (2.41).
 * If it does store them, it writes back all data as it was when the request came, over a registration made
 * meanwhile. Nothing is lost: the gateway repeats by itself only events that were never answered, and these
 * should run after a crash. A replay after a restart of n8n runs again.
 */
const seen = new Map<string, 'coming' | 'came'>();

/** About 2 MB. The oldest make room. */
const MOST = 20_000;

export interface Arrival {
	/** `coming`: the same event came before, and whether it can be dealt with is not known yet. */
	before: 'coming' | 'came' | undefined;
	/** To be called when it was dealt with. */
	done(): void;
	/** To be called when it could not be dealt with: then it is welcome again. */
	failed(): void;
}

const NOT_KNOWN: Arrival = { before: undefined, done: () => {}, failed: () => {} };

/** @param items all that came in one POST */
export function arrivalOf(context: IWebhookFunctions, { messages, statuses, alerts }: Items): Arrival {
	const all = [...messages, ...statuses, ...alerts];
	// A test takes one event, and may well be made with the same one again.
	if (context.getMode() === 'manual' || all.length === 0) return NOT_KNOWN;
	const events = all.map(({ json }) => json.raw);
	const about = createHash('sha256').update(JSON.stringify(events)).digest('base64');
	const key = `${context.getWorkflow().id} ${context.getNode().id} ${about}`;
	const before = seen.get(key);
	if (before) return { ...NOT_KNOWN, before };
	remember(key, 'coming');
	const failed = () => void seen.delete(key);
	// n8n may still fail to start the run: the gateway then gets an error and sends the event again.
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
