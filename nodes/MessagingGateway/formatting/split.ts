import { characters } from '../limits';

/** Opens and closes a code block. */
const FENCE = '```';
const CLOSING = `\n${FENCE}`;
const OPENING = `${FENCE}\n`;

/** Places to cut a text, best first, each with the share of the limit that the piece must fill. */
const SEAMS: Array<[seam: RegExp, share: number]> = [
	// After a paragraph, a line, a sentence, a word.
	[/\n[^\S\n]*\n/g, 1 / 2],
	[/\n/g, 1 / 2],
	[/[.!?…。！？]["'”’)\]*_~]*\s+/g, 1 / 2],
	[/\s+/g, 1 / 8],
];

/** Characters that combine with the previous one, even if it is a space. */
const JOINS_BEFORE = /^[\p{M}\u200d]/u;

const BLANK_LINES = /^(?:[^\S\n]*\n)+/;
const SPACES = /^(?:\s(?![\p{M}\u200d]))+/u;

/** The longest character looked at, in UTF-16 units. Cutting a longer sequence is acceptable. */
const LONGEST_CHARACTER = 100;

/**
 * Cuts a text into pieces of at most `limit` characters. A code block that is cut is closed and opened again.
 * A text that fits is returned unchanged.
 */
export function splitText(text: string, limit: number): string[] {
	const pieces: string[] = [];
	let rest = text;
	while (rest.length > 2 * limit || characters(rest) > limit) {
		const at = cutIn(rest, limit - (rest.includes(FENCE) ? CLOSING.length : 0));
		const piece = rest.slice(0, at);
		const isInCode = piece.split(FENCE).length % 2 === 0;
		pieces.push(piece.trimEnd() + (isInCode ? CLOSING : ''));
		const next = rest.slice(at);
		// Keeps the indentation of the next line.
		const begun = /\n\s*$/.test(piece) ? next.replace(BLANK_LINES, '') : next.replace(SPACES, '');
		rest = isInCode ? OPENING + begun : begun;
	}
	return [...pieces, rest].filter((piece) => piece.trim() !== '');
}

/** Returns the position to cut at, in UTF-16 units. */
function cutIn(text: string, limit: number): number {
	const end = Array.from(text.slice(0, 2 * limit))
		.slice(0, limit)
		.join('').length;
	const within = text.slice(0, end);
	for (const [seam, share] of SEAMS) {
		const places = [...within.matchAll(seam)].map(({ index, 0: { length } }) => index + length);
		const last = places.findLast((at) => !JOINS_BEFORE.test(text.slice(at, at + 2)));
		if (last && last > end * share) return last;
	}
	return lastWhole(text, end);
}

/** Returns the end of the last whole grapheme that ends at or before `end`. */
function lastWhole(text: string, end: number): number {
	let at = 0;
	for (const { index, segment } of new Intl.Segmenter().segment(text.slice(0, end + LONGEST_CHARACTER))) {
		if (index + segment.length > end) break;
		at = index + segment.length;
	}
	return at || end;
}
