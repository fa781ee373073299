import type { INodeExecutionData, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Item } from '../item';

/** One operation of the node: its fields, and its request for one item. */
export interface Operation {
	/** Its value in the Operation field. */
	value: string;
	name: string;
	/** In sentence case without article: this is how the node's panel lists it. */
	action: string;
	description: string;
	fields: INodeProperties[];
	/** Operations that do the same with one field preset. n8n lists only operations as actions. */
	presets?: { field: string; operations: Preset[] };
	/** What a model that uses it as a tool has to know; without it `description`. */
	forModels?: string;
	/**
	 * Carries out the operation for one input item. Throws what went wrong; the router deals with it.
	 * @param part from 0, where `parts` says that the item has several
	 * @returns what comes out; where it does not say so itself, it comes from that item alone
	 */
	execute(item: Item, part: number): Promise<INodeExecutionData[]>;
	/** For whom it is carried out, each by itself, such as the recipients of a message; a failure tells. Without it once. */
	parts?(item: Item): string[];
	/**
	 * What is of one lane is carried out one after the other, in the order of the items; different lanes at the same time.
	 * Without it each item is a lane of its own.
	 */
	lane?(item: Item, part: number): string;
	/** How many lanes of a line are carried out at the same time; without it ten. */
	atOnce?: number;
	/** What it did must not be done again, however much later a failed run is tried again; what others found grows old. */
	isOnceOnly?: true;
	/** Whether it is carried out once, for the first item, and takes what it needs from all of them. */
	isForAllItems?(first: Item): boolean;
	/** At most so many starts per second from each line; undefined for as fast as the gateway allows. */
	rate?(first: Item): number | undefined;
}

/** An operation of its own in the Operation field, with the same fields except the preset one. */
export type Preset = Pick<Operation, 'value' | 'name' | 'action' | 'description'> & {
	/** The choice of the preset field. */
	preset: INodePropertyOptions;
};

export interface Resource {
	value: string;
	name: string;
	operations: [Operation, ...Operation[]];
	/** The one that is chosen at first; without it the first of the list. */
	first?: Operation;
}
