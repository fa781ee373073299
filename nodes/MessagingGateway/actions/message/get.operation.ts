import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../item';
import type { Operation } from '../operation';
import { messageIdField, messageIdIn } from './messageId';

/** Fields that the node reads from the answer in docs/api.md, "Look-ups". */
interface MessageAnswer extends IDataObject {
	failure?: { error_code?: string; code?: number; reason?: string; action?: string } | null;
}

const SENDER = 'the node that sent the message';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get message',
	description: 'Get the status of a message: accepted, sent, delivered, read, or failed and why',
	fields: [messageIdField('The messageId that Send gave out', SENDER)],

	async execute(item: Item) {
		const messageId = messageIdIn(item, SENDER);
		const answer = (await item.ask({
			method: 'GET',
			path: `messages/${encodeURIComponent(messageId)}`,
			sentences: {
				not_found: {
					happened: 'The gateway knows no message with this ID on this line',
					next: 'Take the messageId from the output of Send, and the credential of the line that sent it.',
					isWhole: true,
				},
			},
		})) as MessageAnswer;
		return [{ json: flat(answer) }];
	},
};

/** Flattens the answer, with the same field names as the output of Send and the trigger. */
function flat(answer: MessageAnswer): IDataObject {
	const { failure } = answer;
	return {
		messageId: answer.id,
		messageStatus: answer.state,
		to: answer.contact,
		messageType: answer.type,
		clientRef: answer.client_ref,
		acceptedAt: answer.accepted_at,
		sentAt: answer.sent_at,
		deliveredAt: answer.delivered_at,
		readAt: answer.read_at,
		playedAt: answer.played_at,
		failedAt: answer.failed_at,
		failure: failure
			? {
					reason: failure.reason ?? null,
					whatToDo: failure.action ?? null,
					errorCode: failure.error_code ?? null,
					code: failure.code ?? null,
				}
			: null,
		raw: answer,
	};
}
