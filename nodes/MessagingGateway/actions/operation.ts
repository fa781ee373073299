import type { INodeExecutionData, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Item } from '../item';

/** One operation of the node: its fields, and how to run it for an item. */
export interface Operation {
	/** Its value in the Operation field. */
	value: string;
	name: string;
	/** The label in the node's panel: sentence case, without an article. */
	action: string;
	description: string;
	fields: INodeProperties[];
	/**
	 * Variants with one field preset. n8n lists only operations as actions, so each variant is an operation.
	 */
	presets?: { field: string; operations: Preset[] };
	/** The description for a model that uses the operation as a tool; defaults to `description`. */
	forModels?: string;
	/**
	 * Runs the operation for one input item. Errors are thrown to the router.
	 * @param part from 0, if `parts` says that the item has several
	 * @returns the output; by default it is paired with that item
	 */
	execute(item: Item, part: number): Promise<INodeExecutionData[]>;
	/**
	 * The parts of an item, such as the recipients of a message. The operation runs once per part, and an error
	 * names the failed part. Defaults to one part.
	 */
	parts?(item: Item): string[];
	/**
	 * Items in the same lane run one after the other, in order; lanes run in parallel. Defaults to one lane per
	 * item.
	 */
	lane?(item: Item, part: number): string;
	/** How many lanes of a line run in parallel; defaults to ten. */
	atOnce?: number;
	/**
	 * Whether a retry must reuse earlier results, however old, because the operation must not run twice. False
	 * for reads, whose results become outdated.
	 */
	isOnceOnly?: true;
	/** Whether the operation runs once for all items, through the first one. */
	isForAllItems?(first: Item): boolean;
	/** The most starts per second on each line; undefined for no limit in the node. */
	rate?(first: Item): number | undefined;
}

/** A separate entry in the Operation field, with all fields except the preset one. */
export type Preset = Pick<Operation, 'value' | 'name' | 'action' | 'description'> & {
	/** The value of the preset field. */
	preset: INodePropertyOptions;
};

export interface Resource {
	value: string;
	name: string;
	operations: [Operation, ...Operation[]];
	/** The default operation; defaults to the first in the list. */
	first?: Operation;
}
