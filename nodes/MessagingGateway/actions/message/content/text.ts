import { LIMITS, filled } from '../../../limits';
import { textOf, type Content } from './content';
import { windowNotice } from './windowNotice';

export const text: Content = {
	value: 'text',
	name: 'Text',
	description: 'A plain text, with emojis and formatting if you like',
	fields: [
		windowNotice,
		{
			displayName: 'Text',
			name: 'text',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. Hello Ana, your order is *ready*!',
			description:
				'The message, up to 4096 characters. *bold*, _italic_, ~struck through~ and ```monospace``` work.',
		},
	],

	build(itemIndex, { previewUrl }) {
		const body = textOf(this.getNodeParameter('text', itemIndex));
		return {
			type: 'text',
			text: {
				body: filled(this, itemIndex, 'Text', body, LIMITS.text),
				...(previewUrl && { preview_url: true }),
			},
		};
	},
};
