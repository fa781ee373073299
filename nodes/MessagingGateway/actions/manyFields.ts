import type { INodeProperties } from 'n8n-workflow';

import type { Item } from '../item';

/** Return All and Limit, as n8n has them wherever there may be many. */
export const manyFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		displayOptions: { show: { returnAll: [false] } },
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
	},
];

/** How many results are wanted. @param all where all are @param things their plural word */
export function wantedOf(item: Item, all: number, things: string): number {
	if (item.parameter('returnAll') === true) return all;
	const limit = Number(item.parameter('limit'));
	if (!Number.isInteger(limit) || limit < 1) {
		item.refuse(
			'Limit is not a whole number from 1',
			`Enter how many ${things} to return, or switch on Return All.`,
		);
	}
	return limit;
}
