import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../item';
import { NOT_A_GATEWAY } from '../transport';
import { wantedOf } from './manyFields';

/** One page of a list from the gateway. */
interface Page extends IDataObject {
	data?: IDataObject[];
	next?: string | null;
}

/** The most rows on a page. */
const PAGE = 200;

/**
 * Fetches pages of a list until the item has enough rows.
 * @param from name of the query parameter that takes `next`
 */
export async function rowsOf(
	item: Item,
	{ path, from, things }: { path: string; from: string; things: string },
): Promise<IDataObject[]> {
	const wanted = wantedOf(item, Infinity, things);
	const rows: IDataObject[] = [];
	let next: string | null = null;
	do {
		const limit = Math.min(PAGE, wanted - rows.length);
		const answer: Page = await item.ask({
			method: 'GET',
			path,
			query: { limit, ...(next !== null && { [from]: next }) },
			sentences: {
				not_found: {
					happened: `This gateway is too old to list ${things}`,
					next: 'Have it updated.',
					isWhole: true,
				},
			},
		});
		rows.push(...(answer.data ?? []));
		const behind = answer.next ?? null;
		if (behind !== null && behind === next) {
			throw item.failure(
				`The gateway answered the same page of ${things} twice`,
				'Something between n8n and the gateway, such as a cache, may drop part of the address. Ask the people who run it.',
				NOT_A_GATEWAY,
			);
		}
		next = behind;
	} while (next !== null && rows.length < wanted);
	return rows.slice(0, wanted);
}
