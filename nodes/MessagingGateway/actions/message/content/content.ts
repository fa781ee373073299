import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

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

/** What a field holds, as text: an expression may come to a number, or to nothing. */
export const textOf = (value: unknown): string => String(value ?? '');

/** The text of a field for one item. */
export const fieldText = (context: IExecuteFunctions, itemIndex: number, name: string): string =>
	textOf(context.getNodeParameter(name, itemIndex, ''));
