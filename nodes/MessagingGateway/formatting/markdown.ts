/**
 * Placeholders for formatting characters and for kept text, which is referenced by number. These code points
 * never occur in text.
 */
const KEPT = '\ufdd0';
const BOLD = '\ufdd1';
const ITALIC = '\ufdd2';
const STRUCK = '\ufdd3';
const RESERVED = /[\ufdd0-\ufdd3]/g;
const MARKS: Record<string, string> = { [BOLD]: '*', [ITALIC]: '_', [STRUCK]: '~' };

const CODE_BLOCK =
	/^([ \t]*)(`{3,}|~{3,})[ \t]*([\w#+.-]*)[ \t]*\n([\s\S]*?)(?:^[ \t]*\2[`~]*[ \t]*$|(?![\s\S]))/gm;
const CODE = /```[\s\S]+?```|(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g;
const ESCAPE = /\\([*_~`#+\-.!()[\]{}>|\\])/g;
/** Supports one level of brackets in the label and of parentheses in the address. */
const LINK =
	/!?\[((?:[^\][\n]|\[[^\][\n]*\])*)\]\([ \t]*<?((?:[^\s()<>]|\([^\s()]*\))+)>?(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)/g;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/gi;
const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s<>]+/gi;
const BEHIND_ADDRESS = /(?:[*.,;:!?'"]|_{2,}|~{2,})+$/;
const TABLE = /^(?=[^\n]*\|)[^\n]+\n(?=[^\n]*\|)(?=[^\n]*-)[|:\- \t]+$(?:\n(?=[^\n]*\|)[^\n]+$)*/gm;
const HEADING = /^ {0,3}#{1,6}[ \t]+(\S[^\n]*)$/gm;
const BREAK = /<br[ \t]*\/?>(?:[ \t]*\n)?/gi;
const STRONG_ITALIC = /\*\*\*(?=[^\s*])([^*\n]*[^\s*])\*\*\*/g;
const STRONG = /\*\*(?=[^\s*])((?:(?!\*\*)[^\n])*[^\s*])\*\*/g;
const STRONG_UNDERLINED = /(?<!\w)__(?=[^\s_])((?:(?!__)[^\n])*[^\s_])__(?!\w)/g;
const DELETED = /~~(?=[^\s~])((?:(?!~~)[^\n])*[^\s~])~~/g;
const EMPHASIS = /(?<![*\w])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![*\w])/g;
const BULLET = /^([ \t]*)[*+](?=[ \t]+\S)/gm;
const RULE = /^[ \t]*(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/gm;

/**
 * Converts Markdown, as AI models write it, to the chat's formatting: *bold*, _italic_, ~struck through~,
 * ```monospace```. Code and web addresses stay unchanged.
 * `*word*` is italic in Markdown and bold in the chat. So `*word*` is converted only if the text has other
 * Markdown that the chat lacks, such as `**bold**` or a heading. Any other text is returned unchanged, which
 * also makes a second conversion harmless.
 */
export function toChatFormatting(markdown: string): string {
	const kept: string[] = [];
	const keep = (text: string): string => `${KEPT}${kept.push(text) - 1}${KEPT}`;
	let isMarkdown = false;
	/** Wraps a conversion of Markdown that the chat lacks. */
	const foreign =
		(convert: (whole: string, ...groups: string[]) => string) =>
		(whole: string, ...groups: string[]): string => {
			isMarkdown = true;
			return convert(whole, ...groups);
		};
	const inMarks = (mark: string) => foreign((_, words: string) => marked(mark, words));

	const protectedText = markdown
		.replace(RESERVED, '')
		.replace(CODE_BLOCK, (_, indent: string, fence: string, language: string, code: string) => {
			isMarkdown ||= language !== '' || fence !== '```';
			return keep(`${indent}\`\`\`\n${code.replace(/\n?$/, '\n')}${indent}\`\`\``);
		})
		.replace(CODE, (code) => keep(code))
		.replace(ESCAPE, (_, character: string) => keep(character));
	const linked = protectedText
		.replace(
			LINK,
			foreign((_, label: string, address: string) => link(label.trim(), withoutScheme(address), keep)),
		)
		.replace(
			AUTOLINK,
			foreign((_, address: string) => keep(withoutScheme(address))),
		)
		.replace(ADDRESS, (address) => {
			const [behind = ''] = BEHIND_ADDRESS.exec(address) ?? [];
			return keep(address.slice(0, address.length - behind.length)) + behind;
		});
	const inChat = linked
		.replace(TABLE, foreign(rows))
		.replace(
			HEADING,
			foreign((_, title: string) => marked(BOLD, plain(title.trimEnd().replace(/[ \t]#+$/, '')))),
		)
		.replace(
			BREAK,
			foreign(() => '\n'),
		)
		.replace(
			STRONG_ITALIC,
			foreign((_, words: string) => marked(BOLD, marked(ITALIC, words))),
		)
		.replace(STRONG, inMarks(BOLD))
		.replace(STRONG_UNDERLINED, inMarks(BOLD))
		.replace(DELETED, inMarks(STRUCK))
		.replace(RULE, '---')
		.replace(BULLET, '$1-')
		.replace(EMPHASIS, (_, words: string) => marked(ITALIC, words));
	if (!isMarkdown) return markdown;

	const restored = (text: string): string =>
		text.replace(/\ufdd0(\d+)\ufdd0/g, (_, place: string) => restored(kept[Number(place)] ?? ''));
	return restored(inChat.replace(/[\ufdd1-\ufdd3]/g, (mark) => MARKS[mark] ?? ''));
}

/**
 * Adds no mark after an address, where the chat would read it as part of the address, or around code, where
 * it shows none.
 */
const marked = (mark: string, words: string): string =>
	words.endsWith(KEPT) ? words : `${mark}${words}${mark}`;

/** Removes formatting inside bold text. */
const plain = (words: string): string => words.replace(/\*\*|__/g, '').trim();

const withoutScheme = (address: string): string => address.replace(/^mailto:/i, '');

/** Shortens an address to what people type: https://shop.example/ → shop.example. */
const typed = (address: string): string =>
	address
		.replace(/^https?:\/\//i, '')
		.replace(/\/$/, '')
		.toLowerCase();

function link(label: string, address: string, keep: (text: string) => string): string {
	if (address.startsWith('#')) return label;
	return label === '' || typed(label) === typed(address) ? keep(address) : `${label} (${keep(address)})`;
}

/** Converts a table to lines with their column headings, because a chat is too narrow for tables. */
function rows(table: string): string {
	const [head = [], , ...body] = table.split('\n').map((line) =>
		line
			.trim()
			.replace(/^\||\|$/g, '')
			.split('|')
			.map((cell) => cell.trim()),
	);
	if (body.length === 0) return head.join(', ');
	const labels = head.map(plain);
	return body
		.map((cells) =>
			cells
				.map((cell, column) => [labels[column] ?? '', cell])
				.filter(([, cell]) => cell !== '')
				.map(([label, cell]) => (label ? `${marked(BOLD, `${label}:`)} ${cell}` : cell))
				.join('\n'),
		)
		.join('\n\n');
}
