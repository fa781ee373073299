import type { INodeProperties } from 'n8n-workflow';

import type { Item } from '../item';

/** The fields Return All and Limit, named as in n8n's own nodes. */
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

/**
 * Returns the number of results to fetch.
 * @param all the number for Return All
 * @param things plural noun for the error message
 */
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
