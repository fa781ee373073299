import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { asError } from '../../failures';
import { CREDENTIAL } from '../../line';
import {
	inForce,
	nameOf,
	registerForAlerts,
	registerForEvents,
	registrations,
	remove,
	sameWords,
	wantedEvents,
	wantsAlerts,
	webhookUrl,
	type Registration,
	type Subject,
} from './destination';
import { checkFilters } from '../filters';
import { learnLine, linesToHear, nameOfLine } from './lines';

/** The secrets that can sign events for this trigger. */
export async function secrets(context: IWebhookFunctions): Promise<string[]> {
	if (!isManual(context)) return registrations(context).map(({ secret }) => secret);
	const { signingSecret } = await context.getCredentials<{ signingSecret?: string }>(CREDENTIAL);
	return signingSecret?.trim() ? [signingSecret.trim()] : [];
}

/**
 * Whether the registration is complete: the gateway still has our destinations of every line with the current
 * events, or a user enters the URL by hand. Always false for a test, so that each test is registered for its
 * full time.
 */
export async function isRegistered(this: IHookFunctions): Promise<boolean> {
	checkFilters.call(this);
	if (isManual(this)) return await isReadyForManual.call(this);
	const own = registrations(this).filter(({ url }) => url === webhookUrl(this));
	const { lines } = await linesToHear(this);
	const wanted = lines.flatMap((line) => wantedSubjects(this).map((of) => nameOf({ of, line })));
	if (own.some(({ test }) => test) || !sameWords(own.map(nameOf), wanted)) return false;
	return (await inForce(this, own)).length === own.length;
}

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
	await removeAll(this, registrations(this));
	try {
		const { lines } = await linesToHear(this);
		if (lines.includes(undefined)) await learnLine(this);
	} catch (error) {
		// The trigger still works; only the line number stays unknown.
		this.logger.warn(`The trigger could not ask the gateway for its line: ${asError(error).message}`);
	}
	return true;
}

/** Refusals of a line that is switched off. A trigger for all lines starts without such a line. */
const STOPPED = ['line_inactive', 'api_disabled', 'customer_suspended'];

/**
 * Registers this workflow's URL with each line. First removes earlier registrations of the same kind, live or
 * test; with a token of several lines, those that are still right stay, because events can wait for them. If
 * the gateway cannot reach the URL, removes the new registrations and fails, because a published workflow that
 * never starts is worse.
 */
export async function register(this: IHookFunctions): Promise<boolean> {
	const test = this.getMode() === 'manual';
	const { lines, areAll } = await linesToHear(this);
	const earlier = registrations(this).filter((registration) => registration.test === test);
	const canStay = ({ line, url }: Registration) => line && lines.includes(line) && url === webhookUrl(this);
	const staying = await inForce(this, test ? [] : earlier.filter(canStay));
	await removeAll(
		this,
		earlier.filter((one) => !staying.includes(one)),
		lines,
	);
	if (lines.includes(undefined)) await learnLine(this);

	const known = staying.map(nameOf);
	const failures = await forEachLine(
		this,
		lines.map((line) => ({ line })),
		async ({ line }) => {
			for (const of of wantedSubjects(this).filter((one) => !known.includes(nameOf({ of: one, line })))) {
				await (of === 'events' ? registerForEvents : registerForAlerts)(this, { line, test });
			}
		},
	);
	const mayMiss = areAll && failures.length < lines.length;
	const failure = failures.find((one) => !(mayMiss && isOfStopped(one)));
	if (failure) {
		const made = registrations(this).filter((one) => one.test === test && !staying.includes(one));
		// What cannot be removed now is removed by the next registration.
		await removeAll(this, made).catch(() => undefined);
		throw failure;
	}
	for (const { message } of failures) this.logger.warn(`The trigger does not listen to a line. ${message}`);
	return true;
}

const isOfStopped = (error: Error): boolean =>
	error instanceof NodeApiError &&
	STOPPED.includes(String((error.errorResponse as IDataObject | undefined)?.error_code));

/**
 * Removes only registrations of this workflow, also under an earlier address of n8n. A registration that no
 * longer exists counts as removed. The URL tells tests from live ones, because n8n ends a test in another
 * mode than it started in.
 */
export async function unregister(this: IHookFunctions): Promise<boolean> {
	const endpoint = endpointOf(webhookUrl(this));
	await removeAll(
		this,
		registrations(this).filter(({ url }) => endpointOf(url) === endpoint),
	);
	return true;
}

/** Returns n8n's path segment before the workflow's own: `webhook` or `webhook-test`. */
const endpointOf = (url: string): string | undefined => new URL(url).pathname.split('/').at(-3);

/**
 * Removes registrations, even if some cannot be removed.
 * @param lines the lines of the token, if known: a line that it has lost refuses the token, which counts as
 * removed
 * @throws the first failure
 */
async function removeAll(
	context: IHookFunctions,
	all: Registration[],
	lines?: Array<string | undefined>,
): Promise<void> {
	const [failure] = await forEachLine(context, all, async (one) => {
		const isLost = one.line !== undefined && lines && !lines.includes(one.line);
		await remove(context, one, isLost ? [401, 404] : undefined);
	});
	if (failure) throw failure;
}

/** Runs a task for each, all at once. Returns the failures; with several lines, each names its line. */
async function forEachLine<T extends { line?: string }>(
	context: IHookFunctions,
	all: T[],
	task: (one: T) => Promise<void>,
): Promise<Error[]> {
	const results = await Promise.allSettled(all.map(task));
	return results.flatMap((result, index) => {
		if (result.status === 'fulfilled') return [];
		const error = asError(result.reason);
		const line = all[index]?.line;
		if (line !== undefined) error.message = `Line "${nameOfLine(context, line)}": ${error.message}`;
		return [error];
	});
}

const isManual = (context: IHookFunctions | IWebhookFunctions): boolean =>
	context.getNodeParameter('registration', 'automatic') === 'manual';

const wantedSubjects = (context: IHookFunctions): Subject[] => [
	...(wantsAlerts(context) ? (['alerts'] as const) : []),
	...(wantedEvents(context).length > 0 ? (['events'] as const) : []),
];
