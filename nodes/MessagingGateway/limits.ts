import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';

/** The service's limits, in characters as a person counts them, or in pieces. Specification, "Limits". */
export const LIMITS = {
	text: 4096,
	body: 1024,
	header: 60,
	footer: 60,
	buttons: 3,
	buttonTitle: 20,
	buttonId: 256,
	listButton: 20,
	sections: 10,
	sectionTitle: 24,
	rows: 10,
	rowTitle: 24,
	rowDescription: 72,
	rowId: 200,
	clientRef: 512,
	caption: 1024,
	linkLabel: 20,
	flowLabel: 30,
	products: 30,
} as const;

/** Code points: an emoji outside the basic plane counts as one character, not as two. */
export const characters = (text: string): number => Array.from(text).length;

/** Says no before anything is sent. `problem` is a sentence about a field; of several items, which one is added. */
export function refuse(context: IExecuteFunctions, itemIndex: number, problem: string, next: string): never {
	const isOneOfSeveral = context.getInputData().length > 1;
	throw new NodeOperationError(
		context.getNode(),
		isOneOfSeveral ? `${problem} [item ${itemIndex}]` : problem,
		{
			description: next,
			itemIndex,
		},
	);
}

/** Returns the text, or refuses it naming field, length and excess. */
export function within(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	text: string,
	limit: number,
): string {
	const length = characters(text);
	if (length > limit) {
		refuse(
			context,
			itemIndex,
			`${field} is ${length} characters long, ${length - limit} more than the ${limit} allowed`,
			`Shorten ${field} to ${limit} characters.`,
		);
	}
	return text;
}

/** Like `within`, for a text that must not be empty. */
export function filled(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	text: string,
	limit: number,
): string {
	if (text.trim() === '') {
		refuse(context, itemIndex, `${field} is empty`, `Enter ${field}, or check the expression that fills it.`);
	}
	return within(context, itemIndex, field, text, limit);
}

/** Refuses more than `limit` pieces. `pieces` is the plural word for them. */
export function atMost(
	context: IExecuteFunctions,
	itemIndex: number,
	pieces: string,
	count: number,
	limit: number,
): void {
	if (count > limit) {
		refuse(
			context,
			itemIndex,
			`There are ${count} ${pieces}, ${count - limit} more than the ${limit} allowed`,
			`Remove ${count - limit} of the ${pieces}.`,
		);
	}
}

/** Refuses two pieces that a contact, or your workflow, could not tell apart. */
export function distinct(
	context: IExecuteFunctions,
	itemIndex: number,
	what: string,
	values: string[],
): void {
	const repeated = values.find((value, index) => values.indexOf(value) !== index);
	if (repeated !== undefined) {
		refuse(
			context,
			itemIndex,
			`Two ${what} are the same: "${repeated}"`,
			`Give each its own, so that the answer can be told apart.`,
		);
	}
}

/** A web address as the platform opens it. */
export function webAddress(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	text: string,
): string {
	const address = text.trim();
	if (!/^https?:\/\/[^\s/]+\S*$/i.test(address)) {
		refuse(
			context,
			itemIndex,
			address === '' ? `${field} is empty` : `${field} is no web address: "${address.slice(0, 60)}"`,
			`Enter an address that begins with https://, such as https://shop.example.com/order/1042.`,
		);
	}
	return address;
}
