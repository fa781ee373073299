import { sleep, type IDataObject, type IN8nHttpFullResponse, type IWebhookFunctions } from 'n8n-workflow';

import { asError } from '../failures';
import { isObject } from '../json';
import { prefixOf, RESUME_PREFIX } from '../actions/message/wait/resumeId';

/**
 * Path and query of a signed resume URL: folders of plain letters (a proxy's prefix, then n8n's path for
 * waiting webhooks), the run's number, optionally the node, and a signature. Allows no empty folder, which
 * could become a host; no folder of dots only; and no encoding that changes the path.
 */
const RESUME_PATH =
	/^(?:\/\w[\w.~-]*){1,8}\/\d{1,20}(?:\/[\w-]{1,64})?\?(?:[\w.~-]{1,40}=[\w.~%+-]{0,80}&){0,8}signature=[0-9a-f]{64}$/;

/** The URL of this trigger, live or test. */
const OWN_PATH = /^(.*)\/webhook(?:-test)?\/[^/]+\/webhook$/;

/**
 * Returns the path to resume from a reply's ID; undefined for any other ID, including one crafted to call a
 * workflow or n8n's API. Waiting runs share the prefix of this n8n's webhooks.
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
 * `answered`: the run received the answer. `over`: the run was already answered, stopped or timed out.
 * `later`: the run cannot accept it yet, or n8n could not reach itself.
 */
export interface Resumption {
	outcome: 'answered' | 'over' | 'later';
	/** For people who look at the delivery in the gateway. */
	detail: string;
}

/**
 * Waits in milliseconds before each retry. n8n saves a run as waiting a moment after the question was sent,
 * and a contact can tap sooner.
 */
const WAITS_FOR_THE_RUN = [250, 500, 1000, 2000, 4000];

/**
 * Timeout of one request from n8n to itself. All tries together stay below the 20 seconds that the gateway
 * waits.
 */
const TIMEOUT_MS = 4000;

/**
 * n8n answers 409 both for a run that is not saved yet and for one that has ended. Its texts tell them apart;
 * if they change, the age of the answer decides, because saving never takes minutes.
 */
const LONGEST_TO_SAVE_MS = 10 * 60_000;

const isFresh = ({ timestamp }: IDataObject): boolean =>
	!(Date.now() - Date.parse(String(timestamp)) > LONGEST_TO_SAVE_MS);

/**
 * Sends a contact's answer to the waiting run, always at this n8n's own origin, whatever the reply's ID
 * contains. n8n checks the signature and whether the run still waits.
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
			const { message: reason } = asError(error);
			return { outcome: 'later', detail: `This n8n does not reach itself at ${origin}: ${reason}` };
		}
		const { statusCode, body } = response;
		if (statusCode >= 500) {
			return { outcome: 'later', detail: `n8n answered ${statusCode} when its run should have continued.` };
		}
		const mayWaitSoon = statusCode === 409 && isFresh(message) && !/finished/.test(JSON.stringify(body));
		if (!mayWaitSoon) {
			// n8n also answers 200, with a page, for a run that has ended.
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
