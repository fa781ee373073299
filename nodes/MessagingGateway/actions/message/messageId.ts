import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { refuse } from '../../limits';
import { fieldText } from './content/content';

/** The field that names a message. @param name the parameter's, where a node has several */
export const messageIdField = (description: string, name = 'messageId'): INodeProperties => ({
	displayName: 'Message ID',
	name,
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. {{ $json.messageId }}',
	description,
});

/** What stands in that field, or a refusal. @param source who gives such an ID out, as a person would say it */
export function messageIdIn(
	context: IExecuteFunctions,
	itemIndex: number,
	source: string,
	name = 'messageId',
): string {
	const messageId = fieldText(context, itemIndex, name).trim();
	if (messageId === '') {
		refuse(context, itemIndex, 'Message ID is empty', `Drag messageId from ${source} here.`);
	}
	return messageId;
}
