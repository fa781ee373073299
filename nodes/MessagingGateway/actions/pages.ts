import { NodeOperationError, type IDataObject } from 'n8n-workflow';

import type { Item } from '../item';
import type { GatewayCaller } from '../line';
import { callGateway, NOT_A_GATEWAY, type GatewayRequest } from '../transport';
import { wantedOf } from './manyFields';

/** One page of a list from the gateway. */
interface Page extends IDataObject {
	data?: IDataObject[];
	next?: string | null;
}

/** A list of the gateway. */
interface List {
	path: string;
	/** The name of the query parameter that takes `next`. */
	from: string;
	/** Plural noun for the error messages. */
	things: string;
}

/** The most rows on a page. */
const PAGE = 200;

/** Fetches pages of a list until the item has enough rows. */
export async function rowsOf(item: Item, list: List): Promise<IDataObject[]> {
	const sentences = {
		not_found: {
			happened: `This gateway is too old to list ${list.things}`,
			next: 'Have it updated.',
			isWhole: true,
		},
	} as const;
	const wanted = wantedOf(item, Infinity, list.things);
	return await rowsFrom.call(item.context, list, { itemIndex: item.index, sentences }, wanted);
}

/** Fetches pages of a list until there are as many rows as wanted. */
export async function rowsFrom(
	this: GatewayCaller,
	{ path, from, things }: List,
	request: Pick<GatewayRequest, 'isManagement' | 'itemIndex' | 'sentences'>,
	wanted = Infinity,
): Promise<IDataObject[]> {
	const rows: IDataObject[] = [];
	let next: string | null = null;
	do {
		const limit = Math.min(PAGE, wanted - rows.length);
		const query = { limit, ...(next !== null && { [from]: next }) };
		const answer: Page = await callGateway.call(this, { ...request, method: 'GET', path, query });
		rows.push(...(answer.data ?? []));
		const behind = answer.next ?? null;
		if (behind !== null && behind === next) {
			const failure = new NodeOperationError(
				this.getNode(),
				`The gateway answered the same page of ${things} twice`,
				{
					description:
						'Something between n8n and the gateway, such as a cache, may drop part of the address. Ask the people who run it.',
					itemIndex: request.itemIndex,
				},
			);
			failure.context.code = NOT_A_GATEWAY;
			throw failure;
		}
		next = behind;
	} while (next !== null && rows.length < wanted);
	return rows.slice(0, wanted);
}
