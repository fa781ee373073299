import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Item } from '../../../item';
import type { SendOptions } from '../options';

/** One or more messages built from one item. */
export type Built = IDataObject | IDataObject[];

/** One value of Message Type, with its fields and its part of the request. */
export interface Content {
	value: string;
	name: string;
	description: string;
	/** The label in n8n's list of actions; without it, only Message Type offers this value. */
	action?: string;
	fields: INodeProperties[];
	/**
	 * Returns `type` and the object named after it. Refuses invalid input before anything is sent.
	 * Several messages are sent in order, each after the previous one.
	 */
	build(item: Item, options: SendOptions): Built | Promise<Built>;
}
