import {
	ensureError,
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { callGateway, CREDENTIAL } from '../transport';
import { checkFilters } from './filters';
import { pauseWaitedFor } from './pause';

/**
 * n8n stops listening for a test event after two minutes. If it ends without cleaning up, the gateway forgets the
 * test destination by itself.
 */
const TEST_DESTINATION_SECONDS = 5 * 60;

/** A destination at the gateway that this trigger made, as the workflow's static data keeps it. */
interface Registration {
	id: string;
	url: string;
	/** The same address as the gateway writes it: it may spell the host, a default port or an umlaut otherwise. */
	urlAtGateway: string;
	secret: string;
	/** Test listening has a destination of its own, beside the one of the active workflow. */
	test: boolean;
}

/** Contract §10, "destinations by token". */
interface Destination extends IDataObject {
	id: string | number;
	url: string;
	events?: string[];
	/** Of an older gateway undefined: it sends every message at once. */
	quiet_seconds?: number | null;
	/** When the gateway stopped sending there, because it was told that the address is gone for good. */
	paused_at?: string | null;
	secret?: string;
	/** Whether it reached the address, which it tries as soon as it knows it. */
	handshake?: { ok?: boolean; detail?: string };
}

/** The secrets that events for this trigger may be signed with. */
export async function secrets(context: IWebhookFunctions): Promise<string[]> {
	if (!isManual(context)) return registrations(context).map(({ secret }) => secret);
	const { signingSecret } = await context.getCredentials<{ signingSecret?: string }>(CREDENTIAL);
	return signingSecret?.trim() ? [signingSecret.trim()] : [];
}

/** The line's number in the gateway, as it was told when the workflow went live. */
export const knownLine = (context: IWebhookFunctions): number | null =>
	(context.getWorkflowStaticData('node').line ?? null) as number | null;

/**
 * Whether nothing is left to be done for events to come: the gateway still has our destination and sends to it, with
 * the events that are wanted now; or the address is put into the gateway by hand. A test is registered anew each
 * time, so that it has its full time.
 */
export async function isRegistered(this: IHookFunctions): Promise<boolean> {
	checkFilters.call(this);
	if (isManual(this)) return await isReadyForManual.call(this);
	const own = registrationFor(this);
	if (!own || own.test) return false;
	const answer = await callGateway.call(this, { method: 'GET', under: '/v22.0', path: 'destinations' });
	const kept = ((answer.data ?? []) as Destination[]).find(({ id }) => String(id) === own.id);
	return (
		kept !== undefined &&
		isAddress(kept.url, own.urlAtGateway) &&
		!kept.paused_at &&
		sameWords(kept.events, wantedEvents(this)) &&
		(kept.quiet_seconds ?? undefined) === pauseWaitedFor(this)
	);
}

/** The gateway cuts an address after its host, with a …, for all tokens but the one that added it. */
const isAddress = (shown: string, own: string): boolean =>
	shown.endsWith('…') ? own.startsWith(shown.slice(0, -1)) : shown === own;

/** By hand there is nothing to register, but without the secret no event could be told from a forged one. */
async function isReadyForManual(this: IHookFunctions): Promise<true> {
	const { signingSecret } = await this.getCredentials<{ signingSecret?: string }>(CREDENTIAL);
	if (!signingSecret?.trim()) {
		throw new NodeOperationError(this.getNode(), 'The signing secret is missing', {
			description:
				"Set up by hand, this trigger needs the secret that your gateway signs events with. Enter it as Signing Secret in this node's credential.",
		});
	}
	// What was registered before the setting was changed would send each event a second time.
	for (const left of registrations(this)) await remove(this, left);
	try {
		await learnLine(this);
	} catch (error) {
		// Events come all the same; only the line's number in the gateway stays unknown.
		this.logger.warn(`The trigger could not ask the gateway for its line: ${ensureError(error).message}`);
	}
	return true;
}

/**
 * Registers this workflow's address. What an earlier registration of the same kind left behind (another address of
 * this n8n, other events) is removed first; test and production never touch each other. An address that the gateway
 * cannot reach is taken back and said so: a workflow that looks active and never starts is worse.
 */
export async function register(this: IHookFunctions): Promise<boolean> {
	const test = this.getMode() === 'manual';
	for (const left of registrations(this).filter((registration) => registration.test === test)) {
		await remove(this, left);
	}
	await learnLine(this);
	const url = webhookUrl(this);
	const pause = pauseWaitedFor(this);
	const destination = (await callGateway.call(this, {
		method: 'POST',
		under: '/v22.0',
		path: 'destinations',
		body: {
			url,
			events: wantedEvents(this),
			mode: 'split',
			...(pause && { quiet_seconds: pause }),
			...(test && { expires_in: TEST_DESTINATION_SECONDS }),
		},
		sentences: {
			invalid_payload: {
				happened: pause
					? `The gateway does not take this registration: it cannot send events to ${url}, or is too old to wait until a contact pauses`
					: `The gateway cannot send events to this n8n at ${url}`,
				next: 'If n8n is reached at another address, set its environment variable WEBHOOK_URL.',
			},
		},
	})) as Destination;
	const { id, url: urlAtGateway, secret, handshake } = destination;
	const registration = { id: String(id), url, urlAtGateway, secret: String(secret), test };
	keep(this, [...registrations(this), registration]);
	if (handshake?.ok === false) {
		await remove(this, registration);
		throw new NodeOperationError(this.getNode(), `The gateway does not reach this n8n at ${url}`, {
			description: [
				handshake.detail?.replace('Events are sent all the same.', '').trim(),
				'If n8n is reached at another address, set its environment variable WEBHOOK_URL to that one and restart n8n.',
				"If n8n is in a private network or on the gateway's own machine, name its host in the gateway's setting GATEWAY_ALLOW_DESTINATIONS.",
			]
				.filter(Boolean)
				.join('\n'),
		});
	}
	return true;
}

/** Removes our destination, and only that. One that is gone already is as good as removed. */
export async function unregister(this: IHookFunctions): Promise<boolean> {
	const own = registrationFor(this);
	if (own) await remove(this, own);
	return true;
}

async function remove(context: IHookFunctions, registration: Registration): Promise<void> {
	await callGateway.call(context, {
		method: 'DELETE',
		under: '/v22.0',
		path: `destinations/${encodeURIComponent(registration.id)}`,
		alsoAccept: [404],
	});
	keep(
		context,
		registrations(context).filter(({ id }) => id !== registration.id),
	);
}

/** Events name the line by its phone number ID alone; its number in the gateway, which Send gives out, is asked for. */
async function learnLine(context: IHookFunctions): Promise<void> {
	const { line } = (await callGateway.call(context, { method: 'GET', path: 'status' })) as {
		line?: { id?: number };
	};
	context.getWorkflowStaticData('node').line = line?.id ?? null;
}

/** By address: n8n removes a test listener in another mode than the one it was made in. */
const registrationFor = (context: IHookFunctions): Registration | undefined =>
	registrations(context).find(({ url }) => url === webhookUrl(context));

const registrations = (context: IHookFunctions | IWebhookFunctions): Registration[] =>
	(context.getWorkflowStaticData('node').registrations ?? []) as Registration[];

function keep(context: IHookFunctions, kept: Registration[]): void {
	context.getWorkflowStaticData('node').registrations = kept;
}

const isManual = (context: IHookFunctions | IWebhookFunctions): boolean =>
	context.getNodeParameter('registration', 'automatic') === 'manual';

const webhookUrl = (context: IHookFunctions): string => context.getNodeWebhookUrl('default') as string;

const wantedEvents = (context: IHookFunctions): string[] => context.getNodeParameter('events') as string[];

const sameWords = (some: string[] | undefined, others: string[]): boolean =>
	some !== undefined && [...some].sort().join() === [...others].sort().join();
