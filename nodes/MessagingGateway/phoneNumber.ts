/** Invisible characters that are copied with a number, such as direction marks from WhatsApp Web. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
const HYPHENS = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;

/** Formats of other programs; the captured group is the number. */
const WRAPPED = [
	/^(?:whatsapp|tel|sms):(?!\/\/)(.+)$/is,
	/^([\d+]+)(?::\d+)?@(?:s\.whatsapp\.net|c\.us)$/i,
	/^(?:https?:\/\/)?(?:www\.)?wa\.me\/(?:\+|%2B)?(\d+)\/?(?:\?\S*)?$/i,
	/^(?:(?:https?:\/\/)?(?:api|web|www)\.whatsapp\.com|whatsapp:\/)\/send\/?\?(?:\S*&)?phone=(?:\+|%2B|%20)*(\d+)(?:&\S*)?$/i,
	// A number that a spreadsheet saved as a decimal.
	/^(\+?\d{7,15})\.0+$/,
];

/**
 * The national zero in brackets after a country code, alone or before the area code: `+44 (0)20`, `+55
 * (011)`.
 */
const INLAND_ZERO = /^(\D*(?:0\D*0\D*)?(\d[\d\s-]*)\(\s*)0(?=[\s\d]*\))/;

/** Calling codes as assigned by the ITU: one to three digits. */
const CALLING_CODE = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)$/;

/** Countries that keep the first zero of a number in international calls. */
const ZERO_IS_DIALLED = ['39', '225', '241', '242', '378', '379'];

function withoutInlandZero(number: string): string {
	const [, before = '', digits = ''] = INLAND_ZERO.exec(number) ?? [];
	const code = digits.replace(/\D/g, '');
	if (!CALLING_CODE.test(code)) return number;
	const behind = number.slice(before.length + 1);
	const [, alone] = /^\s*\)\s*(.*)$/s.exec(behind) ?? [];
	if (alone !== undefined) return before.replace(/\(\s*$/, '') + alone;
	return ZERO_IS_DIALLED.includes(code) ? number : before + behind;
}

/** Normalizes a contact: removes formatting and the formats of other programs and spreadsheets. */
export function dialled(entered: string): string {
	const typed = entered.replace(INVISIBLE, '').replace(HYPHENS, '-').trim();
	const number = WRAPPED.map((wrapped) => wrapped.exec(typed)?.[1]).find(Boolean) ?? typed;
	return withoutPrefix(withoutInlandZero(number.trim()));
}

/**
 * Removes the international prefix 00, as the gateway does. No country code begins with 0. Other text that
 * starts with 00 stays unchanged.
 */
export function withoutPrefix(contact: string): string {
	if (!/^[\d\s()+-]+$/.test(contact)) return contact;
	const [, number] = /^00([1-9]\d{6,14})$/.exec(contact.replace(/\D/g, '')) ?? [];
	return number ?? contact;
}

/** A long number shortened by a spreadsheet, such as 5,51E+12 or 5.51E+12. The last digits are lost. */
const SPREADSHEET_FORMAT = /^\s*\+?\d+(?:[.,]\d+)?\s?E\+?\d+\s*$/i;

/** Returns the problem of a number shortened by a spreadsheet, and the fix; undefined for any other text. */
export const shortened = (field: string, text: string): { problem: string; next: string } | undefined =>
	SPREADSHEET_FORMAT.test(text)
		? {
				problem: `${field} is "${text.trim()}", a spreadsheet's number format`,
				next: 'The spreadsheet has shortened the number, and its last digits are lost. Format the column as text, then enter the whole numbers again.',
			}
		: undefined;

/** Separates contacts in a list, except at the comma of a number shortened by a spreadsheet. */
export const BETWEEN_CONTACTS = /[;\n]|,(?!(?<=(?<!\d)\d,)\d+\s?E\+?\d)/i;
