import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { LIMITS, filled, within } from '../../../limits';
import { textOf, type SendOptions } from './content';

/** The text above the buttons or the list. */
export const bodyField: INodeProperties = {
	displayName: 'Body',
	name: 'body',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	required: true,
	placeholder: 'e.g. When shall we deliver?',
	description: 'The text of the message, up to 1024 characters',
};

/** Header, body and footer: the same rules for buttons and lists. */
export function frame(
	context: IExecuteFunctions,
	itemIndex: number,
	{ header, footer }: SendOptions,
): IDataObject {
	const body = textOf(context.getNodeParameter('body', itemIndex));
	return {
		...(header !== '' && {
			header: { type: 'text', text: within(context, itemIndex, 'Header', header, LIMITS.header) },
		}),
		body: { text: filled(context, itemIndex, 'Body', body, LIMITS.body) },
		...(footer !== '' && { footer: { text: within(context, itemIndex, 'Footer', footer, LIMITS.footer) } }),
	};
}

/** What an answer is recognised by: the id that was entered, or else the title. */
export const idOrTitle = (id: unknown, title: string): string => textOf(id).trim() || title;
