/**
 * Calling codes of countries with a decimal point; all others use a comma. Decides only cases such as
 * "1.234", which is above a thousand in some countries and about one in others.
 */
const POINT =
	/^(?:1|20|27|4[14]|5[12]|6[013-6]|8[126]|9[1245]|2(?:20|3[1-4]|5[0-146]|6[0357])|35[36]|423|50[2-57]|85[23]|88[06]|96[24-68]|97[1-46-7])/;

const marksOf = (sender: string): { decimal: string; thousands: string } =>
	hasDecimalPoint(sender) ? { decimal: '.', thousands: ',' } : { decimal: ',', thousands: '.' };

/** @param sender phone number, or user ID that starts with a country code: `BR.…` */
function hasDecimalPoint(sender: string): boolean {
	const [, country] = /^([A-Z]{2})\./.exec(sender) ?? [];
	if (!country) return POINT.test(sender);
	const { language } = new Intl.Locale(`und-${country}`).maximize();
	const parts = new Intl.NumberFormat(`${language}-${country}`, { numberingSystem: 'latn' }).formatToParts(
		1.5,
	);
	return parts.some(({ type, value }) => type === 'decimal' && value === '.');
}

/** A number with at most a few words around it, such as "R$ 1.234,50", "35 years" or "I'm 35". */
const NUMBER = /^[^\d.,+−-]{0,4}([+−-]?)\s?[^\d.,+−\s-]{0,3}\s?(\d[\d.,'’\s]*?)[^\d.,]{0,15}[.!]?$/u;

/** `1 234 567` or `1'234`: thousands in every country. */
const GROUPED = /^\d{1,3}(?:[\s'’]\d{3})+(?=[.,]\d+$|$)/;

/** `1.234.567`, or `12,34,567` as in India. */
const inThousands = (mark: string): RegExp => new RegExp(`^\\d{1,3}(?:\\${mark}\\d{2,3})*\\${mark}\\d{3}$`);

/**
 * Returns the number in a text, in the format of the sender's country; undefined if there is none or several.
 */
export function numberIn(text: string, sender: string): number | undefined {
	const [, sign, written] = NUMBER.exec(inLatinDigits(text).trim()) ?? [];
	if (written === undefined) return undefined;
	const number = GROUPED.test(written) ? written.replace(/[\s'’]/g, '') : written;
	if (/[\s'’]/.test(number)) return undefined;
	const marks = number.replace(/\d/g, '');
	const value = Number(withPoint(number, marks, marksOf(sender)));
	if (!Number.isFinite(value)) return undefined;
	return sign === '-' || sign === '−' ? -value : value;
}

/** Converts to JavaScript's format; the result is NaN if the marks make no sense. */
function withPoint(number: string, marks: string, own: { decimal: string; thousands: string }): string {
	if (marks === '') return number;
	const last = marks.at(-1) as string;
	const isMixed = marks !== last.repeat(marks.length);
	const isDecimal = isMixed ? marks.indexOf(last) === marks.length - 1 : marks.length === 1;
	if (!isDecimal) return inThousands(last).test(number) ? number.replaceAll(last, '') : 'none';
	const [whole = '', fraction = ''] = [
		number.slice(0, number.lastIndexOf(last)),
		number.slice(number.lastIndexOf(last) + 1),
	];
	if (isMixed) {
		const other = marks[0] as string;
		return inThousands(other).test(whole) ? `${whole.replaceAll(other, '')}.${fraction}` : 'none';
	}
	const mayBeThousands = /^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3;
	return mayBeThousands && last === own.thousands ? whole + fraction : `${whole}.${fraction}`;
}

/** Replaces Arabic, Persian and Devanagari digits with 0 to 9. */
const inLatinDigits = (text: string): string =>
	text.replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g, (digit) => {
		const code = digit.charCodeAt(0);
		return String((code & 15) - (code < 0x966 ? 0 : 6));
	});

/** Languages for names of months and for words such as "tomorrow". */
const LANGUAGES = ['en', 'pt', 'es', 'fr', 'de', 'it'];

/** Settings for reading a date. */
export interface DateReading {
	/** Whether 05/04 is May 4. */
	monthFirst: boolean;
	/** The workflow's time zone, which decides what "today" is. */
	timeZone: string;
}

/**
 * Returns the date in a text as 2027-03-31; undefined if there is none or the year is ambiguous.
 * @param now the time when the text was written
 */
export function dateIn(
	text: string,
	{ monthFirst, timeZone }: DateReading,
	now = new Date(),
): string | undefined {
	const said = plain(inLatinDigits(text));
	const inDays = RELATIVE_DAYS.get(said);
	if (inDays !== undefined) return daysAfter(isoDate(now, timeZone), inDays);
	const yearFirst = /^(\d{4}) (\d{1,2}) (\d{1,2})$/.exec(said);
	if (yearFirst) return date(Number(yearFirst[1]), Number(yearFirst[2]), Number(yearFirst[3]));
	const yearLast = /^(\d{1,2}) (\d{1,2}) (\d{2}|\d{4})$/.exec(said);
	if (yearLast) {
		const [first = 0, second = 0, third = 0] = yearLast.slice(1).map(Number);
		const isMonthFirst = second > 12 || (monthFirst && first <= 12);
		return isMonthFirst ? date(year(third, now), first, second) : date(year(third, now), second, first);
	}
	const [, day, month, ofYear] =
		/^(\d{1,2})(?:st|nd|rd|th|er|ro|o)?(?: (?:de|of))? (\p{L}+)(?: (?:de|del|of))? (\d{4})$/u.exec(said) ??
		[];
	if (month) return date(Number(ofYear), MONTHS.get(month) ?? 0, Number(day));
	const [, named = '', itsDay, itsYear] = /^(\p{L}+) (\d{1,2})(?:st|nd|rd|th)? (\d{4})$/u.exec(said) ?? [];
	return date(Number(itsYear), MONTHS.get(named) ?? 0, Number(itsDay));
}

/** Completes a two-digit year, at most ten years ahead: 85 → 1985, 27 → 2027. */
function year(written: number, now: Date): number {
	if (written > 99) return written;
	const century = written + 2000 > now.getFullYear() + 10 ? 1900 : 2000;
	return century + written;
}

function date(ofYear: number, month: number, day: number): string | undefined {
	const at = new Date(Date.UTC(ofYear, month - 1, day));
	const isThere = ofYear > 999 && at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
	return isThere ? at.toISOString().slice(0, 10) : undefined;
}

const isoDate = (at: Date, timeZone: string): string =>
	new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
		at,
	);

/** Counts in UTC, because a day on which clocks change has 23 or 25 hours. */
const daysAfter = (day: string, days: number): string =>
	new Date(Date.parse(day) + days * 24 * 3600_000).toISOString().slice(0, 10);

/** Removes accents, capitals and punctuation. */
const plain = (text: string): string =>
	text
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();

const MONTHS = new Map(
	LANGUAGES.flatMap((language) =>
		(['long', 'short'] as const).flatMap((month) =>
			Array.from({ length: 12 }, (_, index): [string, number] => [
				plain(
					new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' }).format(Date.UTC(2027, index, 15)),
				),
				index + 1,
			]),
		),
	),
);

const RELATIVE_DAYS = new Map(
	LANGUAGES.flatMap((language) =>
		[-2, -1, 0, 1, 2].map((days): [string, number] => [
			plain(new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(days, 'day')),
			days,
		]),
	),
);

const ADDRESS = /[^\s<>()[\],;:"@]+@[^\s<>()[\],;:"@]+\.[a-z]{2,}/gi;

/** Returns the email address in a text; undefined if there is none or several. */
export function emailIn(text: string): string | undefined {
	const [address, ...others] = text.match(ADDRESS) ?? [];
	return others.length === 0 ? address : undefined;
}

/** Returns the choice that a text names: by its words, or by its number if `numbered`. */
export function choiceIn(text: string, choices: string[], numbered: boolean): string | undefined {
	const same =
		choices.find((choice) => choice === text.trim()) ?? choices.find((choice) => isSame(choice, text));
	const [, number] = (numbered && /^\D{0,3}(\d{1,2})\D{0,3}$/.exec(text.trim())) || [];
	return same ?? choices[Number(number) - 1];
}

const isSame = (some: string, other: string): boolean => plain(some) !== '' && plain(some) === plain(other);
