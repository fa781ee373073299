import type { Resource } from '../operation';
import { deleteFile } from './delete.operation';
import { download } from './download.operation';
import { upload } from './upload.operation';

export const media: Resource = {
	value: 'media',
	name: 'Media',
	operations: [deleteFile, download, upload],
	first: download,
};
