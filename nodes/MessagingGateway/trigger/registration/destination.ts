import {
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { callGateway, type GatewayRequest } from '../../transport';
import { lineOfRegistration } from './lines';
import { LONGEST_PAUSE_OF_A_TEST, pauseWaitedFor } from '../pause';

/**
 * Lifetime of a test registration in seconds. n8n stops listening after two minutes; if n8n ends without
 * cleaning up, the gateway removes the registration.
 */
const TEST_SECONDS = 5 * 60;

/** The gateway's operations for each kind of registration. */
const KEPT_AT = { events: 'destinations', alerts: 'alert-webhooks' } as const;
export type Subject = keyof typeof KEPT_AT;

/** A registration of this trigger at the gateway, stored in the workflow's static data. */
export interface Registration {
	/** Undefined if an earlier version of this node registered it: events. */
	of?: Subject;
	/** The phone number ID, with a token of several lines; undefined for the line of the credential. */
	line?: string;
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

/** Whose registration it is. */
type Own = Pick<Registration, 'line' | 'test'>;

export const subjectOf = ({ of = 'events' }: Pick<Registration, 'of'>): Subject => of;

/** Identifies a registration of a live workflow. */
export const nameOf = (one: Pick<Registration, 'of' | 'line'>): string =>
	`${subjectOf(one)} ${one.line ?? ''}`;

export const registrations = (context: IHookFunctions | IWebhookFunctions): Registration[] =>
	(context.getWorkflowStaticData('node').registrations ?? []) as Registration[];

function keep(context: IHookFunctions, kept: Registration[]): void {
	context.getWorkflowStaticData('node').registrations = kept;
}

export const webhookUrl = (context: IHookFunctions): string => context.getNodeWebhookUrl('default') as string;

export async function registerForEvents(context: IHookFunctions, of: Own): Promise<void> {
	const url = webhookUrl(context);
	const wanted = pauseWaitedFor(context);
	const pause = wanted && of.test ? Math.min(wanted, LONGEST_PAUSE_OF_A_TEST) : wanted;
	const destination = await add(context, 'events', of, {
		body: {
			url,
			events: wantedEvents(context),
			mode: 'split',
			...(pause && { quiet_seconds: pause }),
			...(of.test && { expires_in: TEST_SECONDS }),
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
export async function registerForAlerts(context: IHookFunctions, of: Own): Promise<void> {
	const url = webhookUrl(context);
	const kept = await add(context, 'alerts', of, {
		body: { url, ...(of.test && { expires_in: TEST_SECONDS }) },
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
	{ line, test }: Own,
	request: Pick<GatewayRequest, 'sentences'> & { body: IDataObject },
): Promise<Destination> {
	const made = (await callGateway.call(context, {
		...request,
		method: 'POST',
		path: KEPT_AT[subject],
		line,
	})) as Destination;
	const { id, url: urlAtGateway, secret = '' } = made;
	const url = webhookUrl(context);
	const registration: Registration = {
		...(subject === 'alerts' && { of: subject }),
		...(line !== undefined && { line }),
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
 * Removes a registration.
 * @param goneWith statuses that mean that it no longer exists
 */
export async function remove(
	context: IHookFunctions,
	registration: Registration,
	goneWith = [404],
): Promise<void> {
	await callGateway.call(context, {
		method: 'DELETE',
		path: `${KEPT_AT[subjectOf(registration)]}/${encodeURIComponent(registration.id)}`,
		line: await lineOfRegistration(context, registration),
		alsoAccept: goneWith,
	});
	keep(
		context,
		registrations(context).filter(
			(other) => other.id !== registration.id || nameOf(other) !== nameOf(registration),
		),
	);
}

/** Returns the registrations that the gateway still has, with the current events. */
export async function inForce(context: IHookFunctions, own: Registration[]): Promise<Registration[]> {
	const checked = await Promise.all(own.map(async (one) => ((await isInForce(context, one)) ? [one] : [])));
	return checked.flat();
}

async function isInForce(context: IHookFunctions, registration: Registration): Promise<boolean> {
	const { line } = registration;
	const path = KEPT_AT[subjectOf(registration)];
	const answer = await callGateway.call(context, { method: 'GET', path, line });
	const kept = ((answer.data ?? []) as Destination[]).find(({ id }) => String(id) === registration.id);
	if (!kept || !isAddress(kept.url, registration.urlAtGateway)) return false;
	return path !== 'destinations' || (isAsWanted(context, kept) && (await goesOn(context, kept, line)));
}

/**
 * Resumes a destination that was paused while this n8n was offline; a new registration would lose the queued
 * events. Not every n8n calls this at start-up: 2.8 does, 2.41 does not.
 * @returns false if the gateway cannot resume destinations
 */
async function goesOn(
	context: IHookFunctions,
	{ id, paused_at: pausedAt }: Destination,
	line: string | undefined,
): Promise<boolean> {
	if (!pausedAt) return true;
	const path = `destinations/${encodeURIComponent(id)}/pause`;
	const answer = await callGateway.call(context, { method: 'DELETE', path, line, alsoAccept: [404, 405] });
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

const chosenEvents = (context: IHookFunctions | IWebhookFunctions): string[] =>
	context.getNodeParameter('events') as string[];

/**
 * Returns the platform events to register for. Payment statuses go to every destination that receives any
 * status.
 */
export const wantedEvents = (context: IHookFunctions): string[] => [
	...new Set(
		chosenEvents(context)
			.filter((event) => event !== 'alerts')
			.map((event) => (event === 'payments' ? 'failed' : event)),
	),
];

export const wantsAlerts = (context: IHookFunctions | IWebhookFunctions): boolean =>
	chosenEvents(context).includes('alerts');

export const sameWords = (some: string[] | undefined, others: string[]): boolean =>
	some !== undefined && [...some].sort().join() === [...others].sort().join();
