import type { Item } from '../../../item';
import { characters } from '../../../limits';

/**
 * Prefix of a button or row ID that answers a waiting run. The path and query of n8n's signed resume URL
 * follow. Our trigger receives the tap and calls that path on its own n8n. Nobody can forge the ID, because
 * n8n has signed the URL.
 */
export const RESUME_PREFIX = 'mgw-resume:';

/** Creates the IDs for `count` choices, in order. */
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

/** Returns the choice in an ID and the waiting run, as the last two parts of its path. */
export function readResumeId(replyId: unknown): { run: string; choice: number } | undefined {
	if (typeof replyId !== 'string' || !replyId.startsWith(RESUME_PREFIX)) return undefined;
	const [path = '', query = ''] = replyId.slice(RESUME_PREFIX.length).split('?');
	const choice = new URLSearchParams(query).get('choice') ?? '';
	return /^\d{1,2}$/.test(choice) ? { run: runOf(path), choice: Number(choice) } : undefined;
}

/**
 * `/prefix/webhook-waiting/231/<node>` → `/prefix`, the path of n8n behind a proxy. Undefined for any other
 * path: n8n's API, webhooks of workflows, and runs under another N8N_ENDPOINT_WEBHOOK_WAIT.
 */
export const prefixOf = (path: string): string | undefined =>
	/^(.*)\/webhook-waiting\/\d{1,20}\/[^/]+$/.exec(path)?.[1];

/** `/prefix/webhook-waiting/231/<node>` → `231/<node>`. The prefix can differ behind a proxy. */
export const runOf = (path: string): string => path.split('/').slice(-2).join('/');
