import type { IDataObject } from 'n8n-workflow';

import type { Template } from './templates';

/** What one variable of a template is for, and where its value goes. */
export interface TemplateVariable {
	/** The key of its value in the form, and the column that "map automatically" looks for. See `variablesOf`. */
	id: string;
	/** What the form shows: where it is, with the text around it. */
	label: string;
	required: boolean;
}

/**
 * One entry per value that the template needs, in the order in which a contact reads the message.
 * Ids (a template's own variables consist of a-z, 0-9 and _, so that nothing can be mistaken):
 * `first_name` or `body-1` (body), `header-1` or `header-order_number` (a text header), `header-image-link`,
 * `button-0-url`, `button-0-code`, `button-0-payload`; buttons count from 0, as on the wire.
 */
export function variablesOf(template: Template): TemplateVariable[] {
	return [...headerVariables(template), ...bodyVariables(template), ...buttonVariables(template)];
}

/** What a header that is no text consists of, by its type. `field` as in upstream's object of that name. */
const HEADER_PARTS: Record<string, Array<{ field: string; label: string; required: boolean }>> = {
	image: [{ field: 'link', label: 'Header: link of the image', required: true }],
	video: [{ field: 'link', label: 'Header: link of the video', required: true }],
	document: [
		{ field: 'link', label: 'Header: link of the document', required: true },
		{ field: 'filename', label: 'Header: file name', required: false },
	],
	location: [
		{ field: 'latitude', label: 'Header: latitude', required: true },
		{ field: 'longitude', label: 'Header: longitude', required: true },
		{ field: 'name', label: 'Header: name of the place', required: false },
		{ field: 'address', label: 'Header: address', required: false },
	],
};

function headerVariables({ header }: Template): TemplateVariable[] {
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

function bodyVariables({ body }: Template): TemplateVariable[] {
	return placeholders(body ?? '').map(({ variable, around }) => ({
		id: /^\d+$/.test(variable) ? `body-${variable}` : variable,
		label: around,
		required: true,
	}));
}

function buttonVariables({ buttons }: Template): TemplateVariable[] {
	return (buttons ?? []).flatMap((button, index): TemplateVariable[] => {
		switch (button.type.toUpperCase()) {
			case 'URL':
				return placeholders(lastPart(button.url ?? '')).map(({ around }) => ({
					id: `button-${index}-url`,
					label: `Button "${button.text}": ${around}`,
					required: true,
				}));
			case 'COPY_CODE':
				return [{ id: `button-${index}-code`, label: `Button "${button.text}": the code`, required: true }];
			case 'QUICK_REPLY':
				return [
					{
						id: `button-${index}-payload`,
						label: `Button "${button.text}": your own ID, returned as replyId`,
						required: false,
					},
				];
			default:
				return [];
		}
	});
}

/** Of a link only the part that is filled in. */
const lastPart = (url: string): string => url.replace(/^[^{]*\//, '…/');

/** Characters around a gap: a field's label shows some 24, and the gap must be among them. */
const BEFORE = 14;
const AFTER = 20;

/**
 * The distinct placeholders of a text, each with the text around its first occurrence:
 * "Hello {{1}}, your order {{2}} is ready" → "Hello [1], your order …" and "… your order [2] is ready".
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

/** One line, with other placeholders as an ellipsis. */
const plain = (text: string): string => text.replace(/\{\{.*?\}\}/g, '…').replace(/\s+/g, ' ');

/** The words before a gap, back to the one before it. */
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

/** The words after a gap, up to the next one. */
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
 * The `components` of a template message (upstream's form) from the values of the form.
 * Parameters stand in the order of their numbers; named ones carry their name.
 */
export function componentsOf(values: Record<string, string>): IDataObject[] {
	const header: IDataObject[] = [];
	const headerParts: Record<string, IDataObject> = {};
	const body: Array<{ order: number; parameter: IDataObject }> = [];
	const buttons: IDataObject[] = [];

	for (const [id, value] of Object.entries(values)) {
		const [part, ...rest] = id.split('-');
		const [one = '', two = ''] = rest;
		if (part === 'header' && rest.length === 1) header.push(headerText(one, value));
		else if (part === 'header' && rest.length === 2) headerParts[one] = { ...headerParts[one], [two]: value };
		else if (part === 'button' && rest.length === 2) buttons.push(buttonComponent(one, two, value));
		else if (part === 'body' && rest.length === 1) {
			body.push({ order: Number(one), parameter: { type: 'text', text: value } });
		} else body.push({ order: 0, parameter: { type: 'text', parameter_name: id, text: value } });
	}

	header.push(...Object.entries(headerParts).map(([type, parts]) => ({ type, [type]: parts })));
	return [
		...(header.length > 0 ? [{ type: 'header', parameters: header }] : []),
		...(body.length > 0
			? [
					{
						type: 'body',
						parameters: body.sort((a, b) => a.order - b.order).map(({ parameter }) => parameter),
					},
				]
			: []),
		...buttons.sort((a, b) => Number(a.index) - Number(b.index)),
	];
}

function headerText(variable: string, value: string): IDataObject {
	if (/^\d+$/.test(variable)) return { type: 'text', text: value };
	return { type: 'text', parameter_name: variable, text: value };
}

function buttonComponent(index: string, kind: string, value: string): IDataObject {
	const component = (subType: string, parameter: IDataObject) => ({
		type: 'button',
		sub_type: subType,
		index,
		parameters: [parameter],
	});
	switch (kind) {
		case 'code':
			return component('copy_code', { type: 'coupon_code', coupon_code: value });
		case 'payload':
			return component('quick_reply', { type: 'payload', payload: value });
		default:
			return component('url', { type: 'text', text: value });
	}
}

/** Whether a column of an item can only be meant for a template: named variables look like any other column. */
export const isVariableId = (column: string): boolean =>
	/^(body-\d+|header-\w+(-\w+)?|button-\d+-(url|code|payload))$/.test(column);
