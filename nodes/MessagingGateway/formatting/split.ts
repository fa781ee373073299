import { characters } from '../limits';

/** What opens and closes a code block. */
const FENCE = '```';
const CLOSING = `\n${FENCE}`;
const OPENING = `${FENCE}\n`;

/** Where a text may be cut, best first, and how much of the limit a piece must at least use for that. */
const SEAMS: Array<[seam: RegExp, share: number]> = [
	// Behind a paragraph, a line, a sentence, a word.
	[/\n[^\S\n]*\n/g, 1 / 2],
	[/\n/g, 1 / 2],
	[/[.!?…。！？]["'”’)\]*_~]*\s+/g, 1 / 2],
	[/\s+/g, 1 / 8],
];

/** These belong to the character before them, even if that is a space. */
const JOINS_BEFORE = /^[\p{M}\u200d]/u;

const BLANK_LINES = /^(?:[^\S\n]*\n)+/;
const SPACES = /^(?:\s(?![\p{M}\u200d]))+/u;

/** A cut inside of a longer match is fine. */
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
		// The indentation of a line is kept.
		const begun = /\n\s*$/.test(piece) ? next.replace(BLANK_LINES, '') : next.replace(SPACES, '');
		rest = isInCode ? OPENING + begun : begun;
	}
	return [...pieces, rest].filter((piece) => piece.trim() !== '');
}

/** Where to cut, in UTF-16 units. */
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

/** Where the last character ends, as a person sees characters, that ends by `end`. */
function lastWhole(text: string, end: number): number {
	let at = 0;
	for (const { index, segment } of new Intl.Segmenter().segment(text.slice(0, end + LONGEST_CHARACTER))) {
		if (index + segment.length > end) break;
		at = index + segment.length;
	}
	return at || end;
}
