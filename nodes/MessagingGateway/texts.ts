export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** Splits a text at commas or another separator. */
export const listed = (text: string, divider = /[,;\n]/): string[] =>
	text
		.split(divider)
		.map((entry) => entry.trim())
		.filter((entry) => entry !== '');
