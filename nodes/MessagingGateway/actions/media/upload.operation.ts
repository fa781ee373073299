import { textField } from '../../fields';
import type { Item } from '../../item';
import { fileGiven, kindOfFile, uploadOnce } from '../../files/media';
import type { Operation } from '../operation';

export const upload: Operation = {
	value: 'upload',
	name: 'Upload',
	action: 'Upload file',
	description: 'Upload a file once, to send it by its media ID as often as you like for 30 days',
	fields: [
		textField('Input Data Field Name', 'binaryPropertyName', {
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: 'The field of the input that holds the file. Send then takes the mediaId that comes out, with File From set to Earlier Upload.',
			description:
				'JPEG or PNG up to 5 MB, MP4 or 3GPP up to 16 MB, MP3, OGG, AAC, M4A or AMR up to 16 MB, WebP up to 500 KB, documents up to 100 MB',
		}),
	],

	async execute(item: Item) {
		const given = fileGiven(item, item.parameter('binaryPropertyName', ''));
		const { fileName, mimeType } = given.file;
		const kind = await kindOfFile(item, given);
		const { id } = await uploadOnce(item, kind, given);
		return [
			{
				json: { mediaId: id, messageType: kind, fileName: fileName ?? null, mimeType },
			},
		];
	},
};
