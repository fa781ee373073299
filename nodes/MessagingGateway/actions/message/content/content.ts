import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Item } from '../../../item';
import type { SendOptions } from '../options';

/** The message that an item becomes, or the messages. */
export type Built = IDataObject | IDataObject[];

/** One value of Message Type: its own fields, and the part of the request that they make. */
export interface Content {
	value: string;
	name: string;
	description: string;
	/** How n8n lists it among the actions; without it only Message Type offers it. */
	action?: string;
	fields: INodeProperties[];
	/**
	 * Returns `type` and the object of that name. Refuses what the service would refuse, before anything is sent.
	 * Several messages are sent in their order, each after the one before it.
	 */
	build(item: Item, options: SendOptions): Built | Promise<Built>;
}
