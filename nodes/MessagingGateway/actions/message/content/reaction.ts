import { refuse } from '../../../limits';
import { fieldText, type Content } from './content';
import { windowNotice } from './windowNotice';

export const reaction: Content = {
	value: 'reaction',
	name: 'Reaction',
	description: 'An emoji on a message of the contact',
	fields: [
		windowNotice,
		{
			displayName: 'Message ID',
			name: 'reactTo',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $json.messageId }}',
			description: 'The messageId of the message to react to, as the Trigger gives it',
		},
		{
			displayName: 'Emoji',
			name: 'emoji',
			type: 'string',
			default: '👍',
			description: 'One emoji. Empty takes your reaction back.',
		},
	],

	build(itemIndex) {
		const messageId = fieldText(this, itemIndex, 'reactTo').trim();
		if (messageId === '') {
			refuse(this, itemIndex, 'Message ID is empty', 'Drag messageId from the Trigger here.');
		}
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
