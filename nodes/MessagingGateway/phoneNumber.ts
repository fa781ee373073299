const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const HYPHENS = /[\u2010-\u2015\u2212]/g;
/** As in +44 (0)20: the 0 is dialled within the country alone. */
const INLAND_ZERO = /^(\s*(?:\+|00)\s*\d{1,3}[\s-]*)\(0\)/;

/** A contact as it was pasted from a page or a document, without what only its typesetting needs. */
export const withoutTypesetting = (contact: string): string =>
	contact.replace(INVISIBLE, '').replace(HYPHENS, '-').replace(INLAND_ZERO, '$1');

/**
 * A number without the 00 by which people dial abroad: no country code begins with 0. Whatever is no number with 00
 * before it stays as it is. The gateway does the same.
 */
export function withoutPrefix(contact: string): string {
	if (!/^[\d\s()+-]+$/.test(contact)) return contact;
	const [, number] = /^00([1-9]\d{6,14})$/.exec(contact.replace(/\D/g, '')) ?? [];
	return number ?? contact;
}

/** As a spreadsheet shortens a long number: 5,51E+12 or 5.51E+12. Its last digits are lost. */
const SPREADSHEET_FORMAT = /^\s*\+?\d+(?:[.,]\d+)?\s?E\+?\d+\s*$/i;

/** What is wrong with a number in a spreadsheet's format, and what to do; undefined for any other text. */
export const shortened = (field: string, text: string): { problem: string; next: string } | undefined =>
	SPREADSHEET_FORMAT.test(text)
		? {
				problem: `${field} is "${text.trim()}", a spreadsheet's number format`,
				next: 'The spreadsheet has shortened the number, and its last digits are lost. Format the column as text, then enter the whole numbers again.',
			}
		: undefined;

/** Divides a list of contacts, but not a number in a spreadsheet's format with its comma. */
export const BETWEEN_CONTACTS = /[;\n]|,(?!(?<=(?<!\d)\d,)\d+\s?E\+?\d)/i;
