import type { Item } from '../../item';
import type { Operation } from '../operation';
import { messageIdField, messageIdIn } from './messageId';

export const markAsRead: Operation = {
	value: 'markAsRead',
	name: 'Mark as Read',
	action: 'Mark message as read',
	description: 'Show the contact that you have read their message, and that you are typing',
	fields: [
		messageIdField('The messageId of the message that came in, as the Trigger gives it', 'the Trigger'),
		{
			displayName: 'Show Typing',
			name: 'showTyping',
			type: 'boolean',
			default: false,
			description:
				'Whether the contact sees "typing…" until you answer, for 25 seconds at most. Use it when an answer follows.',
		},
	],

	async execute(item: Item) {
		const messageId = messageIdIn(item, 'the Trigger');
		// Some platforms accept an ID in another format without an error.
		if (!/^wamid\.\S/.test(messageId)) {
			item.refuse(
				`Message ID is "${messageId.slice(0, 40)}", which is no message ID`,
				'It begins with "wamid.": drag messageId from the output of the Trigger here.',
			);
		}
		const showTyping = item.parameter('showTyping', false) === true;
		await item.ask({
			method: 'POST',
			path: 'messages',
			body: {
				messaging_product: 'whatsapp',
				status: 'read',
				message_id: messageId,
				...(showTyping && { typing_indicator: { type: 'text' } }),
			},
		});
		return [{ json: { messageId, read: true, typing: showTyping } }];
	},
};
