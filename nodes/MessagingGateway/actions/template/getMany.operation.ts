import type { Item } from '../../item';
import { MOST_TEMPLATES, listTemplates } from '../../templates/templates';
import { manyFields, wantedOf } from '../manyFields';
import type { Operation } from '../operation';
import { hintIfNotRefreshed, refreshOptions, wantsRefresh } from '../refresh';
import { essentials, simplifyField } from './simplify';

export const getMany: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many templates',
	description: 'Get the templates registered for the line, with their approval status',
	fields: [
		...manyFields,
		simplifyField,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add filter',
			default: {},
			options: [
				{
					displayName: 'Status',
					name: 'templateStatus',
					type: 'options',
					default: 'approved',
					description: 'Only templates in this state',
					options: [
						{ name: 'Approved', value: 'approved', description: 'Can be sent' },
						{ name: 'Disabled', value: 'disabled', description: 'Paused or switched off by the platform' },
						{ name: 'Pending', value: 'pending', description: 'Still being reviewed by the platform' },
						{ name: 'Rejected', value: 'rejected', description: 'Refused by the platform' },
					],
				},
			],
		},
		refreshOptions,
	],

	async execute(item: Item) {
		const simplify = item.parameter('simplify') as boolean;
		const { templateStatus } = item.parameter('filters', {}) as { templateStatus?: string };
		const refresh = wantsRefresh(item);
		const limit = wantedOf(item, MOST_TEMPLATES, 'templates');
		const answer = await listTemplates.call(item.context, {
			templateStatus,
			limit,
			refresh,
			itemIndex: item.index,
		});
		hintIfNotRefreshed(item, answer);
		if (answer.data.length === MOST_TEMPLATES) {
			item.context.addExecutionHints({
				message: `The gateway lists at most ${MOST_TEMPLATES} templates at once: there may be more. Filter by status to see the rest.`,
				location: 'outputPane',
				type: 'warning',
			});
		}
		return answer.data.map((template) => ({
			json: simplify ? essentials(template) : template,
		}));
	},
};
