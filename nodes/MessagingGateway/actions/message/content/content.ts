import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Item } from '../../../item';

/** One value of Message Type: its own fields, and the part of the request that they make. */
export interface Content {
	value: string;
	name: string;
	description: string;
	fields: INodeProperties[];
	/** Returns `type` and the object of that name. Refuses what the service would refuse, before anything is sent. */
	build(item: Item, options: SendOptions): IDataObject | Promise<IDataObject>;
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

/** What a text says as JSON; undefined for what is none: the caller says so in a sentence. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
