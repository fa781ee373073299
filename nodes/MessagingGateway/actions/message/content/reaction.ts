import { textField } from '../../../fields';
import type { Item } from '../../../item';
import { messageIdField, messageIdIn } from '../messageId';
import { type Content } from './content';

export const reaction: Content = {
	value: 'reaction',
	name: 'Reaction',
	description: 'An emoji on a message of the contact',
	action: 'Send reaction',
	fields: [
		messageIdField(
			'The messageId of the message to react to, as the Trigger gives it',
			'the Trigger',
			'reactTo',
		),
		textField('Emoji', 'emoji', {
			default: '👍',
			description: 'One emoji. Empty takes your reaction back.',
		}),
	],

	build(item: Item) {
		const messageId = messageIdIn(item, 'the Trigger', 'reactTo');
		const emoji = item.text('emoji').trim();
		if (/[\p{L}\p{Nd}]/u.test(emoji.replace(/[0-9#*]\uFE0F?\u20E3/gu, ''))) {
			item.refuse(`Emoji is "${emoji.slice(0, 20)}"`, 'Enter one emoji, such as 👍, and no text.');
		}
		return { type: 'reaction', reaction: { message_id: messageId, emoji } };
	},
};
