import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type ILoadOptionsFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { isObject } from './json';
import { keptFor } from './kept';

export const CREDENTIAL = 'messagingGatewayApi';

export type GatewayCaller = IExecuteFunctions | ILoadOptionsFunctions | IHookFunctions | IWebhookFunctions;

/** The gateway of an item and the credential for it. */
export interface Gateway {
	baseUrl: string;
	credential: ICredentialDataDecryptedObject;
}

/**
 * The line and credential of an item. A run has one object per line, so that caches can use it as their key.
 */
export interface Line extends Gateway {
	/** The phone number ID, or the line number in the gateway. */
	line: string;
}

/** A gateway and the line in its credential; empty with a token of several lines. */
type Entered = Gateway & { line: string };

/**
 * The lines of a run. Caches credentials, because n8n reads and decrypts a credential each time a node asks
 * for it.
 */
class Lines {
	private readonly lines = new Map<string, Line>();

	private readonly byItem = new Map<number, Promise<Line>>();

	private readonly enteredByItem = new Map<number, Promise<Entered>>();

	private enteredForAll: Promise<Entered> | undefined;

	/** The value of Line in the node, as entered: perhaps an expression. Triggers have no such field. */
	private readonly inNode: unknown;

	constructor(private readonly run: GatewayCaller) {
		const line: unknown = run.getNode().parameters.line;
		this.inNode = isObject(line) ? line.value : line;
	}

	/** Returns what the credential of an item holds. */
	async entered(itemIndex: number): Promise<Entered> {
		const asked = this.enteredForAll ?? this.enteredByItem.get(itemIndex) ?? this.read(itemIndex);
		this.enteredByItem.set(itemIndex, asked);
		const entered = await asked;
		if (entered.credential.isPlain === true) this.enteredForAll = asked;
		return entered;
	}

	/** @param line the line, if it is not that of the item */
	async of(itemIndex: number, line?: string): Promise<Line> {
		if (line !== undefined) return this.named(await this.entered(itemIndex), line);
		const asked = this.byItem.get(itemIndex) ?? this.ofItem(itemIndex);
		this.byItem.set(itemIndex, asked);
		return await asked;
	}

	private async read(itemIndex: number): Promise<Entered> {
		const credential = await this.run
			.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex)
			.catch((error: Error) => {
				throw hasItems(this.run) || error.name !== 'ExpressionError' ? error : needsItems(this.run);
			});
		return { ...addressIn(credential), credential };
	}

	private async ofItem(itemIndex: number): Promise<Line> {
		const entered = await this.entered(itemIndex);
		const line = this.chosen(itemIndex) || entered.line;
		if (line === '') {
			throw new NodeOperationError(this.run.getNode(), 'No line is chosen', {
				description:
					'Choose the Line in this node, or enter it in the credential. If Line is an expression, check that it has a value for this item.',
				itemIndex,
			});
		}
		return this.named(entered, line);
	}

	private named({ baseUrl, credential }: Gateway, line: string): Line {
		const name = JSON.stringify([baseUrl, line, credential.token]);
		const named = this.lines.get(name) ?? { baseUrl, credential, line };
		this.lines.set(name, named);
		return named;
	}

	/** Returns the value of Line in the node; empty if nobody entered one. */
	private chosen(itemIndex: number): string {
		const { run, inNode } = this;
		if (typeof inNode !== 'string' || !inNode.startsWith('=')) return textOf(inNode);
		const line = textOf(hasItems(run) ? valueAt(run, itemIndex) : valueHere(run));
		// The line of the credential would send this item from a number that nobody chose for it.
		if (line === '') {
			throw new NodeOperationError(run.getNode(), 'Line has no value for this item', {
				description:
					'Check the expression in Line: it has to give a phone number ID, or the number of a line in the gateway. Nothing was sent.',
				itemIndex,
			});
		}
		return line;
	}
}

const linesOf = keptFor((run: GatewayCaller) => new Lines(run));

const hasItems = (run: GatewayCaller): run is IExecuteFunctions => 'getInputData' in run;

const EXTRACTED = { extractValue: true };

const valueAt = (run: IExecuteFunctions, itemIndex: number): unknown =>
	run.getNodeParameter('line', itemIndex, '', EXTRACTED);

/** Returns the value of an expression in Line for a list of the panel. */
function valueHere(run: Exclude<GatewayCaller, IExecuteFunctions>): unknown {
	let value: unknown;
	try {
		value = run.getNodeParameter('line', '', EXTRACTED);
	} catch {
		// It refers to an item, and no item exists.
	}
	if (textOf(value) !== '') return value;
	// The lists of a panel show the message alone.
	throw new NodeOperationError(
		run.getNode(),
		'The expression in Line has no value here. Choose a line for now, or enter the template By Name.',
		{ description: 'An expression gets its value from the items of a run.' },
	);
}

const textOf = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

/**
 * The error for an expression in a credential while no item exists: in a panel's lists and when a trigger is
 * published.
 */
const needsItems = (run: GatewayCaller): NodeOperationError =>
	new NodeOperationError(run.getNode(), 'An expression in the credential of this node has no value here', {
		description:
			'It gets its value from the items of a run. For a trigger, choose a credential without expressions. To choose a template, do the same for as long as you need the list, or enter the template By Name.',
	});

/**
 * Returns the line of an item: Line in the node, else the line in the credential. A credential without
 * expressions is read once per run, others once per item.
 * @param line the line, if it is not that of the item
 */
export async function lineOf(this: GatewayCaller, itemIndex = 0, line?: string): Promise<Line> {
	return await linesOf(this).of(itemIndex, line);
}

/** Returns the gateway of an item. `line` is that in the credential, empty with a token of several lines. */
export async function gatewayOf(this: GatewayCaller, itemIndex = 0): Promise<Gateway & { line: string }> {
	return await linesOf(this).entered(itemIndex);
}

/** Whether the token of a credential is for several lines. */
export const isOfSeveralLines = ({ token }: ICredentialDataDecryptedObject): boolean =>
	String(token ?? '')
		.trim()
		.startsWith('gwa_');

/** Returns the address without a trailing slash, and the line; trims what people typed. */
export const addressIn = ({
	baseUrl,
	line,
}: ICredentialDataDecryptedObject): { baseUrl: string; line: string } => ({
	baseUrl: String(baseUrl ?? '')
		.trim()
		.replace(/\/+$/, ''),
	line: String(line ?? '').trim(),
});
