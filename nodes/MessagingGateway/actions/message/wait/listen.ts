import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Item } from '../../../item';
import { callGateway } from '../../../transport';
import type { Destination } from '../../../trigger/registration/destination';
import { prefixOf } from './resumeId';

/**
 * Matches the live URL of a trigger; a test URL works for two minutes only. n8n's own WhatsApp Trigger has
 * URLs of the same form, but people register those by hand.
 */
const TRIGGER_PATH = /^(.*)\/webhook\/[^/]+\/webhook$/;

/** Seconds that the gateway still accepts late events; n8n then answers that nothing is waiting. */
const AFTER_THE_LIMIT_S = 60;

/** The longest lifetime of a destination that expires on its own, in seconds. */
const LONGEST_S = 366 * 24 * 3600;

/**
 * Whether a trigger of this n8n receives the line's messages. Such a trigger delivers answers by the URL in
 * their id (`resumeIds`), so that the waiting run needs no destination.
 */
export async function triggerListens(item: Item): Promise<boolean> {
	const { origin, pathname } = new URL(item.context.getSignedResumeUrl());
	const prefix = prefixOf(pathname);
	if (prefix === undefined) return false;
	const { data } = await item.ask({
		method: 'GET',
		path: 'destinations',
	});
	return ((data ?? []) as Destination[]).some(
		({ url, events, origin: by = 'token', paused_at: pausedAt }) => {
			const address = URL.canParse(url) ? new URL(url) : undefined;
			const isOurs =
				by === 'token' && address?.origin === origin && TRIGGER_PATH.exec(address.pathname)?.[1] === prefix;
			return isOurs && !pausedAt && (events ?? ['messages']).includes('messages');
		},
	);
}

/** Advice for questions that work without a destination. */
const NO_ADDRESS =
	'Questions with buttons or a list need none while a workflow with a Messaging Gateway Trigger of this line is published.';

/**
 * Registers this run for all messages of the line until the run continues or its time ends. `receiveAnswer`
 * then checks the sender and the answer. Returns the ID of the destination.
 */
export async function listen(item: Item, seconds: number): Promise<string> {
	const until = Math.ceil(seconds) + AFTER_THE_LIMIT_S;
	const url = item.context.getSignedResumeUrl();
	const { id } = await item.ask({
		method: 'POST',
		path: 'destinations',
		body: { url, events: ['messages'], mode: 'split', expires_in: Math.min(until, LONGEST_S) },
		sentences: {
			invalid_payload: {
				happened: `The gateway cannot send answers to this n8n at ${new URL(url).origin}`,
				next: 'If n8n is reached at another address, set its environment variable WEBHOOK_URL. Nothing was sent.',
			},
			too_many_registrations: {
				happened: 'Too many runs wait for an answer on this line',
				next: `A line keeps up to 100 addresses, and this question needs one until it is answered or its Time Limit is over. Nothing was sent. ${NO_ADDRESS}`,
				isWhole: true,
			},
			rate_limited: {
				happened: 'Too many questions on this line within a minute',
				next: `This question needs an address at the gateway, and a line takes 60 new ones a minute. Nothing was sent. Start the runs more slowly, such as with a Wait node in the loop that starts them. ${NO_ADDRESS}`,
				isWhole: true,
			},
		},
	});
	return String(id);
}

/**
 * Removes the destination that `listen` added. A destination that no longer exists counts as removed.
 * @param line the line, if it is not that of the first item
 */
export async function stopListening(
	this: IExecuteFunctions | IWebhookFunctions,
	destinationId: string,
	line?: string,
): Promise<void> {
	await callGateway.call(this, {
		method: 'DELETE',
		path: `destinations/${encodeURIComponent(destinationId)}`,
		line,
		alsoAccept: [404],
	});
}
