import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { callGateway } from '../transport';

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
	/** When the gateway stopped sending there, because it was told that the address is gone for good. */
	paused_at?: string | null;
	secret?: string;
}

/** The secrets that events for this trigger may be signed with. */
export const secrets = (context: IWebhookFunctions): string[] =>
	registrations(context).map(({ secret }) => secret);

/**
 * Whether the gateway still has our destination and sends to it, with the events that are wanted now. A test is
 * registered anew each time, so that it has its full time.
 */
export async function isRegistered(this: IHookFunctions): Promise<boolean> {
	const own = registrationFor(this);
	if (!own || own.test) return false;
	const answer = await callGateway.call(this, { method: 'GET', under: '/v22.0', path: 'destinations' });
	const kept = ((answer.data ?? []) as Destination[]).find(({ id }) => String(id) === own.id);
	return (
		kept !== undefined &&
		kept.url === own.urlAtGateway &&
		!kept.paused_at &&
		sameWords(kept.events, wantedEvents(this))
	);
}

/**
 * Registers this workflow's address. What an earlier registration of the same kind left behind (another address of
 * this n8n, other events) is removed first; test and production never touch each other.
 */
export async function register(this: IHookFunctions): Promise<boolean> {
	const test = this.getMode() === 'manual';
	for (const left of registrations(this).filter((registration) => registration.test === test)) {
		await remove(this, left);
	}
	const url = webhookUrl(this);
	const destination = (await callGateway.call(this, {
		method: 'POST',
		under: '/v22.0',
		path: 'destinations',
		body: {
			url,
			events: wantedEvents(this),
			mode: 'split',
			...(test && { expires_in: TEST_DESTINATION_SECONDS }),
		},
		sentences: {
			invalid_payload: {
				happened: `The gateway cannot send events to this n8n at ${url}`,
				next: 'If n8n is reached at another address, set its environment variable WEBHOOK_URL.',
			},
		},
	})) as Destination;
	const { id, url: urlAtGateway, secret } = destination;
	keep(this, [...registrations(this), { id: String(id), url, urlAtGateway, secret: String(secret), test }]);
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

/** By address: n8n removes a test listener in another mode than the one it was made in. */
const registrationFor = (context: IHookFunctions): Registration | undefined =>
	registrations(context).find(({ url }) => url === webhookUrl(context));

const registrations = (context: IHookFunctions | IWebhookFunctions): Registration[] =>
	(context.getWorkflowStaticData('node').registrations ?? []) as Registration[];

function keep(context: IHookFunctions, kept: Registration[]): void {
	context.getWorkflowStaticData('node').registrations = kept;
}

const webhookUrl = (context: IHookFunctions): string => context.getNodeWebhookUrl('default') as string;

const wantedEvents = (context: IHookFunctions): string[] => context.getNodeParameter('events') as string[];

const sameWords = (some: string[] | undefined, others: string[]): boolean =>
	some !== undefined && [...some].sort().join() === [...others].sort().join();
