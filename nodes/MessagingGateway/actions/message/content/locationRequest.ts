import { LIMITS, filled } from '../../../limits';
import { fieldText, type Content } from './content';
import { bodyField, footer } from './interactive';
import { windowNotice } from './windowNotice';

export const locationRequest: Content = {
	value: 'locationRequest',
	name: 'Location Request',
	description: 'A text with a button by which the contact sends you where they are',
	fields: [windowNotice, { ...bodyField, placeholder: 'e.g. Where shall we deliver?' }],

	build(itemIndex, options) {
		return {
			type: 'interactive',
			interactive: {
				type: 'location_request_message',
				body: { text: filled(this, itemIndex, 'Text', fieldText(this, itemIndex, 'body'), LIMITS.body) },
				...footer(this, itemIndex, options),
				action: { name: 'send_location' },
			},
		};
	},
};
