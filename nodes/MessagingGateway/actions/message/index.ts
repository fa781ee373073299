import type { Resource } from '../operation';
import { get } from './get.operation';
import { markAsRead } from './markAsRead.operation';
import { send } from './send.operation';
import { sendAndWait } from './sendAndWait.operation';

export const message: Resource = {
	value: 'message',
	name: 'Message',
	operations: [get, markAsRead, send, sendAndWait],
	first: send,
};
