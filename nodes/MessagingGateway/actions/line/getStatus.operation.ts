import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../item';
import { inBothSpellings } from '../../json';
import type { Operation } from '../operation';
import { hintIfNotRefreshed, refreshOptions, wantsRefresh } from '../refresh';
import { API_OFF, readiness, SWITCHED_OFF } from './readiness';

/** The gateway answers 403 for these lines; a workflow that asks whether the line is ready wants to hear that. */
const REFUSED: Record<string, string> = { line_inactive: SWITCHED_OFF, api_disabled: API_OFF };

export const getStatus: Operation = {
	value: 'getStatus',
	name: 'Get Status',
	action: 'Get line status',
	description:
		'Get whether the line is ready to send and why not, its connection, quality and messaging limit',
	fields: [refreshOptions],

	async execute(item: Item) {
		const answer = await item.ask({
			method: 'GET',
			path: 'status',
			query: wantsRefresh(item) ? { refresh: 1 } : undefined,
			expected: Object.keys(REFUSED),
		});
		const refused = REFUSED[String(answer.error_code)];
		if (refused) return [{ json: { ready: false, reasons: [refused] } }];
		hintIfNotRefreshed(item, answer);
		return [{ json: { ...readiness(answer), ...inBothSpellings(withoutSuccess(answer)) } }];
	},
};

/** An answer that arrives here is a success; the field would only be in the way. */
function withoutSuccess(answer: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(answer).filter(([name]) => name !== 'success'));
}
