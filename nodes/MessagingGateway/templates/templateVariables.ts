import type { Template, TemplatePart } from './templates';

/** One variable of a template: its purpose and the place of its value. */
export interface TemplateVariable {
	/** Key of the value in the form, and column name for automatic mapping. See `variablesOf`. */
	id: string;
	/** The label in the form: the variable's place and the surrounding text. */
	label: string;
	required: boolean;
	/** Whether the platform requires the component even without a value. */
	isSentEmpty?: true;
}

/** The parts that a message and each card of a carousel share. */
type Frame = Pick<Template, 'header' | 'body' | 'buttons'>;

/**
 * Returns one entry per value of the template, in reading order.
 * IDs: `first_name` or `body-1` (body), `header-1` or `header-order_number` (text header),
 * `header-image-link`, `button-0-url`, `button-0-code`, `button-0-payload` and the like, `offer-expiration`;
 * with the prefix `card-0-` for the first card of a carousel. Buttons and cards count from 0, as in the
 * platform's format. A template's own variables contain only a-z, 0-9 and _, so IDs never clash.
 */
export function variablesOf(template: Template): TemplateVariable[] {
	return [
		...headerVariables(template),
		...bodyVariables(template),
		...offerVariables(template),
		...buttonVariables(template),
		...cardVariables(template),
	];
}

function cardVariables({ components }: Template): TemplateVariable[] {
	const cards = components?.find(({ type }) => type.toUpperCase() === 'CAROUSEL')?.cards ?? [];
	return cards.flatMap((card, index) => {
		const frame = frameOf(card.components ?? []);
		return [...headerVariables(frame), ...bodyVariables(frame), ...buttonVariables(frame)].map(
			({ id, label, ...rest }) => ({
				id: `card-${index}-${id}`,
				label: `Card ${index + 1}: ${label}`,
				...rest,
			}),
		);
	});
}

function frameOf(parts: TemplatePart[]): Frame {
	const part = (type: string) => parts.find((one) => one.type.toUpperCase() === type);
	const header = part('HEADER');
	return {
		header: header ? { type: header.format ?? 'TEXT', text: header.text ?? null } : null,
		body: part('BODY')?.text ?? '',
		buttons: part('BUTTONS')?.buttons ?? null,
	};
}

function offerVariables({ components }: Template): TemplateVariable[] {
	const offer = components?.find(({ type }) => type.toUpperCase() === 'LIMITED_TIME_OFFER');
	return offer?.limited_time_offer?.has_expiration
		? [{ id: 'offer-expiration', label: 'Offer: when it ends', required: true }]
		: [];
}

/**
 * Values of a header without text, by type. `field` is the property in the platform's object of that type.
 * Labels are short, because n8n shows about 24 characters.
 */
const HEADER_PARTS: Record<string, Array<{ field: string; label: string; required: boolean }>> = {
	image: [{ field: 'link', label: 'Image: link, ID or field', required: true }],
	video: [{ field: 'link', label: 'Video: link, ID or field', required: true }],
	document: [
		{ field: 'link', label: 'File: link, ID or field', required: true },
		{ field: 'filename', label: 'Header: file name', required: false },
	],
	location: [
		{ field: 'latitude', label: 'Header: latitude', required: true },
		{ field: 'longitude', label: 'Header: longitude', required: true },
		{ field: 'name', label: 'Header: name of the place', required: false },
		{ field: 'address', label: 'Header: address', required: false },
	],
	product: [
		{ field: 'product_retailer_id', label: 'Header: product ID', required: true },
		{ field: 'catalog_id', label: 'Header: catalogue ID', required: true },
	],
};

/** Whether the variable's label is ours, not from the template. */
export const isPartOfHeader = (id: string): boolean =>
	/^(?:card-\d+-)?header-(?:image|video|document|location|product)-/.test(id);

function headerVariables({ header }: Frame): TemplateVariable[] {
	if (!header) return [];
	const type = header.type.toLowerCase();
	const parts = HEADER_PARTS[type];
	if (parts) return parts.map(({ field, ...shown }) => ({ id: `header-${type}-${field}`, ...shown }));
	return placeholders(header.text ?? '').map(({ variable, around }) => ({
		id: `header-${variable}`,
		label: `Header: ${around}`,
		required: true,
	}));
}

function bodyVariables({ body }: Frame): TemplateVariable[] {
	return placeholders(body ?? '').map(({ variable, around }) => ({
		id: /^\d+$/.test(variable) ? `body-${variable}` : variable,
		label: around,
		required: true,
	}));
}

function buttonVariables({ buttons }: Frame): TemplateVariable[] {
	return (buttons ?? []).flatMap((button, index): TemplateVariable[] => {
		const variable = (kind: string, words: string, required = true): TemplateVariable => ({
			id: `button-${index}-${kind}`,
			label: `Button "${button.text}": ${words}`,
			required,
		});
		switch (button.type.toUpperCase()) {
			case 'URL':
				return placeholders(lastPart(button.url ?? '')).map(({ around }) => variable('url', around));
			case 'COPY_CODE':
				return [variable('code', 'the code')];
			case 'QUICK_REPLY':
				return [variable('payload', 'your own ID, returned as replyId', false)];
			case 'OTP':
				return [variable('url', 'the code')];
			case 'FLOW':
				return [
					{ ...variable('token', 'your own word, returned with the answers', false), isSentEmpty: true },
					variable('data', 'data of the first screen (JSON)', false),
				];
			case 'CATALOG':
				return [variable('thumbnail', 'ID of the product in its picture', false)];
			case 'MPM':
				return [variable('products', 'product IDs, with commas between'), variable('heading', 'heading')];
			default:
				return [];
		}
	});
}

/** Returns only the part of a link that contains the variable. */
const lastPart = (url: string): string => url.replace(/^[^{]*\//, '…/');

/**
 * Characters before and after a variable in a label. n8n shows about 24 characters, which must include the
 * variable.
 */
const BEFORE = 14;
const AFTER = 20;

/**
 * Returns the distinct placeholders of a text, each with the text around its first occurrence: "Hello {{1}},
 * your order {{2}} is ready" → "Hello [1], your order …" and "… your order [2] is ready".
 */
function placeholders(text: string): Array<{ variable: string; around: string }> {
	const found = [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)];
	const first = found.filter((match, i) => found.findIndex((other) => other[1] === match[1]) === i);
	return first.map(({ 0: placeholder, 1: variable = '', index }) => {
		const before = plain(text.slice(0, index));
		const after = plain(text.slice(index + placeholder.length));
		return { variable, around: `${tail(before)}[${variable}]${head(after)}`.trim() };
	});
}

/** Returns the text in one line, with other placeholders as an ellipsis. */
const plain = (text: string): string => text.replace(/\{\{.*?\}\}/g, '…').replace(/\s+/g, ' ');

/** Returns the words before a placeholder, back to the previous placeholder. */
function tail(text: string): string {
	const sinceGap = text.slice(text.lastIndexOf('…') + 1);
	const near = Array.from(sinceGap);
	const isCut = near.length > BEFORE;
	if (!isCut && sinceGap === text) return text;
	const words = isCut
		? near
				.slice(-BEFORE)
				.join('')
				.replace(/^\S*\s(?=\S)/, ' ')
		: sinceGap;
	return `…${words.replace(/^[,.;:!?]+/, '')}`;
}

/** Returns the words after a placeholder, up to the next placeholder. */
function head(text: string): string {
	const next = text.indexOf('…');
	const near = next < 0 ? text : text.slice(0, next + 1);
	const characters = Array.from(near);
	return characters.length > AFTER
		? `${characters
				.slice(0, AFTER)
				.join('')
				.replace(/\s\S*$/, '')}…`
		: near;
}

/**
 * Whether a column can only belong to a template. Named variables look like any other column, so they return
 * false.
 */
export const isVariableId = (column: string): boolean =>
	/^(card-\d+-.+|body-\d+|header-\w+(-\w+)?|offer-expiration|button-\d+-(url|code|payload|token|data|thumbnail|products|heading))$/.test(
		column,
	);
