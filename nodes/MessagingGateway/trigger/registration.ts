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
 * Lifetime of a test registration in seconds. n8n stops listening after two minutes; if n8n ends without
 * cleaning up, the gateway removes the registration.
 */
const TEST_SECONDS = 5 * 60;

/** The gateway's operations for each kind of registration. */
const KEPT_AT = { events: 'destinations', alerts: 'alert-webhooks' } as const;
type Subject = keyof typeof KEPT_AT;

/** A registration of this trigger at the gateway, stored in the workflow's static data. */
interface Registration {
	/** Undefined if an earlier version of this node registered it: events. */
	of?: Subject;
	id: string;
	url: string;
	/** The same URL in the gateway's spelling; host, default port or umlauts can differ. */
	urlAtGateway: string;
	secret: string;
	/** Whether this is the destination of a test, which exists besides the live one. */
	test: boolean;
}

/** The answer to a registration. An alert webhook has only `id`, `url` and `secret`. */
export interface Destination extends IDataObject {
	id: string | number;
	url: string;
	/** `token` if a program such as this trigger registered it; otherwise a user entered it. */
	origin?: string;
	events?: string[];
	/** Undefined with an older gateway, which forwards every message immediately. */
	quiet_seconds?: number | null;
	/** When the gateway paused the destination, because the URL answered 410 Gone. */
	paused_at?: string | null;
	secret?: string;
	/** The result of the test request that the gateway sends at the registration. */
	handshake?: { ok?: boolean; detail?: string };
}

/** The secrets that can sign events for this trigger. */
export async function secrets(context: IWebhookFunctions): Promise<string[]> {
	if (!isManual(context)) return registrations(context).map(({ secret }) => secret);
	const { signingSecret } = await context.getCredentials<{ signingSecret?: string }>(CREDENTIAL);
	return signingSecret?.trim() ? [signingSecret.trim()] : [];
}

/** The line number in the gateway, stored at the registration; null if unknown. */
export const knownLine = (context: IWebhookFunctions): number | null =>
	(context.getWorkflowStaticData('node').line ?? null) as number | null;

/**
 * Whether the registration is complete: the gateway still has our destination with the current events, or a
 * user enters the URL by hand. Always false for a test, so that each test is registered for its full time.
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
 * Resumes a destination that was paused while this n8n was offline; a new registration would lose the queued
 * events. Not every n8n calls this at start-up: 2.8 does, 2.41 does not.
 * @returns false if the gateway cannot resume destinations
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

/**
 * Compares addresses. The gateway shortens an address after its host, with a …, except for the token that
 * added it.
 */
const isAddress = (shown: string, own: string): boolean =>
	shown.endsWith('…') ? own.startsWith(shown.slice(0, -1)) : shown === own;

/** A manual setup registers nothing, but needs the secret to detect forged events. */
async function isReadyForManual(this: IHookFunctions): Promise<true> {
	const { signingSecret } = await this.getCredentials<{ signingSecret?: string }>(CREDENTIAL);
	if (!signingSecret?.trim()) {
		throw new NodeOperationError(this.getNode(), 'The signing secret is missing', {
			description:
				"If you set up this trigger by hand, it needs the secret with which your gateway signs events. Enter it as Signing Secret in this node's credential.",
		});
	}
	// Otherwise, an earlier registration would send each event a second time.
	for (const left of registrations(this)) await remove(this, left);
	try {
		await learnLine(this);
	} catch (error) {
		// The trigger still works; only the line number stays unknown.
		this.logger.warn(`The trigger could not ask the gateway for its line: ${ensureError(error).message}`);
	}
	return true;
}

/**
 * Registers this workflow's URL. First removes an earlier registration of the same kind, live or test. If the
 * gateway cannot reach the URL, removes the registration and fails, because a published workflow that never
 * starts is worse.
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

/**
 * Registers for alerts. They come from the gateway instead of the platform, so they have their own
 * registrations.
 */
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
 * Removes only registrations of this workflow, also under an earlier address of n8n. A registration that no
 * longer exists counts as removed. The URL tells tests from live ones, because n8n ends a test in another
 * mode than it started in.
 */
export async function unregister(this: IHookFunctions): Promise<boolean> {
	const endpoint = endpointOf(webhookUrl(this));
	for (const own of registrations(this).filter(({ url }) => endpointOf(url) === endpoint)) {
		await remove(this, own);
	}
	return true;
}

/** Returns n8n's path segment before the workflow's own: `webhook` or `webhook-test`. */
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

/** Stores the line number. Events contain only the phone number ID, and Send outputs the line number. */
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

/**
 * Returns the platform events to register for. Payment statuses go to every destination that receives any
 * status.
 */
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
