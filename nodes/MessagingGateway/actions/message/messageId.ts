import type { INodeProperties } from 'n8n-workflow';

import { textField } from '../../fields';
import type { Item } from '../../item';

/**
 * The field for the ID of a message.
 * @param source where such an ID comes from, for the hint
 * @param name of the parameter, if a node has several
 */
export const messageIdField = (description: string, source: string, name = 'messageId'): INodeProperties =>
	textField('Message ID', name, {
		required: true,
		placeholder: 'e.g. {{ $json.messageId }}',
		hint: dragFrom(source),
		description,
	});

const dragFrom = (source: string): string => `Drag messageId from the output of ${source} here`;

/** The value of that field, or a refusal. */
export function messageIdIn(item: Item, source: string, name = 'messageId'): string {
	const messageId = item.text(name).trim();
	if (messageId === '') {
		item.refuse('Message ID is empty', `${dragFrom(source)}.`);
	}
	return messageId;
}
