import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type ILoadOptionsFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { keptFor } from './kept';

export const CREDENTIAL = 'messagingGatewayApi';

export type GatewayCaller = IExecuteFunctions | ILoadOptionsFunctions | IHookFunctions | IWebhookFunctions;

/**
 * The line and credential of an item. A run has one object per line, so that caches can use it as their key.
 */
export interface Line {
	baseUrl: string;
	/** The phone number ID, or the line number in the gateway. */
	line: string;
	credential: ICredentialDataDecryptedObject;
}

/** Caches credentials per run, because n8n reads and decrypts a credential each time a node asks for it. */
const linesOfRun = keptFor((run: GatewayCaller) => {
	const lines = new Map<string, Line>();
	const byItem = new Map<number, Promise<Line>>();
	let ofAllItems: Promise<Line> | undefined;

	const read = async (itemIndex: number): Promise<Line> => {
		const credential = await run
			.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL, itemIndex)
			.catch((error: Error) => {
				throw 'getInputData' in run || error.name !== 'ExpressionError' ? error : needsItems(run);
			});
		const address = addressIn(credential);
		if (address.line === '') {
			throw new NodeOperationError(run.getNode(), 'The credential of this node names no line', {
				description:
					'Enter the phone number ID of the line as Line in the credential. If Line is an expression, check that it has a value for this item.',
				itemIndex,
			});
		}
		const name = JSON.stringify([address, credential.token]);
		const line = lines.get(name) ?? { ...address, credential };
		lines.set(name, line);
		return line;
	};

	return async (itemIndex: number): Promise<Line> => {
		const asked = ofAllItems ?? byItem.get(itemIndex) ?? read(itemIndex);
		byItem.set(itemIndex, asked);
		const line = await asked;
		if (line.credential.isPlain === true) ofAllItems = asked;
		return line;
	};
});

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
 * Returns the line of an item. A credential without expressions is read once per run, others once per item.
 */
export async function lineOf(this: GatewayCaller, itemIndex = 0): Promise<Line> {
	return await linesOfRun(this)(itemIndex);
}

/** Returns the address without a trailing slash, and the line; trims what people typed. */
export const addressIn = ({ baseUrl, line }: ICredentialDataDecryptedObject): Omit<Line, 'credential'> => ({
	baseUrl: String(baseUrl ?? '')
		.trim()
		.replace(/\/+$/, ''),
	line: String(line ?? '').trim(),
});
