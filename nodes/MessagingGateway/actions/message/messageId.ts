import type { INodeProperties } from 'n8n-workflow';

import { textField } from '../../fields';
import type { Item } from '../../item';

/**
 * The field that names a message.
 * @param source who gives such an ID out, as a person would say it
 * @param name the parameter's, where a node has several
 */
export const messageIdField = (description: string, source: string, name = 'messageId'): INodeProperties =>
	textField('Message ID', name, {
		required: true,
		placeholder: 'e.g. {{ $json.messageId }}',
		hint: dragFrom(source),
		description,
	});

const dragFrom = (source: string): string => `Drag messageId from the output of ${source} here`;

/** What stands in that field, or a refusal. */
export function messageIdIn(item: Item, source: string, name = 'messageId'): string {
	const messageId = item.text(name).trim();
	if (messageId === '') {
		item.refuse('Message ID is empty', `${dragFrom(source)}.`);
	}
	return messageId;
}
