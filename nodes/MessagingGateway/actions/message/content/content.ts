import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

/** One value of Message Type: its own fields, and the part of the request that they make. */
export interface Content {
	value: string;
	name: string;
	description: string;
	fields: INodeProperties[];
	/** Fields that go into Options, shown only for this type. */
	options?: INodeProperties[];
	/** Returns `type` and the object of that name. Refuses what the service would refuse, before anything is sent. */
	build(this: IExecuteFunctions, itemIndex: number, options: SendOptions): IDataObject;
}

/** The Options of Message: Send; a text that was not added, or came out without a value, is empty. */
export interface SendOptions {
	clientRef: string;
	footer: string;
	header: string;
	previewUrl: boolean;
	replyTo: string;
}

/** What a field holds, as text: an expression may come to a number, or to nothing. */
export const textOf = (value: unknown): string => String(value ?? '');
