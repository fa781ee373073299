import { textField } from '../../../fields';
import type { Item } from '../../../item';
import { LIMITS } from '../../../limits';
import { type Content } from './content';
import { bodyField, frame, interactive } from './interactive';

export const linkButton: Content = {
	value: 'linkButton',
	name: 'Link Button',
	description: 'A text with a button that opens a web page',
	action: 'Send link button',
	fields: [
		{ ...bodyField, placeholder: 'e.g. See where your order is.' },
		textField('Button Label', 'linkLabel', {
			required: true,
			placeholder: 'e.g. Track your order',
			description: 'What the contact reads on the button, up to 20 characters',
		}),
		textField('Link', 'linkUrl', {
			required: true,
			placeholder: 'e.g. https://shop.example.com/order/1042',
			description: 'The web page that the button opens',
		}),
	],

	build(item: Item, options) {
		const label = item.text('linkLabel');
		return interactive('cta_url', frame(item, options), {
			name: 'cta_url',
			parameters: {
				display_text: item.filled('Button Label', label, LIMITS.linkLabel),
				url: item.webAddress('Link', item.text('linkUrl')),
			},
		});
	},
};
