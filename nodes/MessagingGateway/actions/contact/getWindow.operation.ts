import type { Item } from '../../item';
import { checkedRecipient } from '../message/recipient';
import type { Operation } from '../operation';
import { contactField } from './contactField';

export const getWindow: Operation = {
	value: 'getWindow',
	name: 'Get Window',
	action: 'Get window of contact',
	description: 'Get whether a contact may be written to freely now, until when, and whether it has opted out',
	fields: [contactField],

	async execute(item: Item) {
		const contact = checkedRecipient(item, 'Contact');
		const answer = await item.ask({
			method: 'GET',
			path: `window/${encodeURIComponent(contact)}`,
		});
		return [
			{
				json: {
					contact: answer.contact,
					isOpen: answer.open,
					lastMessageAt: answer.last_inbound_at,
					closesAt: answer.expires_at,
					// Not told by a gateway that has no opt-out list.
					hasOptedOut: answer.opted_out ?? null,
					raw: answer,
				},
			},
		];
	},
};
