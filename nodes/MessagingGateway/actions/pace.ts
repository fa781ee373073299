import { sleep } from 'n8n-workflow';

import { PAIR_LIMIT } from '../failures';

/** The longest wait that the node accepts, in seconds. If the gateway asks for more, the item fails. */
const LONGEST_WAIT_S = 120;

/** Decides when the next request may start. All lanes of a line share one pace. */
export interface Pace {
	turn(): Promise<void>;
	/** Blocks all starts for this many seconds. */
	hold(seconds: number): void;
}

/** @param perSecond the most starts per second; without it, only `hold` delays requests */
export function paceOf(perSecond: number | undefined): Pace {
	const gap = perSecond && perSecond > 0 ? 1000 / perSecond : 0;
	let nextStart = 0;
	let heldUntil = 0;
	return {
		async turn() {
			do {
				const mine = Math.max(nextStart, heldUntil, Date.now());
				nextStart = mine + gap;
				if (mine > Date.now()) await sleep(mine - Date.now());
				// Loops after a hold, so that waiting tasks start one after the other instead of all at once.
			} while (heldUntil > Date.now());
		},
		hold(seconds) {
			heldUntil = Math.max(heldUntil, Date.now() + seconds * 1000);
		},
	};
}

/** The wait that a refusal asks for, and whether it applies to one contact or to every request. */
export interface Delay {
	seconds: number;
	everyone: boolean;
}

/**
 * Returns the wait that a refusal asks for; undefined if the request must not be retried.
 * @param errorResponse the gateway's answer, as thrown by the transport
 */
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
		case 'batch_out_of_time':
			return { seconds, everyone: true };
		case 'pair_rate_limited':
		case 'idempotency_in_progress':
			return { seconds, everyone: false };
		default:
			return undefined;
	}
}

/** Waits below this many seconds show no message. */
const SHORT_WAIT_S = 2;

/** Collects the waits of a run. Without a message about them, the run would seem to hang. */
export class Waits {
	private until = 0;
	private seconds = 0;
	private readonly reasons = new Set<string>();

	/**
	 * Adds a wait; simultaneous waits count once.
	 * @param reason a sentence without its full stop
	 */
	add(seconds: number, reason: string): void {
		const now = Date.now();
		const end = now + seconds * 1000;
		this.seconds += Math.max(0, end - Math.max(now, this.until)) / 1000;
		this.until = Math.max(this.until, end);
		this.reasons.add(reason);
	}

	/** Returns the message about the waits; undefined if they were short. */
	told(): string | undefined {
		if (this.seconds < SHORT_WAIT_S) return undefined;
		return `This run waited ${Math.round(this.seconds)} seconds in all. Why: ${[...this.reasons].join('; ')}. Nothing was lost by that.`;
	}
}
