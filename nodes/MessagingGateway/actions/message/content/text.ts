import { textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { toChatFormatting } from '../../../formatting/markdown';
import { splitText } from '../../../formatting/split';
import { characters, LIMITS } from '../../../limits';
import { type Content } from './content';

/** At most 20 messages for one text: nobody reads more in a chat. */
const LONGEST = 20 * LIMITS.text;

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

	build(item: Item, { convertMarkdown, previewUrl, splitText: isSplit }) {
		const entered = item.entered('Text', textOf(item.parameter('text')));
		const isConverted = convertMarkdown && characters(entered) <= LONGEST;
		const body = isConverted ? toChatFormatting(entered) : entered;
		item.within('Text', body, isSplit ? LONGEST : LIMITS.text);
		const message = (part: string) => ({
			type: 'text',
			text: { body: part, ...(previewUrl && { preview_url: true }) },
		});
		return isSplit ? splitText(body, LIMITS.text).map(message) : message(body);
	},
};
