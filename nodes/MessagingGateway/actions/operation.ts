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
	 * Runs the operation for one input item. Errors are thrown to the router.
	 * @param part from 0, if `parts` says that the item has several
	 * @returns the output; by default it is paired with that item
	 */
	execute(item: Item, part: number): Promise<INodeExecutionData[]>;
	/**
	 * Runs once for each of these, such as the recipients of a message; an error names the one that failed.
	 * Without it, once.
	 */
	parts?(item: Item): string[];
	/**
	 * Items of one lane run one after the other, in their order; different lanes run in parallel. Without it,
	 * each item is a lane of its own.
	 */
	lane?(item: Item, part: number): string;
	/** How many lanes of a line are carried out at the same time; without it ten. */
	atOnce?: number;
	/**
	 * Its results must not be repeated, however much later a failed run is tried again; results of reads
	 * become outdated.
	 */
	isOnceOnly?: true;
	/** Whether it runs once, for the first item, and reads all of them. */
	isForAllItems?(first: Item): boolean;
	/** The most starts per second on each line; undefined for as fast as the gateway allows. */
	rate?(first: Item): number | undefined;
}

/** A separate operation in the Operation field, with the same fields except the preset one. */
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
