import { sleep } from 'n8n-workflow';

import { PAIR_LIMIT } from '../failures';

/** How long a contact or a line may ask to wait before the item fails with what was said. */
const LONGEST_WAIT_S = 120;

/** When the next request may start. All lanes of a run share one. */
export interface Pace {
	/** Waits until a request may start. */
	turn(): Promise<void>;
	/** Nobody starts for so many seconds. */
	hold(seconds: number): void;
}

/** @param perSecond starts per second at most; without it only `hold` delays anything */
export function paceOf(perSecond: number | undefined): Pace {
	const gap = perSecond && perSecond > 0 ? 1000 / perSecond : 0;
	let nextStart = 0;
	let heldUntil = 0;
	return {
		async turn() {
			const mine = Math.max(nextStart, Date.now());
			nextStart = mine + gap;
			if (mine > Date.now()) await sleep(mine - Date.now());
			// Others may have been told to wait in the meantime.
			while (heldUntil > Date.now()) await sleep(heldUntil - Date.now());
		},
		hold(seconds) {
			heldUntil = Math.max(heldUntil, Date.now() + seconds * 1000);
		},
	};
}

/** What a refusal for now asks for: how long, and whether that concerns one contact or everyone. */
export interface Delay {
	seconds: number;
	everyone: boolean;
}

/** @param errorResponse what the gateway answered, as the transport threw it; nothing was sent by it */
export function delayAskedFor(errorResponse: unknown): Delay | undefined {
	const {
		error_code: code,
		error,
		retry_after: seconds,
	} = (errorResponse ?? {}) as {
		error_code?: string;
		error?: { code?: number };
		retry_after?: number;
	};
	if (!seconds || seconds > LONGEST_WAIT_S) return undefined;
	switch (code) {
		case 'upstream_rate_limited':
			return { seconds, everyone: error?.code !== PAIR_LIMIT };
		case 'rate_limited':
		case 'overloaded':
		case 'database_unavailable':
			return { seconds, everyone: true };
		case 'pair_rate_limited':
		case 'idempotency_in_progress':
			return { seconds, everyone: false };
		default:
			return undefined;
	}
}
