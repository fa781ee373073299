import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../item';
import { inBothSpellings } from '../../json';
import type { Operation } from '../operation';
import { hintIfNotRefreshed, refreshOptions, wantsRefresh } from '../refresh';
import { API_OFF, readiness, SUSPENDED, SWITCHED_OFF } from './readiness';

/**
 * Refusals with status 403 that describe the line's state. Get Status returns them as output instead of
 * failing.
 */
const REFUSED: Record<string, string> = {
	customer_suspended: SUSPENDED,
	line_inactive: SWITCHED_OFF,
	api_disabled: API_OFF,
};

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

/** Removes `success`: an answer that gets this far always succeeded. */
function withoutSuccess(answer: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(answer).filter(([name]) => name !== 'success'));
}
