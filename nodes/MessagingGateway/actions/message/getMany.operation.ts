import type { Item } from '../../item';
import { contactField } from '../contact/contactField';
import { manyFields } from '../manyFields';
import type { Operation } from '../operation';
import { rowsOf } from '../pages';
import { checkedRecipient } from './recipient';

export const getMany: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many messages',
	description:
		'Get the conversation with a contact, the newest message first: what the contact wrote and what was sent to it',
	fields: [contactField, ...manyFields],

	async execute(item: Item) {
		const contact = checkedRecipient(item, 'Contact');
		const rows = await rowsOf(item, {
			path: `conversations/${encodeURIComponent(contact)}`,
			from: 'before',
			things: 'messages',
		});
		return rows.map((row) => ({
			json: {
				messageId: row.id,
				direction: row.direction,
				text: row.text,
				kind: row.type,
				name: row.name,
				contact: row.contact,
				timestamp: row.at,
				messageStatus: row.state,
				mediaId: row.media_id,
				clientRef: row.client_ref,
			},
		}));
	},
};
