import { textField } from '../../../fields';
import type { Item } from '../../../item';
import { type Content } from './content';
import { bodyField, interactive, textAndFooter } from './interactive';

export const addressRequest: Content = {
	value: 'addressRequest',
	name: 'Address Request',
	description: 'A text with a form for a postal address; the platform offers it in India',
	fields: [
		{ ...bodyField, placeholder: 'e.g. Where shall we deliver to?' },
		textField('Country Code', 'addressCountry', {
			default: 'IN',
			required: true,
			placeholder: 'e.g. IN',
			hint: 'The platform offers this in India (IN) only. Elsewhere send a Flow, or a Location Request.',
			description: "The country of the address, which must be that of the contact's number",
		}),
	],

	build(item: Item, options) {
		const country = item.text('addressCountry').trim().toUpperCase();
		if (!/^[A-Z]{2}$/.test(country)) {
			item.refuse(
				`Country Code is "${country.slice(0, 20)}"`,
				'Enter the two letters of the country, such as IN for India.',
			);
		}
		const texts = textAndFooter(item, ['Text', item.text('body')], options);
		return interactive('address_message', texts, { name: 'address_message', parameters: { country } });
	},
};
