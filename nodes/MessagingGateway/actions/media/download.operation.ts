import type { IDataObject } from 'n8n-workflow';

import { callGateway, openFile } from '../../transport';
import { fieldText } from '../message/content/content';
import type { Operation } from '../operation';
import { FILE_SENTENCES, mediaIdField, mediaIdIn } from './mediaId';

/** Long enough for the largest document over a slow line. */
const TIMEOUT_MS = 10 * 60_000;

/** Contract §10, "media": the platform's own description of a file. */
interface FileAnswer extends IDataObject {
	mime_type?: string;
	sha256?: string;
	file_size?: number | string;
}

export const download: Operation = {
	value: 'download',
	name: 'Download',
	action: 'Download file',
	description: 'Download a file that a contact sent, such as a picture or a voice note',
	fields: [
		mediaIdField,
		{
			displayName: 'Put Output File in Field',
			name: 'outputField',
			type: 'string',
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: 'The name of the output field to put the file in',
		},
		{
			displayName: 'File Name',
			name: 'fileName',
			type: 'string',
			default: '',
			placeholder: 'e.g. invoice-1042.pdf',
			description: 'What the file is called in n8n. Empty: its ID, with the ending of its type.',
		},
	],

	async execute(itemIndex) {
		const id = mediaIdIn(this, itemIndex);
		const of = { method: 'GET', under: '/v22.0', isObject: true, itemIndex } as const;
		const file = (await callGateway.call(this, {
			...of,
			path: id,
			sentences: FILE_SENTENCES,
		})) as FileAnswer;
		const content = await openFile.call(this, {
			...of,
			path: `${id}/content`,
			timeoutMs: TIMEOUT_MS,
			sentences: FILE_SENTENCES,
		});
		const type = file.mime_type?.replace(/;.*$/s, '').trim();
		const named = fieldText(this, itemIndex, 'fileName').trim();
		const binary = await this.helpers.prepareBinaryData(content, named || undefined, type);
		// n8n would take the end of the address for its name.
		binary.fileName = named || (binary.fileExtension ? `${id}.${binary.fileExtension}` : id);
		return [
			{
				json: {
					mediaId: id,
					fileName: binary.fileName,
					mimeType: type ?? null,
					fileSize: Number(file.file_size) || null,
					sha256: file.sha256 ?? null,
				},
				binary: { [fieldText(this, itemIndex, 'outputField').trim() || 'data']: binary },
				pairedItem: { item: itemIndex },
			},
		];
	},
};
