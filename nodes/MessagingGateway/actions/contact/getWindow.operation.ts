import type { Item } from '../../item';
import { checkedRecipient, toField } from '../message/recipient';
import type { Operation } from '../operation';

export const getWindow: Operation = {
	value: 'getWindow',
	name: 'Get Window',
	action: 'Get window of contact',
	description: 'Get whether a contact may be written to freely now, until when, and whether it has opted out',
	fields: [
		{
			...toField,
			displayName: 'Contact',
			hint: "With country code, such as +55 11 98765-4321, or drag the trigger's field “from” here",
			description:
				"The contact's number with country code, or the fromUserId that the Trigger gives. Spaces, brackets, dashes and a leading + or 00 are fine.",
		},
	],

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
