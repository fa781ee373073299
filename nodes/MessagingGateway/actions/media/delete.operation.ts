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

	/** Deletes the same file one item at a time, so that the second item gets "not found". */
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
