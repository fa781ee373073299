import { textField } from '../../fields';
import type { Item } from '../../item';

export const mediaIdField = textField('Media ID', 'mediaId', {
	required: true,
	placeholder: 'e.g. 1234567890123456',
	hint: "Drag media.id from the Trigger's output here, or the mediaId that Upload gave out",
	description: 'The ID of the file: the one that the Trigger gives under media, or what Upload gave out',
});

/**
 * Returns the media ID of the item. Refuses an ID with anything but digits, which the platform never issues.
 */
export function mediaIdIn(item: Item): string {
	const id = item.text('mediaId').trim();
	if (id === '') {
		item.refuse(
			'Media ID is empty',
			'Drag media.id from the output of the Trigger here. A message without a file has none: an If node before this one keeps those out.',
		);
	}
	if (!/^\d{1,32}$/.test(id)) {
		item.refuse(
			`Media ID is "${id.slice(0, 40)}", which is no media ID`,
			'It consists of digits alone. It is not the messageId: drag media.id from the output of the Trigger here.',
		);
	}
	return id;
}
