import { UserError, type IDataObject, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';

/** One value of Message Type: its own fields, and the part of the request that they make. */
export interface Content {
	value: string;
	name: string;
	description: string;
	fields: INodeProperties[];
	/** Returns `type` and the object of that name. Refuses what the service would refuse, before anything is sent. */
	build(this: IExecuteFunctions, itemIndex: number, options: SendOptions): IDataObject | Promise<IDataObject>;
}

/** The Options of Message: Send; a text that was not added, or came out without a value, is empty. */
export interface SendOptions {
	clientRef: string;
	flowData: string;
	flowDraft: boolean;
	flowScreen: string;
	flowToken: string;
	footer: string;
	header: string;
	headerDocument: string;
	headerImage: string;
	headerVideo: string;
	previewUrl: boolean;
	replyTo: string;
	voice: boolean;
}

/**
 * What a field holds, as text: an expression may come to a number, to nothing, or to a list. Refuses an object, of
 * which a contact would read "[object Object]".
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

/** Not so a date, which says itself what it is as text. */
const isPlainObject = (value: unknown): value is object =>
	typeof value === 'object' && value !== null && value.toString === Object.prototype.toString;

const exampleOf = (value: object): string => {
	const [name] = Object.keys(value);
	return name === undefined ? '' : `, such as ${name}`;
};

/** The text of a field for one item. */
export const fieldText = (context: IExecuteFunctions, itemIndex: number, name: string): string =>
	textOf(context.getNodeParameter(name, itemIndex, ''));

/** What a text says as JSON; undefined for what is none: the caller says so in a sentence. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
