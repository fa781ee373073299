import {
	NodeOperationError,
	UserError,
	type IBinaryKeyData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { keptFor } from './kept';
import { characters } from './limits';
import { callGateway, type GatewayRequest } from './transport';

const hintsOfRun = keptFor((_run: IExecuteFunctions) => new Set<string>());

/** The code by which a workflow recognises that an item cannot be sent as it is. */
export const INVALID_ITEM = 'invalid_item';

/**
 * One item that comes in, for which an operation is carried out: what the fields hold for it, and how the node refuses
 * what cannot be sent of it, before anything is sent.
 */
export class Item {
	/** @param index from 0, among all that come in */
	constructor(
		readonly context: IExecuteFunctions,
		readonly index: number,
	) {}

	/**
	 * The value of a field of any type.
	 * @param otherwise the value if the field was not added
	 */
	parameter(name: string, otherwise?: unknown, options?: { extractValue: boolean }): unknown {
		return this.context.getNodeParameter(name, this.index, otherwise, options);
	}

	/** Whether an AI model uses the node as its tool. */
	get isTool(): boolean {
		return this.context.getNode().type.endsWith('Tool');
	}

	/** The text of a field. */
	text(name: string): string {
		return textOf(this.parameter(name, ''));
	}

	/** The files that come in with it, by the name of their field. */
	files(): IBinaryKeyData {
		return this.context.getInputData()[this.index]?.binary ?? {};
	}

	/** An output item with its input item: n8n shows that, and expressions after this node use it. */
	paired(output: INodeExecutionData): INodeExecutionData {
		return { pairedItem: { item: this.index }, ...output };
	}

	/** An output item for all input items together. */
	ofAllItems(json: IDataObject): INodeExecutionData {
		return { json, pairedItem: this.context.getInputData().map((_, item) => ({ item })) };
	}

	/** One request that is made for this item: errors name it. */
	async ask(request: Omit<GatewayRequest, 'itemIndex'>): Promise<IDataObject> {
		return await callGateway.call(this.context, { ...request, itemIndex: this.index });
	}

	/** Says something beside the output, once in a run however many items it concerns. */
	hintOnce(message: string): void {
		const told = hintsOfRun(this.context);
		if (!told.has(message))
			this.context.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
		told.add(message);
	}

	/** Says no before anything is sent. `problem` is a sentence about a field; of several items, which one is added. */
	refuse(problem: string, next: string): never {
		const isOneOfSeveral = this.context.getInputData().length > 1;
		throw this.failure(isOneOfSeveral ? `${problem} [item ${this.index}]` : problem, next);
	}

	/** @param code the code by which a workflow recognises it */
	failure(message: string, description: string, code = INVALID_ITEM): NodeOperationError {
		const node = this.context.getNode();
		const failure = new NodeOperationError(node, message, { description, itemIndex: this.index });
		failure.context.code = code;
		return failure;
	}

	/** Returns the text, or refuses it naming field, length and excess. */
	within(field: string, text: string, limit: number): string {
		const length = characters(text);
		if (length > limit) {
			this.refuse(
				`${field} is ${length} characters long, ${length - limit} more than the ${limit} allowed`,
				`Shorten ${field} to ${limit} characters.`,
			);
		}
		return text;
	}

	/** Like `within`, for a text that must not be empty. */
	filled(field: string, text: string, limit: number): string {
		return this.within(field, this.entered(field, text), limit);
	}

	/** Returns the text, or refuses one that is empty. */
	entered(field: string, text: string): string {
		if (text.trim() === '') {
			this.refuse(`${field} is empty`, `Enter ${field}, or check the expression that fills it.`);
		}
		return text;
	}

	/** Refuses more than `limit` pieces. `pieces` is the plural word for them. */
	atMost(pieces: string, count: number, limit: number): void {
		if (count > limit) {
			this.refuse(
				`There are ${count} ${pieces}, ${count - limit} more than the ${limit} allowed`,
				`Remove ${count - limit} of the ${pieces}.`,
			);
		}
	}

	/** Refuses two choices that a contact, or your workflow, could not distinguish. */
	distinct(what: string, values: string[]): void {
		const repeated = values.find((value, index) => values.indexOf(value) !== index);
		if (repeated !== undefined) {
			this.refuse(
				`Two ${what} are the same: "${repeated}"`,
				`Give each its own, so that each answer is clear.`,
			);
		}
	}

	/** A web address as the platform opens it. */
	webAddress(field: string, text: string): string {
		const address = text.trim();
		if (!/^https?:\/\/[^\s/]+\S*$/i.test(address)) {
			this.refuse(
				address === '' ? `${field} is empty` : `${field} is no web address: "${address.slice(0, 60)}"`,
				`Enter an address that begins with https://, such as https://shop.example.com/order/1042.`,
			);
		}
		return address;
	}
}

/**
 * The value of a field as text: an expression may result in a number, nothing, or a list. Refuses an object,
 * which a contact would read as "[object Object]".
 */
export function textOf(value: unknown): string {
	if (Array.isArray(value)) return value.map(textOf).join(', ');
	if (isPlainObject(value)) {
		throw new UserError(`A field holds not one value but several: ${JSON.stringify(value).slice(0, 60)}`, {
			description: `Drag the one that you need from the input${exampleOf(value)}, instead of what holds them all.`,
		});
	}
	return String(value ?? '');
}

/** Except a date, which has a text form. */
const isPlainObject = (value: unknown): value is object =>
	typeof value === 'object' && value !== null && value.toString === Object.prototype.toString;

const exampleOf = (value: object): string => {
	const [name] = Object.keys(value);
	return name === undefined ? '' : `, such as ${name}`;
};
