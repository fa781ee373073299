import type { IDataObject } from 'n8n-workflow';

import { callGateway } from '../../transport';
import type { Operation } from '../operation';
import { hintIfNotRefreshed, refreshOption } from '../refresh';

export const getStatus: Operation = {
	value: 'getStatus',
	name: 'Get Status',
	action: 'Get line status',
	description: 'Get whether the line is connected, and its quality and messaging limit',
	fields: [
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [refreshOption],
		},
	],

	async execute(itemIndex) {
		const { refresh } = this.getNodeParameter('options', itemIndex, {}) as { refresh?: boolean };
		const answer = await callGateway.call(this, {
			method: 'GET',
			path: 'status',
			query: refresh ? { refresh: 1 } : undefined,
			itemIndex,
		});
		hintIfNotRefreshed(this, answer);
		return [{ json: withoutSuccess(answer), pairedItem: { item: itemIndex } }];
	},
};

/** An answer that arrives here is a success; the field would only be in the way. */
function withoutSuccess(answer: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(answer).filter(([name]) => name !== 'success'));
}
