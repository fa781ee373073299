import {
	ensureError,
	sleep,
	type IDataObject,
	type IN8nHttpFullResponse,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { isObject } from '../json';
import { prefixOf, RESUME_PREFIX } from '../actions/message/wait/resumeId';

/**
 * Path and query of a resume address that n8n has signed: folders of plain letters (a prefix behind a proxy, then n8n's
 * word for waiting webhooks), the number of the run, perhaps the node, and a signature. No empty folder, so that
 * nothing can be read as a host; no dots alone, so that nothing climbs; nothing that is written in another way than it
 * is read.
 */
const RESUME_PATH =
	/^(?:\/\w[\w.~-]*){1,8}\/\d{1,20}(?:\/[\w-]{1,64})?\?(?:[\w.~-]{1,40}=[\w.~%+-]{0,80}&){0,8}signature=[0-9a-f]{64}$/;

/** The URL of this trigger, while it is live or listens for a test. */
const OWN_PATH = /^(.*)\/webhook(?:-test)?\/[^/]+\/webhook$/;

/**
 * The path to resume from a reply's ID; undefined for every other ID, such as one that a contact made up to
 * call a workflow or n8n's own API. Runs of this n8n wait under the prefix of its webhooks.
 */
export function resumePath(context: IWebhookFunctions, replyId: unknown): string | undefined {
	if (typeof replyId !== 'string' || !replyId.startsWith(RESUME_PREFIX)) return undefined;
	const path = replyId.slice(RESUME_PREFIX.length);
	const { pathname } = new URL(context.getNodeWebhookUrl('default') as string);
	const [, prefix] = OWN_PATH.exec(pathname) ?? [];
	const isOfThisN8n = prefix !== undefined && prefixOf(path.split('?')[0] ?? '') === prefix;
	return isOfThisN8n && RESUME_PATH.test(path) ? path : undefined;
}

/**
 * `answered`: the run has it. `over`: the run already had an answer, was stopped, or its time is over.
 * `later`: the run cannot accept it yet, or n8n could not reach itself.
 */
export interface Resumption {
	outcome: 'answered' | 'over' | 'later';
	/** For people who look at the delivery in the gateway. */
	detail: string;
}

/** A run is saved as waiting a moment after its question went out; a quick thumb is faster. Milliseconds. */
const WAITS_FOR_THE_RUN = [250, 500, 1000, 2000, 4000];

/**
 * Time-outs of n8n's answer to itself. All tries together stay below the 20 seconds that the gateway waits.
 */
const TIMEOUT_MS = 4000;

/**
 * n8n answers 409 for a run that is not saved as waiting yet, and for one that has already continued or is
 * over. Its words distinguish them; if they should change, the age of the answer does: no run needs minutes
 * to be saved.
 */
const LONGEST_TO_SAVE_MS = 10 * 60_000;

const isFresh = ({ timestamp }: IDataObject): boolean =>
	!(Date.now() - Date.parse(String(timestamp)) > LONGEST_TO_SAVE_MS);

/**
 * Sends a contact's answer to the run that waits for it: only to this n8n's own origin, whatever the reply's
 * ID says. n8n itself checks the signature, and that the run still waits.
 */
export async function resumeRun(
	this: IWebhookFunctions,
	path: string,
	message: IDataObject,
): Promise<Resumption> {
	const { origin } = new URL(this.getNodeWebhookUrl('default') as string);
	const answer = {
		id: message.replyId,
		title: message.replyTitle,
		text: message.text,
		from: message.from ?? message.fromUserId,
		fromUserId: message.fromUserId,
		name: message.name,
		messageId: message.messageId,
		timestamp: message.timestamp,
	};
	for (let tries = 0; ; tries++) {
		let response: IN8nHttpFullResponse;
		try {
			response = (await this.helpers.httpRequest({
				method: 'POST',
				url: `${origin}${path}`,
				body: answer,
				headers: { 'content-type': 'application/json' },
				timeout: TIMEOUT_MS,
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
			})) as IN8nHttpFullResponse;
		} catch (error) {
			const { message: reason } = ensureError(error);
			return { outcome: 'later', detail: `This n8n does not reach itself at ${origin}: ${reason}` };
		}
		const { statusCode, body } = response;
		if (statusCode >= 500) {
			return { outcome: 'later', detail: `n8n answered ${statusCode} when its run should have continued.` };
		}
		const mayWaitSoon = statusCode === 409 && isFresh(message) && !/finished/.test(JSON.stringify(body));
		if (!mayWaitSoon) {
			// For a run that is over, n8n also answers 200, with a page.
			const isTaken = statusCode === 200 && isObject(body) && body.accepted === true;
			return {
				outcome: isTaken ? 'answered' : 'over',
				detail: `n8n answered ${statusCode} for its waiting run.`,
			};
		}
		const wait = WAITS_FOR_THE_RUN[tries];
		if (wait === undefined) return { outcome: 'later', detail: 'The run does not wait yet.' };
		await sleep(wait);
	}
}
