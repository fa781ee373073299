import { textField } from '../../../fields';
import type { Item } from '../../../item';
import { type Content } from './content';

export const location: Content = {
	value: 'location',
	name: 'Location',
	description: 'A place on the map',
	action: 'Send location',
	fields: [
		textField('Latitude', 'latitude', {
			required: true,
			placeholder: 'e.g. -23.5614',
			hint: 'A map on the web shows both numbers when you click a place with the right button',
			description: 'Degrees north of the equator, from -90 to 90; south is negative',
		}),
		textField('Longitude', 'longitude', {
			required: true,
			placeholder: 'e.g. -46.6559',
			description: 'Degrees east of Greenwich, from -180 to 180; west is negative',
		}),
		textField('Name', 'locationName', {
			placeholder: 'e.g. Our shop',
			description: 'The name of the place, shown below the map',
		}),
		textField('Address', 'locationAddress', {
			placeholder: 'e.g. Avenida Paulista 1578, São Paulo',
			description: 'The address of the place, shown below its name',
		}),
	],

	build(item: Item) {
		const name = item.text('locationName').trim();
		const address = item.text('locationAddress').trim();
		return {
			type: 'location',
			location: {
				latitude: degrees(item, 'Latitude', 90),
				longitude: degrees(item, 'Longitude', 180),
				...(name !== '' && { name }),
				...(address !== '' && { address }),
			},
		};
	},
};

/** Reads degrees. Accepts a decimal comma, which many countries use. */
function degrees(item: Item, field: string, limit: number): number {
	const text = item.text(field.toLowerCase()).trim();
	const value = Number(text.replace(',', '.'));
	if (text === '' || !Number.isFinite(value) || Math.abs(value) > limit) {
		item.refuse(
			text === '' ? `${field} is empty` : `${field} is "${text.slice(0, 40)}"`,
			`Enter degrees from -${limit} to ${limit}, such as -23.5614.`,
		);
	}
	return value;
}
