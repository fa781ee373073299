import { textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { LIMITS } from '../../../limits';
import { type Content } from './content';

export const text: Content = {
	value: 'text',
	name: 'Text',
	description: 'A plain text, with emojis and formatting if you like',
	fields: [
		textField('Text', 'text', {
			typeOptions: { rows: 4 },
			required: true,
			placeholder: 'e.g. Hello Ana, your order is *ready*!',
			description:
				'The message, up to 4096 characters. *bold*, _italic_, ~struck through~ and ```monospace``` work.',
		}),
	],

	build(item: Item, { previewUrl }) {
		const body = textOf(item.parameter('text'));
		return {
			type: 'text',
			text: {
				body: item.filled('Text', body, LIMITS.text),
				...(previewUrl && { preview_url: true }),
			},
		};
	},
};
