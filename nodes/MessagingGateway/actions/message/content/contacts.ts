import type { IDataObject } from 'n8n-workflow';

import { several, textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { shortened } from '../../../phoneNumber';
import { type Content } from './content';

const text = (displayName: string, name: string, placeholder: string, description: string) =>
	textField(displayName, name, { placeholder, description });

export const contacts: Content = {
	value: 'contacts',
	name: 'Contact Cards',
	description: 'One or more contacts that can be saved or called',
	action: 'Send contact cards',
	fields: [
		{
			displayName: 'Contact Cards',
			name: 'contacts',
			type: 'fixedCollection',
			...several('Add Contact Card'),
			default: { contact: [{ name: '', phone: '' }] },
			description: 'The contacts to send, in this order',
			options: [
				{
					displayName: 'Contact',
					name: 'contact',
					values: [
						// n8n's linter requires alphabetical order. These labels are chosen so that the common fields
						// come first.
						{ ...text('Name', 'name', 'e.g. Ana Souza', 'The whole name'), required: true },
						text('Phone', 'phone', 'e.g. +55 11 98765-4321', 'The number with country code'),
						text('Position', 'title', 'e.g. Delivery', 'The job title of the person'),
						text('Website', 'url', 'e.g. https://shop.example.com', 'A web address'),
						text('Work Email', 'email', 'e.g. ana@example.com', 'An email address'),
						text('Workplace', 'company', 'e.g. Example Shop', 'The company that the person works for'),
					],
				},
			],
		},
	],

	build(item: Item) {
		const { contact = [] } = item.parameter('contacts', {}) as { contact?: IDataObject[] };
		if (contact.length === 0) {
			item.refuse('There are no contact cards', 'Add at least one.');
		}
		return { type: 'contacts', contacts: contact.map((card, index) => toCard(item, card, index)) };
	},
};

/**
 * Converts one entry to the platform's contact card. The platform requires a first name; the form asks only
 * for the whole name.
 */
function toCard(item: Item, card: IDataObject, index: number): IDataObject {
	const given = (name: string) => textOf(card[name]).trim();
	const name = given('name');
	if (name === '') {
		item.refuse(
			`Name of contact card ${index + 1} is empty`,
			'Enter the name, or check the expression that fills it.',
		);
	}
	const [first, ...rest] = name.split(/\s+/);
	const phone = given('phone');
	const spreadsheet = shortened(`Phone of contact card ${index + 1}`, phone);
	if (spreadsheet) item.refuse(spreadsheet.problem, spreadsheet.next);
	const [email, url, company, title] = ['email', 'url', 'company', 'title'].map(given);
	const digits = phone.replace(/\D/g, '');
	return {
		name: {
			formatted_name: name,
			first_name: first,
			...(rest.length > 0 && { last_name: rest.join(' ') }),
		},
		...(phone !== '' && { phones: [{ phone, type: 'CELL', ...(digits !== '' && { wa_id: digits }) }] }),
		...(email !== '' && { emails: [{ email, type: 'WORK' }] }),
		...(url !== '' && { urls: [{ url, type: 'WORK' }] }),
		...((company || title) && { org: { ...(company && { company }), ...(title && { title }) } }),
	};
}
