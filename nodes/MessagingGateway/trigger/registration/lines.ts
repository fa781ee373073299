import {
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type INodeProperties,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { gatewayOf, isOfSeveralLines } from '../../line';
import { listed } from '../../texts';
import { linesOfToken, type TokenLine } from '../../tokenLines';
import { callGateway } from '../../transport';

/** Selects lines of a token of several lines. */
export const linesField: INodeProperties = {
	displayName: 'Line Names or IDs',
	name: 'lines',
	type: 'multiOptions',
	default: [],
	typeOptions: { loadOptionsMethod: 'getLines' },
	description:
		'The lines that start the workflow. Each run has the messages of one line only. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	hint: 'For a token of several lines. Empty: all of them, or the line of the credential if it has one. When the token gets another line, unpublish the workflow and publish it again.',
};

/** Number in the gateway and name of a line, for the output. Null if unknown. */
export interface KnownLine {
	id: number | null;
	name: string | null;
}

/** The lines of this trigger, stored in the workflow's static data. */
interface Stored {
	/** The line of the credential. */
	line?: number | null;
	lineName?: string | null;
	/** Lines of a token of several lines, by phone number ID. */
	lines?: Record<string, KnownLine>;
}

const stored = (context: IHookFunctions | IWebhookFunctions): Stored =>
	context.getWorkflowStaticData('node') as Stored;

/** Returns the line of an event. Events contain only the phone number ID, and Send outputs the number. */
export function knownLine(context: IWebhookFunctions, phoneNumberId: unknown): KnownLine {
	const { lines = {}, line = null, lineName = null } = stored(context);
	return lines[String(phoneNumberId)] ?? { id: line, name: lineName };
}

/** Returns the line for requests about an event; undefined for the line of the credential. */
export const lineOfEvent = (context: IWebhookFunctions, { phoneNumberId }: IDataObject): string | undefined =>
	stored(context).lines?.[String(phoneNumberId)] && String(phoneNumberId);

/**
 * Returns the line of a registration for requests. If the credential no longer names a line, a registration
 * without one is from the time when it did.
 */
export async function lineOfRegistration(
	context: IHookFunctions,
	{ line }: { line?: string },
): Promise<string | undefined> {
	const { line: inCredential } = await gatewayOf.call(context);
	return line ?? (inCredential === '' ? stored(context).line?.toString() : undefined);
}

/** Names a line in an error. */
export const nameOfLine = (context: IHookFunctions, phoneNumberId: string): string =>
	stored(context).lines?.[phoneNumberId]?.name ?? phoneNumberId;

/** The lines that the trigger listens to. */
export interface LinesToHear {
	/** Phone number IDs; a single undefined for the line of the credential. */
	lines: Array<string | undefined>;
	/** Whether these are all lines of the token, because nobody chose some. */
	areAll: boolean;
}

/**
 * Returns the lines that the trigger listens to, and stores their numbers and names.
 * @throws NodeOperationError if a chosen line is not a line of the token
 */
export async function linesToHear(context: IHookFunctions): Promise<LinesToHear> {
	const chosen = chosenLines(context);
	const { line, credential } = await gatewayOf.call(context);
	if (chosen.length === 0 && (line !== '' || !isOfSeveralLines(credential))) {
		return { lines: [undefined], areAll: false };
	}
	const ofToken = await linesOfToken.call(context);
	const lines = chosen.length > 0 ? chosen.map((one) => lineNamed(context, ofToken, one)) : ofToken;
	if (lines.length === 0) {
		throw new NodeOperationError(context.getNode(), 'The token of this credential includes no line', {
			description: 'Add a line to the customers or lines of the token, in the control panel of the gateway.',
		});
	}
	const data = stored(context);
	// A test can have other lines than the published workflow, which still needs its own.
	data.lines = {
		...data.lines,
		...Object.fromEntries(
			lines.map(({ phone_number_id: id, ...one }) => [id, { id: one.id, name: one.name }]),
		),
	};
	return { lines: [...new Set(lines.map((one) => one.phone_number_id))], areAll: chosen.length === 0 };
}

function lineNamed(context: IHookFunctions, lines: TokenLine[], wanted: string): TokenLine {
	const line = lines.find((one) => one.phone_number_id === wanted || String(one.id) === wanted);
	if (line) return line;
	throw new NodeOperationError(context.getNode(), `The token of this credential has no line ${wanted}`, {
		description: 'Choose Lines from the list, or use a credential whose token includes this line.',
	});
}

function chosenLines(context: IHookFunctions): string[] {
	const given = context.getNodeParameter('lines', []);
	const chosen = [given].flat().flatMap((one) => listed(String(one ?? '')));
	// Otherwise, a mistake in an expression would start the workflow for every line.
	if (chosen.length === 0 && typeof context.getNode().parameters.lines === 'string') {
		throw new NodeOperationError(context.getNode(), 'The expression in Line Names or IDs has no value', {
			description: 'It has to give phone number IDs: a list, or a text separated by commas.',
		});
	}
	return chosen;
}

/** Stores number and name of the credential's line. */
export async function learnLine(context: IHookFunctions): Promise<void> {
	const { line } = (await callGateway.call(context, { method: 'GET', path: 'status' })) as {
		line?: { id?: number; name?: string };
	};
	const data = stored(context);
	data.line = line?.id ?? null;
	data.lineName = line?.name ?? null;
}
