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

/** The error code for an item that the node refuses to send. */
export const INVALID_ITEM = 'invalid_item';

/**
 * One input item of a run. Reads field values for the item, and refuses invalid ones before anything is sent.
 */
export class Item {
	/** @param index position among the input items, from 0 */
	constructor(
		readonly context: IExecuteFunctions,
		readonly index: number,
	) {}

	/**
	 * Returns the value of a field.
	 * @param otherwise the value if the field was not added
	 */
	parameter(name: string, otherwise?: unknown, options?: { extractValue: boolean }): unknown {
		return this.context.getNodeParameter(name, this.index, otherwise, options);
	}

	/** Whether an AI model uses the node as its tool. */
	get isTool(): boolean {
		return this.context.getNode().type.endsWith('Tool');
	}

	text(name: string): string {
		return textOf(this.parameter(name, ''));
	}

	/** Returns the item's files, by field name. */
	files(): IBinaryKeyData {
		return this.context.getInputData()[this.index]?.binary ?? {};
	}

	/** Links an output item to its input item, which n8n shows and later expressions use. */
	paired(output: INodeExecutionData): INodeExecutionData {
		return { pairedItem: { item: this.index }, ...output };
	}

	/** Links one output item to all input items. */
	ofAllItems(json: IDataObject): INodeExecutionData {
		return { json, pairedItem: this.context.getInputData().map((_, item) => ({ item })) };
	}

	/** Sends a request for this item. Errors name the item. */
	async ask(request: Omit<GatewayRequest, 'itemIndex'>): Promise<IDataObject> {
		return await callGateway.call(this.context, { ...request, itemIndex: this.index });
	}

	/** Shows a hint once per run, however many items cause it. */
	hintOnce(message: string): void {
		const told = hintsOfRun(this.context);
		if (!told.has(message))
			this.context.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
		told.add(message);
	}

	/**
	 * Throws before anything is sent. With several items, the message names this one.
	 * @param problem a sentence about a field
	 */
	refuse(problem: string, next: string): never {
		const isOneOfSeveral = this.context.getInputData().length > 1;
		throw this.failure(isOneOfSeveral ? `${problem} [item ${this.index}]` : problem, next);
	}

	/** @param code the error code for the workflow */
	failure(message: string, description: string, code = INVALID_ITEM): NodeOperationError {
		const node = this.context.getNode();
		const failure = new NodeOperationError(node, message, { description, itemIndex: this.index });
		failure.context.code = code;
		return failure;
	}

	/** Returns the text; refuses a text above the limit, with field, length and excess. */
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

	/** Returns the text; refuses an empty text. */
	entered(field: string, text: string): string {
		if (text.trim() === '') {
			this.refuse(`${field} is empty`, `Enter ${field}, or check the expression that fills it.`);
		}
		return text;
	}

	/**
	 * Refuses more than `limit` pieces.
	 * @param pieces plural noun
	 */
	atMost(pieces: string, count: number, limit: number): void {
		if (count > limit) {
			this.refuse(
				`There are ${count} ${pieces}, ${count - limit} more than the ${limit} allowed`,
				`Remove ${count - limit} of the ${pieces}.`,
			);
		}
	}

	/** Refuses duplicate choices, which a contact or a workflow could not tell apart. */
	distinct(what: string, values: string[]): void {
		const repeated = values.find((value, index) => values.indexOf(value) !== index);
		if (repeated !== undefined) {
			this.refuse(
				`Two ${what} are the same: "${repeated}"`,
				`Give each its own, so that each answer is clear.`,
			);
		}
	}

	/** Returns a web address; refuses one that the platform cannot open. */
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
 * Converts a field value to text; an expression can return a number, nothing or a list. Throws for an object,
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

/** Excludes dates, which have a text form. */
const isPlainObject = (value: unknown): value is object =>
	typeof value === 'object' && value !== null && value.toString === Object.prototype.toString;

const exampleOf = (value: object): string => {
	const [name] = Object.keys(value);
	return name === undefined ? '' : `, such as ${name}`;
};
