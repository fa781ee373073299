import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../../item';
import { isObject, jsonIn } from '../../../json';
import { fileGiven, uploadOnce, type MediaKind } from '../../../files/media';
import { expirationIn } from '../../../templates/templateComponents';

/** Refuses a value that must be a time or an object but cannot be parsed. */
export function refuseUnreadable(item: Item, filledIn: Record<string, string>): void {
	for (const [id, text] of Object.entries(filledIn)) {
		if (id === 'offer-expiration' && Number.isNaN(expirationIn(text))) {
			item.refuse(
				`The end of the offer is "${text.slice(0, 40)}", which is no date`,
				'Enter a date with its time, such as 2026-12-24T18:00:00Z.',
			);
		}
		const isData = /(?:^|-)button-\d+-data$/.test(id);
		const data = isData ? jsonIn(text) : {};
		if (!isObject(data)) {
			item.refuse(
				'The data of the first screen is no JSON object',
				'Enter an object, such as { "name": "Ana" }.',
			);
		}
	}
}

const FILE_ABOVE = /^(card-\d+-)?header-(image|video|document)-link$/;

/** Whether a variable is the image, video or document in the header. */
export const isFileAbove = (id: string): boolean => FILE_ABOVE.test(id);

/**
 * Resolves files in the header: a URL stays as it is, a file of the item is uploaded, and digits are a media
 * ID.
 */
export async function withNamedFiles(
	item: Item,
	filledIn: Record<string, string>,
): Promise<Record<string, string>> {
	const files = item.files();
	const resolved: Record<string, string> = {};
	for (const [id, given] of Object.entries(filledIn)) {
		const [, before = '', kind] = FILE_ABOVE.exec(id) ?? [];
		const text = given.trim();
		if (kind === undefined || /^https?:/i.test(text)) resolved[id] = given;
		else if (files[text]) Object.assign(resolved, await uploaded(item, id, text, filledIn));
		else if (/^\d+$/.test(text)) resolved[`${before}header-${kind}-id`] = text;
		else {
			item.refuse(
				`The ${kind} above the text is "${text.slice(0, 60)}", which is no web address, no media ID and no file of the item`,
				'Enter an address that begins with https://, the ID of an upload, or the name of the input field that holds the file.',
			);
		}
	}
	return resolved;
}

/**
 * Uploads header files that come from an expression.
 * @param files by the id of their variable
 */
export async function withDraggedFiles(
	item: Item,
	files: Record<string, IDataObject>,
	filledIn: Record<string, string>,
): Promise<Record<string, string>> {
	const resolved: Record<string, string> = {};
	for (const [id, file] of Object.entries(files))
		Object.assign(resolved, await uploaded(item, id, file, filledIn));
	return resolved;
}

async function uploaded(
	item: Item,
	id: string,
	given: unknown,
	filledIn: Record<string, string>,
): Promise<Record<string, string>> {
	const [, before = '', kind = ''] = FILE_ABOVE.exec(id) ?? [];
	const { id: mediaId, fileName } = await uploadOnce(item, kind as MediaKind, fileGiven(item, given));
	const name = `${before}header-document-filename`;
	return {
		[`${before}header-${kind}-id`]: mediaId,
		...(kind === 'document' && fileName && !filledIn[name] && { [name]: fileName }),
	};
}
