import { FILE_SENTENCES } from '../../download';
import { callGateway } from '../../transport';
import { fieldText } from '../message/content/content';
import type { Operation } from '../operation';
import { mediaIdField, mediaIdIn } from './mediaId';

export const deleteFile: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete file',
	description: 'Delete a file from the messaging platform; messages that carry it stay',
	fields: [mediaIdField],

	isOnceOnly: true,

	/** Of two items with one file, it is the second that finds none. */
	lane(itemIndex) {
		return fieldText(this, itemIndex, 'mediaId');
	},

	async execute(itemIndex) {
		const id = mediaIdIn(this, itemIndex);
		await callGateway.call(this, {
			method: 'DELETE',
			under: '/v22.0',
			path: id,
			isObject: true,
			itemIndex,
			sentences: FILE_SENTENCES,
		});
		return [{ json: { mediaId: id, deleted: true }, pairedItem: { item: itemIndex } }];
	},
};
