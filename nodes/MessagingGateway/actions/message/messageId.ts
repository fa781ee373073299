import type { INodeProperties } from 'n8n-workflow';

import { textField } from '../../fields';
import type { Item } from '../../item';

/**
 * The field for a message ID.
 * @param source where to find the ID, for the hint
 * @param name name of the parameter, if a node has several
 */
export const messageIdField = (description: string, source: string, name = 'messageId'): INodeProperties =>
	textField('Message ID', name, {
		required: true,
		placeholder: 'e.g. {{ $json.messageId }}',
		hint: dragFrom(source),
		description,
	});

const dragFrom = (source: string): string => `Drag messageId from the output of ${source} here`;

/** Returns the message ID from the field; refuses an invalid one. */
export function messageIdIn(item: Item, source: string, name = 'messageId'): string {
	const messageId = item.text(name).trim();
	if (messageId === '') {
		item.refuse('Message ID is empty', `${dragFrom(source)}.`);
	}
	return messageId;
}
