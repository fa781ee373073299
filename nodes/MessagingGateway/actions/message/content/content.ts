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

/** The Options of Message: Send, as far as they were added. */
export interface SendOptions {
	clientRef?: string;
	footer?: string;
	header?: string;
	previewUrl?: boolean;
	replyTo?: string;
}
