import type { Item } from '../../../item';
import { characters } from '../../../limits';

/**
 * The id of a button or row that answers a waiting run: this word, then path and query of n8n's signed URL to
 * resume that run. Our trigger, which receives every tap, sends the answer to that path of its own n8n. n8n
 * has signed it, so nobody can forge one.
 */
export const RESUME_PREFIX = 'mgw-resume:';

/** The ids of this many choices, in their order. */
export function resumeIds(item: Item, count: number, limit: number): string[] {
	return Array.from({ length: count }, (_, choice) => {
		const { pathname, search } = new URL(item.context.getSignedResumeUrl({ choice: String(choice) }));
		const id = `${RESUME_PREFIX}${pathname}${search}`;
		if (characters(id) > limit) {
			item.refuse(
				`The address at which this n8n waits for answers is ${characters(id)} characters long, ${characters(id) - limit} more than a reply can carry`,
				'Set Response Type to Free Text, or give n8n a shorter address (its environment variable WEBHOOK_URL).',
			);
		}
		return id;
	});
}

/** The choice of an id, and the run that it answers: the last two parts of its path. */
export function readResumeId(replyId: unknown): { run: string; choice: number } | undefined {
	if (typeof replyId !== 'string' || !replyId.startsWith(RESUME_PREFIX)) return undefined;
	const [path = '', query = ''] = replyId.slice(RESUME_PREFIX.length).split('?');
	const choice = new URLSearchParams(query).get('choice') ?? '';
	return /^\d{1,2}$/.test(choice) ? { run: runOf(path), choice: Number(choice) } : undefined;
}

/**
 * `/prefix/webhook-waiting/231/<node>` → `/prefix`, which n8n has behind a proxy. Undefined for every other path: n8n's own
 * API, webhooks of workflows, and runs that wait at an address of their own (N8N_ENDPOINT_WEBHOOK_WAIT).
 */
export const prefixOf = (path: string): string | undefined =>
	/^(.*)\/webhook-waiting\/\d{1,20}\/[^/]+$/.exec(path)?.[1];

/** `/prefix/webhook-waiting/231/<node>` → `231/<node>`; the beginning may differ behind a proxy. */
export const runOf = (path: string): string => path.split('/').slice(-2).join('/');
