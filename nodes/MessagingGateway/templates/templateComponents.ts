import type { IDataObject } from 'n8n-workflow';

import { listed } from '../texts';

/**
 * Builds the platform's `components` of a template message from the form's values, keyed by the IDs of
 * `variablesOf`. Numbered parameters are sorted by number; named ones carry their name.
 */
export function componentsOf(values: Record<string, string>): IDataObject[] {
	const cards = new Map<number, Record<string, string>>();
	const own: Record<string, string> = {};
	for (const [id, value] of Object.entries(values)) {
		const [, card, within] = /^card-(\d+)-(.+)$/.exec(id) ?? [];
		if (within === undefined) own[id] = value;
		else cards.set(Number(card), { ...cards.get(Number(card)), [within]: value });
	}
	if (cards.size === 0) return partsOf(own);
	const inOrder = [...cards].sort(([a], [b]) => a - b);
	const carousel = {
		type: 'carousel',
		cards: inOrder.map(([index, inside]) => ({ card_index: index, components: partsOf(inside) })),
	};
	return [...partsOf(own), carousel];
}

/** Returns the components of the message itself or of one card. */
function partsOf(values: Record<string, string>): IDataObject[] {
	const header: IDataObject[] = [];
	const headerParts: Record<string, IDataObject> = {};
	const body: Array<{ order: number; parameter: IDataObject }> = [];
	const offer: IDataObject[] = [];
	const buttons = new Map<string, Record<string, string>>();

	for (const [id, value] of Object.entries(values)) {
		const [part, ...rest] = id.split('-');
		const [one = '', two = ''] = rest;
		if (part === 'header' && rest.length === 1) header.push(headerText(one, value));
		else if (part === 'header' && rest.length === 2) headerParts[one] = { ...headerParts[one], [two]: value };
		else if (part === 'button' && rest.length === 2) buttons.set(one, { ...buttons.get(one), [two]: value });
		else if (part === 'offer' && rest.length === 1) {
			const ends = { expiration_time_ms: expirationIn(value) };
			offer.push({ type: 'limited_time_offer', limited_time_offer: ends });
		} else if (part === 'body' && rest.length === 1) {
			body.push({ order: Number(one), parameter: { type: 'text', text: value } });
		} else body.push({ order: 0, parameter: { type: 'text', parameter_name: id, text: value } });
	}

	header.push(...Object.entries(headerParts).map(([type, parts]) => ({ type, [type]: parts })));
	const inOrder = body.sort((a, b) => a.order - b.order).map(({ parameter }) => parameter);
	return [
		...(header.length > 0 ? [{ type: 'header', parameters: header }] : []),
		...(inOrder.length > 0 ? [{ type: 'body', parameters: inOrder }] : []),
		...(offer.length > 0 ? [{ type: 'limited_time_offer', parameters: offer }] : []),
		...[...buttons]
			.sort(([a], [b]) => Number(a) - Number(b))
			.map(([index, given]) => buttonComponent(index, given)),
	];
}

function headerText(variable: string, value: string): IDataObject {
	if (/^\d+$/.test(variable)) return { type: 'text', text: value };
	return { type: 'text', parameter_name: variable, text: value };
}

/** @param given values by kind; each button has values of one kind only */
function buttonComponent(index: string, given: Record<string, string>): IDataObject {
	const component = (subType: string, parameter: IDataObject) => ({
		type: 'button',
		sub_type: subType,
		index,
		parameters: [parameter],
	});
	const { code, payload, token, data, thumbnail, products, heading } = given;
	if (code !== undefined) return component('copy_code', { type: 'coupon_code', coupon_code: code });
	if (payload !== undefined) return component('quick_reply', { type: 'payload', payload });
	if (token !== undefined || data !== undefined) {
		const action = {
			...(token && { flow_token: token }),
			...(data && { flow_action_data: JSON.parse(data) as IDataObject }),
		};
		return component('flow', { type: 'action', action });
	}
	if (products !== undefined) return component('mpm', { type: 'action', action: shelf(products, heading) });
	if (thumbnail !== undefined) {
		const action = { thumbnail_product_retailer_id: thumbnail };
		return component('catalog', { type: 'action', action });
	}
	return component('url', { type: 'text', text: given.url });
}

/** Builds the product list. The message shows the picture of the first product. */
function shelf(products: string, heading: string | undefined): IDataObject {
	const ids = listed(products);
	return {
		thumbnail_product_retailer_id: ids[0],
		sections: [{ title: heading, product_items: ids.map((id) => ({ product_retailer_id: id })) }],
	};
}

/** Converts a date, or seconds or milliseconds since 1970, to milliseconds; NaN for any other text. */
export function expirationIn(text: string): number {
	if (!/^\d+$/.test(text.trim())) return Date.parse(text);
	const given = Number(text);
	return given < 1e11 ? given * 1000 : given;
}
