import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { refuse } from '../../limits';
import { fieldText } from './content/content';

/**
 * The field that names a message.
 * @param source who gives such an ID out, as a person would say it
 * @param name the parameter's, where a node has several
 */
export const messageIdField = (description: string, source: string, name = 'messageId'): INodeProperties => ({
	displayName: 'Message ID',
	name,
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. {{ $json.messageId }}',
	hint: dragFrom(source),
	description,
});

const dragFrom = (source: string): string => `Drag messageId from the output of ${source} here`;

/** What stands in that field, or a refusal. */
export function messageIdIn(
	context: IExecuteFunctions,
	itemIndex: number,
	source: string,
	name = 'messageId',
): string {
	const messageId = fieldText(context, itemIndex, name).trim();
	if (messageId === '') {
		refuse(context, itemIndex, 'Message ID is empty', `${dragFrom(source)}.`);
	}
	return messageId;
}
