import { sleep } from 'n8n-workflow';

import { PAIR_LIMIT } from '../failures';

/** The longest required wait; after that, the item fails with the refusal. */
const LONGEST_WAIT_S = 120;

/** When the next request may start. All lanes of a line share one. */
export interface Pace {
	/** Waits until a request may start. */
	turn(): Promise<void>;
	/** No item starts for this many seconds. */
	hold(seconds: number): void;
}

/** @param perSecond starts per second at most; without it only `hold` delays anything */
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
				// Others may have to wait as well: they start one after the other, not all at once.
			} while (heldUntil > Date.now());
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
		case 'batch_out_of_time':
			return { seconds, everyone: true };
		case 'pair_rate_limited':
		case 'idempotency_in_progress':
			return { seconds, everyone: false };
		default:
			return undefined;
	}
}

/** Shorter waits need no message. */
const SHORT_WAIT_S = 2;

/** How long a run has to wait, and why: without a message it would seem to hang. */
export class Waits {
	private until = 0;
	private seconds = 0;
	private readonly reasons = new Set<string>();

	/** Waits at the same time count once. @param reason why, in a sentence without its full stop */
	add(seconds: number, reason: string): void {
		const now = Date.now();
		const end = now + seconds * 1000;
		this.seconds += Math.max(0, end - Math.max(now, this.until)) / 1000;
		this.until = Math.max(this.until, end);
		this.reasons.add(reason);
	}

	/** The message about it; undefined if it is too short. */
	told(): string | undefined {
		if (this.seconds < SHORT_WAIT_S) return undefined;
		return `This run waited ${Math.round(this.seconds)} seconds in all. Why: ${[...this.reasons].join('; ')}. Nothing was lost by that.`;
	}
}
