import type { Item } from '../../item';
import type { GatewayRequest } from '../../transport';
import { checkedRecipient } from '../message/recipient';
import type { Operation } from '../operation';
import { contactField } from './contactField';

type Words = Pick<Operation, 'value' | 'name' | 'action' | 'description'>;

/** Builds the operation that adds a contact to the opt-out list or removes the contact from it. */
export const changesOptOut = ({
	request,
	hasOptedOut,
	...words
}: Words & {
	request: (contact: string) => Pick<GatewayRequest, 'method' | 'path' | 'body'>;
	hasOptedOut: boolean;
}): Operation => ({
	...words,
	fields: [contactField],

	async execute(item: Item) {
		const contact = checkedRecipient(item, 'Contact');
		await item.ask(request(contact));
		return [{ json: { contact, hasOptedOut } }];
	},
});
