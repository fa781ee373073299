import type { Item } from '../../../item';
import { type Content } from './content';
import { bodyField, interactive, textAndFooter } from './interactive';

export const locationRequest: Content = {
	value: 'locationRequest',
	name: 'Location Request',
	description: 'A text with a button by which the contact sends you where they are',
	action: 'Send location request',
	fields: [{ ...bodyField, placeholder: 'e.g. Where shall we deliver?' }],

	build(item: Item, options) {
		const texts = textAndFooter(item, ['Text', item.text('body')], options);
		return interactive('location_request_message', texts, { name: 'send_location' });
	},
};
