import type { Item } from '../../item';
import { manyFields } from '../manyFields';
import type { Operation } from '../operation';
import { rowsOf } from '../pages';

export const getOptedOut: Operation = {
	value: 'getOptedOut',
	name: 'Get Many Opted Out',
	action: 'Get many opted out contacts',
	description: 'Get the contacts that want no more messages from the line, with the word that each wrote',
	fields: manyFields,

	async execute(item: Item) {
		const rows = await rowsOf(item, { path: 'opt-outs', from: 'after', things: 'contacts' });
		return rows.map(({ contact, since, word }) => ({ json: { contact, since, word } }));
	},
};
