import type { INodeProperties } from 'n8n-workflow';

import { textField } from '../fields';
import { textOf } from '../item';
import { listed } from '../texts';

export interface Keywords {
	keyword?: { words?: string; match?: 'contains' | 'word' | 'exact' };
}

export const keywordsField: INodeProperties = {
	displayName: 'Keywords',
	name: 'keywords',
	type: 'fixedCollection',
	default: { keyword: { words: '', match: 'word' } },
	description:
		'Only messages with one of these words in their text or caption. Capitals and accents make no difference.',
	options: [
		{
			displayName: 'Keyword',
			name: 'keyword',
			values: [
				textField('Words', 'words', {
					placeholder: 'price, opening hours, preço',
					description: 'Words or phrases, with commas between',
				}),
				{
					displayName: 'Match',
					name: 'match',
					type: 'options',
					default: 'word',
					options: [
						{
							name: 'Contains Any',
							value: 'contains',
							description: 'The text contains one of them, also inside a longer word',
						},
						{
							name: 'Exactly',
							value: 'exact',
							description: 'The text is one of them and nothing else, apart from punctuation around it',
						},
						{
							name: 'Whole Word',
							value: 'word',
							description: 'The text contains one of them as a word of its own',
						},
					],
				},
			],
		},
	],
};

export function hasKeyword(text: string, { keyword }: Keywords): boolean {
	const words = listed(textOf(keyword?.words)).map(plain);
	if (words.length === 0) return true;
	const said = plain(text);
	switch (keyword?.match) {
		case 'contains':
			return words.some((word) => said.includes(word));
		case 'exact':
			return words.some((word) => withoutEnds(word) === withoutEnds(said));
		default:
			return words.some((word) => asWord(word).test(said));
	}
}

/** Removes capitals, accents and repeated spaces. Keeps the marks of other scripts, which change a word. */
const plain = (text: string): string =>
	text
		.normalize('NFKD')
		.replace(/[\u0300-\u036f]/g, '')
		.replace(/\s+/g, ' ')
		.trim()
		.toLowerCase();

/** Removes punctuation at both ends: "¡Hola!" → "hola". Keeps a text of punctuation only, such as "?!". */
const withoutEnds = (text: string): string => text.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '') || text;

const asWord = (word: string): RegExp =>
	new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'u');
