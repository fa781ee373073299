import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { textField } from '../../../fields';
import type { Item } from '../../../item';
import { LIMITS } from '../../../limits';
import { listed } from '../../../texts';
import { type Content } from './content';
import { bodyField, footer } from './interactive';

const WHERE = 'The ID that the product has in the catalogue, its "content ID"';

const shownFor = (...shown: string[]): Pick<INodeProperties, 'displayOptions'> => ({
	displayOptions: { show: { productsShown: shown } },
});

export const products: Content = {
	value: 'products',
	name: 'Products',
	description:
		'One product of your catalogue, several, or the whole catalogue; a basket comes back as an order',
	action: 'Send products',
	fields: [
		{
			displayName: 'Show',
			name: 'productsShown',
			type: 'options',
			noDataExpression: true,
			default: 'one',
			description: 'What the contact sees of the catalogue that is connected to your account of the platform',
			options: [
				{ name: 'One Product', value: 'one', description: 'With its picture and its price' },
				{ name: 'Several Products', value: 'several', description: 'A list of up to 30 products' },
				{ name: 'Whole Catalogue', value: 'catalogue', description: 'A button that opens all of it' },
			],
		},
		{ ...bodyField, ...shownFor('several', 'catalogue'), placeholder: 'e.g. Have a look at our cakes.' },
		{
			...bodyField,
			...shownFor('one'),
			required: false,
			placeholder: 'e.g. This is the cake that you asked about.',
			description: 'Text below the product, up to 1024 characters. May stay empty.',
		},
		textField('Catalogue ID', 'catalogId', {
			...shownFor('one', 'several'),
			required: true,
			placeholder: 'e.g. 194836987003835',
			hint: "The platform's Commerce Manager shows it in the settings of the catalogue",
			description: 'The catalogue that is connected to your account of the platform',
		}),
		textField('Product ID', 'productId', {
			...shownFor('one'),
			required: true,
			placeholder: 'e.g. chocolate_cake',
			description: WHERE,
		}),
		textField('Header', 'productsHeader', {
			...shownFor('several'),
			required: true,
			placeholder: 'e.g. Our cakes',
			description: 'Bold text above the products, up to 60 characters',
		}),
		textField('Product IDs', 'productIds', {
			...shownFor('several'),
			required: true,
			placeholder: 'e.g. chocolate_cake, apple_pie',
			description: `${WHERE}; up to 30 with commas between, or a list from the input`,
		}),
		textField('Product in the Picture', 'pictureProductId', {
			...shownFor('catalogue'),
			placeholder: 'e.g. chocolate_cake',
			description: `${WHERE}. Empty: the first of the catalogue.`,
		}),
	],

	build(item: Item, options) {
		const shown = item.text('productsShown');
		const text = item.text('body');
		const isOne = shown === 'one';
		const body = isOne ? item.within('Text', text, LIMITS.body) : item.filled('Text', text, LIMITS.body);
		return {
			type: 'interactive',
			interactive: {
				...partsFor(item, shown),
				...(body.trim() !== '' && { body: { text: body } }),
				...footer(item, options),
			},
		};
	},
};

/** Builds the parts that differ between one product, several products and the whole catalogue. */
function partsFor(item: Item, shown: string): IDataObject {
	switch (shown) {
		case 'one': {
			const catalog_id = item.entered('Catalogue ID', item.text('catalogId').trim());
			const product_retailer_id = item.entered('Product ID', item.text('productId').trim());
			return { type: 'product', action: { catalog_id, product_retailer_id } };
		}
		case 'several': {
			const header = item.text('productsHeader');
			const text = item.filled('Header', header, LIMITS.header);
			const catalog_id = item.entered('Catalogue ID', item.text('catalogId').trim());
			const ids = listed(item.entered('Product IDs', item.text('productIds').trim()));
			item.atMost('products', ids.length, LIMITS.products);
			const sections = [{ product_items: ids.map((id) => ({ product_retailer_id: id })) }];
			return { type: 'product_list', header: { type: 'text', text }, action: { catalog_id, sections } };
		}
		default: {
			const picture = item.text('pictureProductId').trim();
			const parameters = { thumbnail_product_retailer_id: picture };
			return {
				type: 'catalog_message',
				action: { name: 'catalog_message', ...(picture !== '' && { parameters }) },
			};
		}
	}
}
