import type { Item } from '../../../item';
import { LIMITS } from '../../../limits';
import { type Content } from './content';
import { bodyField, footer } from './interactive';
import { windowNotice } from './windowNotice';

export const locationRequest: Content = {
	value: 'locationRequest',
	name: 'Location Request',
	description: 'A text with a button by which the contact sends you where they are',
	fields: [windowNotice, { ...bodyField, placeholder: 'e.g. Where shall we deliver?' }],

	build(item: Item, options) {
		return {
			type: 'interactive',
			interactive: {
				type: 'location_request_message',
				body: { text: item.filled('Text', item.text('body'), LIMITS.body) },
				...footer(item, options),
				action: { name: 'send_location' },
			},
		};
	},
};
