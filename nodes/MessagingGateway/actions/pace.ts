import { sleep } from 'n8n-workflow';

import { PAIR_LIMIT } from '../failures';

/** How long a contact or a line may ask to wait before the item fails with what was said. */
const LONGEST_WAIT_S = 120;

/** When the next request may start. All lanes of a line share one. */
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
			do {
				const mine = Math.max(nextStart, heldUntil, Date.now());
				nextStart = mine + gap;
				if (mine > Date.now()) await sleep(mine - Date.now());
				// Others may have been told to wait in the meantime: each then takes another turn, not all at once.
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

/** A wait that is shorter than this nobody wonders about. */
const SHORT_WAIT_S = 2;

/** How long a run was told to wait, and why: without a word it would look as if it hung. */
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

	/** What to say about it; undefined where it is not worth a word. */
	told(): string | undefined {
		if (this.seconds < SHORT_WAIT_S) return undefined;
		return `This run waited ${Math.round(this.seconds)} seconds in all. Why: ${[...this.reasons].join('; ')}. Nothing was lost by that.`;
	}
}
