import type { Item } from '../../item';
import { FILE_SENTENCES } from '../../files/download';
import type { Operation } from '../operation';
import { mediaIdField, mediaIdIn } from './mediaId';

export const deleteFile: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete file',
	description: 'Delete a file from the messaging platform; messages that carry it stay',
	fields: [mediaIdField],

	isOnceOnly: true,

	/** If two items have one file, the second one finds none. */
	lane(item: Item) {
		return item.text('mediaId');
	},

	async execute(item: Item) {
		const id = mediaIdIn(item);
		await item.ask({
			method: 'DELETE',
			path: id,
			isObject: true,
			sentences: FILE_SENTENCES,
		});
		return [{ json: { mediaId: id, deleted: true } }];
	},
};
