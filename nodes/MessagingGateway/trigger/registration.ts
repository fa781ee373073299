import {
	ensureError,
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { CREDENTIAL } from '../line';
import { callGateway, type GatewayRequest } from '../transport';
import { checkFilters } from './filters';
import { LONGEST_PAUSE_OF_A_TEST, pauseWaitedFor } from './pause';

/**
 * n8n stops listening for a test event after two minutes. If it ends without cleaning up, the gateway forgets what was
 * registered for the test by itself.
 */
const TEST_SECONDS = 5 * 60;

/** What the gateway sends here, and where it keeps the address for that. */
const KEPT_AT = { events: 'destinations', alerts: 'alert-webhooks' } as const;
type Subject = keyof typeof KEPT_AT;

/** What this trigger registered at the gateway, as the workflow's static data keeps it. */
interface Registration {
	/** Earlier versions of this node say nothing: events. */
	of?: Subject;
	id: string;
	url: string;
	/** The same address as the gateway writes it: it may spell the host, a default port or an umlaut otherwise. */
	urlAtGateway: string;
	secret: string;
	/** Test listening has a destination of its own, beside the one of the active workflow. */
	test: boolean;
}

/** What the gateway answers to a registration; a webhook for alerts has id, address and secret alone. */
export interface Destination extends IDataObject {
	id: string | number;
	url: string;
	/** `token` where a program registered it, as this trigger does; otherwise a person entered it. */
	origin?: string;
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
	const own = registrations(this).filter(({ url }) => url === webhookUrl(this));
	if (own.some(({ test }) => test) || !sameWords(own.map(subjectOf), wantedSubjects(this))) return false;
	for (const registration of own) {
		const path = KEPT_AT[subjectOf(registration)];
		const answer = await callGateway.call(this, { method: 'GET', path });
		const kept = ((answer.data ?? []) as Destination[]).find(({ id }) => String(id) === registration.id);
		if (!kept || !isAddress(kept.url, registration.urlAtGateway)) return false;
		if (path === 'destinations' && !(isAsWanted(this, kept) && (await goesOn(this, kept)))) return false;
	}
	return true;
}

/**
 * Lets a destination go on that was paused while this n8n was away: registered anew, it would lose what has waited. Not
 * every n8n lets triggers look when it starts: 2.8 does, 2.41 does not.
 * @returns false for a gateway that cannot
 */
async function goesOn(context: IHookFunctions, { id, paused_at: pausedAt }: Destination): Promise<boolean> {
	if (!pausedAt) return true;
	const path = `destinations/${encodeURIComponent(id)}/pause`;
	const answer = await callGateway.call(context, { method: 'DELETE', path, alsoAccept: [404, 405] });
	return answer.success === true;
}

const isAsWanted = (context: IHookFunctions, kept: Destination): boolean =>
	sameWords(kept.events, wantedEvents(context)) &&
	(kept.quiet_seconds ?? undefined) === pauseWaitedFor(context);

/** The gateway cuts an address after its host, with a …, for all tokens but the one that added it. */
const isAddress = (shown: string, own: string): boolean =>
	shown.endsWith('…') ? own.startsWith(shown.slice(0, -1)) : shown === own;

/** By hand there is nothing to register, but without the secret no event could be told from a forged one. */
async function isReadyForManual(this: IHookFunctions): Promise<true> {
	const { signingSecret } = await this.getCredentials<{ signingSecret?: string }>(CREDENTIAL);
	if (!signingSecret?.trim()) {
		throw new NodeOperationError(this.getNode(), 'The signing secret is missing', {
			description:
				"If you set up this trigger by hand, it needs the secret with which your gateway signs events. Enter it as Signing Secret in this node's credential.",
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
	let isDone = false;
	try {
		for (const subject of wantedSubjects(this)) {
			await (subject === 'events' ? registerForEvents : registerForAlerts)(this, test);
		}
		isDone = true;
	} finally {
		const half = isDone ? [] : registrations(this).filter((registration) => registration.test === test);
		for (const made of half) await remove(this, made);
	}
	return true;
}

async function registerForEvents(context: IHookFunctions, test: boolean): Promise<void> {
	const url = webhookUrl(context);
	const wanted = pauseWaitedFor(context);
	const pause = wanted && test ? Math.min(wanted, LONGEST_PAUSE_OF_A_TEST) : wanted;
	const destination = await add(context, 'events', test, {
		body: {
			url,
			events: wantedEvents(context),
			mode: 'split',
			...(pause && { quiet_seconds: pause }),
			...(test && { expires_in: TEST_SECONDS }),
		},
		sentences: {
			invalid_payload: {
				happened: pause
					? `The gateway refuses this registration: it cannot send events to ${url}, or is too old to wait until a contact pauses`
					: `The gateway cannot send events to this n8n at ${url}`,
				next: OTHER_ADDRESS,
			},
		},
	});
	refuseUnreached(context, destination);
}

/** Messages and statuses are told by the platform, alerts by the gateway: it keeps their addresses apart. */
async function registerForAlerts(context: IHookFunctions, test: boolean): Promise<void> {
	const url = webhookUrl(context);
	const kept = await add(context, 'alerts', test, {
		body: { url, ...(test && { expires_in: TEST_SECONDS }) },
		sentences: {
			not_found: {
				happened: 'This gateway is too old to send alerts to workflows',
				next: 'Update it, or remove Alert from Trigger On.',
				isWhole: true,
			},
			invalid_payload: {
				happened: `The gateway cannot send alerts to this n8n at ${url}`,
				next: OTHER_ADDRESS,
			},
		},
	});
	refuseUnreached(context, kept);
}

const OTHER_ADDRESS = 'If n8n is reached at another address, set its environment variable WEBHOOK_URL.';

async function add(
	context: IHookFunctions,
	subject: Subject,
	test: boolean,
	request: Pick<GatewayRequest, 'sentences'> & { body: IDataObject },
): Promise<Destination> {
	const made = (await callGateway.call(context, {
		...request,
		method: 'POST',
		path: KEPT_AT[subject],
	})) as Destination;
	const { id, url: urlAtGateway, secret = '' } = made;
	const url = webhookUrl(context);
	const registration: Registration = {
		...(subject === 'alerts' && { of: subject }),
		id: String(id),
		url,
		urlAtGateway,
		secret,
		test,
	};
	if (!secret) {
		await remove(context, registration);
		throw new NodeOperationError(context.getNode(), 'The gateway gave no secret with this registration', {
			description:
				"Without it, forged events could not be recognised, so the registration was removed. Check that Base URL in this node's credential is the address of the gateway itself, and that no proxy changes its answers.",
		});
	}
	keep(context, [...registrations(context), registration]);
	return made;
}

function refuseUnreached(context: IHookFunctions, { handshake }: Destination): void {
	if (handshake?.ok !== false) return;
	const url = webhookUrl(context);
	const detail = handshake.detail?.replace('Events are sent all the same.', '').trim();
	throw new NodeOperationError(context.getNode(), `The gateway does not reach this n8n at ${url}`, {
		description: [
			detail,
			'If n8n is reached at another address, set its environment variable WEBHOOK_URL to that one and restart n8n.',
			!detail?.includes('GATEWAY_ALLOW_DESTINATIONS') &&
				"If n8n is in a private network or on the gateway's own machine, name its host in the gateway's setting GATEWAY_ALLOW_DESTINATIONS.",
		]
			.filter(Boolean)
			.join('\n'),
	});
}

/**
 * Removes what this workflow registered, and only that, also under an address that n8n had before. What is gone already
 * counts as removed. n8n ends a test in another mode than it began in, so the addresses tell tests and production apart.
 */
export async function unregister(this: IHookFunctions): Promise<boolean> {
	const endpoint = endpointOf(webhookUrl(this));
	for (const own of registrations(this).filter(({ url }) => endpointOf(url) === endpoint)) {
		await remove(this, own);
	}
	return true;
}

/** n8n's word before the workflow's own part of an address: `webhook`, or `webhook-test`. */
const endpointOf = (url: string): string | undefined => new URL(url).pathname.split('/').at(-3);

async function remove(context: IHookFunctions, registration: Registration): Promise<void> {
	await callGateway.call(context, {
		method: 'DELETE',
		path: `${KEPT_AT[subjectOf(registration)]}/${encodeURIComponent(registration.id)}`,
		alsoAccept: [404],
	});
	keep(
		context,
		registrations(context).filter(
			(other) => other.id !== registration.id || subjectOf(other) !== subjectOf(registration),
		),
	);
}

/** Events name the line by its phone number ID alone; its number in the gateway, which Send gives out, is asked for. */
async function learnLine(context: IHookFunctions): Promise<void> {
	const { line } = (await callGateway.call(context, { method: 'GET', path: 'status' })) as {
		line?: { id?: number };
	};
	context.getWorkflowStaticData('node').line = line?.id ?? null;
}

const subjectOf = ({ of = 'events' }: Registration): Subject => of;

const registrations = (context: IHookFunctions | IWebhookFunctions): Registration[] =>
	(context.getWorkflowStaticData('node').registrations ?? []) as Registration[];

function keep(context: IHookFunctions, kept: Registration[]): void {
	context.getWorkflowStaticData('node').registrations = kept;
}

const isManual = (context: IHookFunctions | IWebhookFunctions): boolean =>
	context.getNodeParameter('registration', 'automatic') === 'manual';

const webhookUrl = (context: IHookFunctions): string => context.getNodeWebhookUrl('default') as string;

const chosen = (context: IHookFunctions | IWebhookFunctions): string[] =>
	context.getNodeParameter('events') as string[];

/** Of those that the platform tells. Payments come to everyone who receives any status. */
const wantedEvents = (context: IHookFunctions): string[] => [
	...new Set(
		chosen(context)
			.filter((event) => event !== 'alerts')
			.map((event) => (event === 'payments' ? 'failed' : event)),
	),
];

export const wantsAlerts = (context: IHookFunctions | IWebhookFunctions): boolean =>
	chosen(context).includes('alerts');

const wantedSubjects = (context: IHookFunctions): Subject[] => [
	...(wantsAlerts(context) ? (['alerts'] as const) : []),
	...(wantedEvents(context).length > 0 ? (['events'] as const) : []),
];

const sameWords = (some: string[] | undefined, others: string[]): boolean =>
	some !== undefined && [...some].sort().join() === [...others].sort().join();
