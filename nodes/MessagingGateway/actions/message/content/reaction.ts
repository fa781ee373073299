import { refuse } from '../../../limits';
import { messageIdField, messageIdIn } from '../messageId';
import { fieldText, type Content } from './content';

export const reaction: Content = {
	value: 'reaction',
	name: 'Reaction',
	description: 'An emoji on a message of the contact',
	fields: [
		messageIdField(
			'The messageId of the message to react to, as the Trigger gives it',
			'the Trigger',
			'reactTo',
		),
		{
			displayName: 'Emoji',
			name: 'emoji',
			type: 'string',
			default: '👍',
			description: 'One emoji. Empty takes your reaction back.',
		},
	],

	build(itemIndex) {
		const messageId = messageIdIn(this, itemIndex, 'the Trigger', 'reactTo');
		const emoji = fieldText(this, itemIndex, 'emoji').trim();
		if (/[\p{L}\p{Nd}]/u.test(emoji.replace(/[0-9#*]\uFE0F?\u20E3/gu, ''))) {
			refuse(
				this,
				itemIndex,
				`Emoji is "${emoji.slice(0, 20)}"`,
				'Enter one emoji, such as 👍, and no text.',
			);
		}
		return { type: 'reaction', reaction: { message_id: messageId, emoji } };
	},
};
