import type { IDataObject } from 'n8n-workflow';

import { textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { LIMITS } from '../../../limits';
import type { SendOptions } from '../options';

/** The text above the buttons or the list. */
export const bodyField = textField('Text', 'body', {
	typeOptions: { rows: 3 },
	required: true,
	placeholder: 'e.g. When shall we deliver?',
	description: 'The text of the message, up to 1024 characters',
});

/**
 * Wraps an interactive message.
 * @param around texts and header
 */
export const interactive = (type: string, around: IDataObject, action: IDataObject): IDataObject => ({
	type: 'interactive',
	interactive: { type, ...around, action },
});

/** Returns header, body and footer, checked by the same rules for every kind of interactive message. */
export function frame(item: Item, options: SendOptions): IDataObject {
	return frameAround(item, ['Text', item.text('body')], options);
}

/**
 * Like `frame`, for a body from another field.
 * @param body label of the body field, and its text
 */
export function frameAround(item: Item, [field, body]: [string, string], options: SendOptions): IDataObject {
	const above = header(item, options);
	return { ...(above && { header: above }), ...textAndFooter(item, [field, body], options) };
}

/** Like `frameAround`, for a message that allows no header. */
export const textAndFooter = (
	item: Item,
	[field, body]: [string, string],
	options: SendOptions,
): IDataObject => ({ body: { text: item.filled(field, body, LIMITS.body) }, ...footer(item, options) });

export const footer = (item: Item, options: SendOptions): IDataObject =>
	options.footer === '' ? {} : { footer: { text: item.within('Footer', options.footer, LIMITS.footer) } };

function header(
	item: Item,
	{ header: text, headerDocument, headerImage, headerVideo }: SendOptions,
): IDataObject | undefined {
	const files = Object.entries({ document: headerDocument, image: headerImage, video: headerVideo }).filter(
		([, file]) => file !== '',
	);
	if (files.length + (text === '' ? 0 : 1) > 1) {
		item.refuse('There are several headers', 'Keep one of the Header options, and remove the others.');
	}
	if (text !== '') return { type: 'text', text: item.within('Header Text', text, LIMITS.header) };
	const [named] = files;
	if (!named) return undefined;
	const [type, file] = named;
	return { type, [type]: /^https?:/i.test(file) ? { link: file } : { id: file } };
}

/** Returns the id for an answer: the entered id, or the title if no id was entered. */
export const idOrTitle = (id: unknown, title: string): string => textOf(id).trim() || title;
