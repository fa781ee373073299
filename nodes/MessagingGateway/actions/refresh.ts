import type { IDataObject } from 'n8n-workflow';

import { optionsField } from '../fields';
import type { Item } from '../item';

/** Templates and status come from the gateway's stored data unless this option requests a refresh. */
export const refreshOptions = optionsField([
	{
		displayName: 'Refresh From Platform',
		name: 'refresh',
		type: 'boolean',
		default: false,
		description:
			'Whether the gateway asks the messaging platform before it answers. It does so at most once every 60 seconds; in between you get what it has stored.',
	},
]);

export const wantsRefresh = (item: Item): boolean =>
	(item.parameter('options', {}) as IDataObject).refresh === true;

/** The result of `refresh=1`: docs/api.md, "Refresh". */
interface Refresh {
	requested?: boolean;
	performed?: boolean;
	reason?: string;
	retry_after?: number;
}

/** Shows a hint in the editor if a requested refresh did not happen and the data is the stored one. */
export function hintIfNotRefreshed({ context }: Item, answer: IDataObject): void {
	const platform = answer.platform as IDataObject | undefined;
	const refresh = (answer.refresh ?? platform?.refresh) as Refresh | undefined;
	if (refresh?.performed !== false || !refresh.requested) return;
	const message =
		refresh.reason === 'upstream_error'
			? 'Not refreshed: the messaging platform could not be asked. This is what the gateway has stored.'
			: `Not refreshed: the last refresh was less than 60 seconds ago. This is what the gateway has stored; refresh again in ${refresh.retry_after ?? 60} seconds.`;
	context.addExecutionHints({ message, location: 'outputPane', type: 'info' });
}
