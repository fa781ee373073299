import { textField } from '../../fields';
import type { Item } from '../../item';
import { fileOf, namedBinary } from '../../files/download';
import type { Operation } from '../operation';
import { mediaIdField, mediaIdIn } from './mediaId';

/** Allows the largest document to download over a slow connection. */
const TIMEOUT_MS = 10 * 60_000;

export const download: Operation = {
	value: 'download',
	name: 'Download',
	action: 'Download file',
	description: 'Download a file that a contact sent, such as a picture or a voice note',
	fields: [
		mediaIdField,
		textField('Put Output File in Field', 'outputField', {
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: 'The name of the output field to put the file in',
		}),
		textField('File Name', 'fileName', {
			placeholder: 'e.g. invoice-1042.pdf',
			description: 'What the file is called in n8n. Empty: its ID, with the ending of its type.',
		}),
	],

	async execute(item: Item) {
		const id = mediaIdIn(item);
		const file = await fileOf.call(item.context, id, { timeoutMs: () => TIMEOUT_MS, itemIndex: item.index });
		const named = item.text('fileName').trim();
		const { mimeType } = file;
		const content = await file.open();
		const binary = await namedBinary.call(item.context, content, { id, name: named || undefined, mimeType });
		// Keeps the entered name, with or without an extension.
		if (named) binary.fileName = named;
		return [
			{
				json: {
					mediaId: id,
					fileName: binary.fileName,
					mimeType: mimeType ?? null,
					fileSize: file.bytes || null,
					sha256: file.sha256,
				},
				binary: { [item.text('outputField').trim() || 'data']: binary },
			},
		];
	},
};
