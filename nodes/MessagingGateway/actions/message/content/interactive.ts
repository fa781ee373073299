import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { LIMITS, filled, refuse, within } from '../../../limits';
import { fieldText, textOf, type SendOptions } from './content';

/** The text above the buttons or the list. */
export const bodyField: INodeProperties = {
	displayName: 'Text',
	name: 'body',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	required: true,
	placeholder: 'e.g. When shall we deliver?',
	description: 'The text of the message, up to 1024 characters',
};

/** Header, body and footer: the same rules for all kinds. Only lists and requests for a location take no file above. */
export function frame(context: IExecuteFunctions, itemIndex: number, options: SendOptions): IDataObject {
	return frameAround(context, itemIndex, ['Text', fieldText(context, itemIndex, 'body')], options);
}

/** @param body what its field is called, and what stands in it */
export function frameAround(
	context: IExecuteFunctions,
	itemIndex: number,
	[field, body]: [string, string],
	options: SendOptions,
): IDataObject {
	const above = header(context, itemIndex, options);
	return {
		...(above && { header: above }),
		body: { text: filled(context, itemIndex, field, body, LIMITS.body) },
		...footer(context, itemIndex, options),
	};
}

export const footer = (context: IExecuteFunctions, itemIndex: number, options: SendOptions): IDataObject =>
	options.footer === ''
		? {}
		: { footer: { text: within(context, itemIndex, 'Footer', options.footer, LIMITS.footer) } };

function header(
	context: IExecuteFunctions,
	itemIndex: number,
	{ header: text, headerDocument, headerImage, headerVideo }: SendOptions,
): IDataObject | undefined {
	const files = Object.entries({ document: headerDocument, image: headerImage, video: headerVideo }).filter(
		([, file]) => file !== '',
	);
	if (files.length + (text === '' ? 0 : 1) > 1) {
		refuse(
			context,
			itemIndex,
			'There are several headers',
			'Keep one of the Header options, and remove the others.',
		);
	}
	if (text !== '')
		return { type: 'text', text: within(context, itemIndex, 'Header Text', text, LIMITS.header) };
	const [named] = files;
	if (!named) return undefined;
	const [type, file] = named;
	return { type, [type]: /^https?:/i.test(file) ? { link: file } : { id: file } };
}

/** What an answer is recognised by: the id that was entered, or else the title. */
export const idOrTitle = (id: unknown, title: string): string => textOf(id).trim() || title;
