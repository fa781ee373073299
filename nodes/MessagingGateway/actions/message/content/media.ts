import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { textField } from '../../../fields';
import type { Item } from '../../../item';
import { LIMITS } from '../../../limits';
import { fileGiven, uploadOnce, type MediaKind } from '../../../files/media';
import { type Content } from './content';

/** What is said of one kind of file. */
interface Kind {
	kind: MediaKind;
	name: string;
	description: string;
	/** An address to show in the empty field. */
	example: string;
	/** Words that may stand below it; without them it has no caption. */
	caption?: string;
}

/** A message that is a file: by its web address, uploaded from n8n, or uploaded before. */
export function mediaContent({ kind, name, description, example, caption: words }: Kind): Content {
	const isDocument = kind === 'document';
	const hasCaption = words !== undefined;
	return {
		value: kind,
		name,
		description,
		fields: [
			...sourceFields(kind, example),
			...(hasCaption ? [{ ...captionField, placeholder: `e.g. ${words}` }] : []),
			...(isDocument ? [fileNameField] : []),
		],

		async build(item: Item, options) {
			const caption = hasCaption ? item.text('caption') : '';
			item.within('Caption', caption, LIMITS.caption);
			const { fileName, ...source } = await sourceOf(item, kind);
			const entered = isDocument ? item.text('fileName').trim() : '';
			const filename = entered || (isDocument ? (fileName ?? '') : '');
			return {
				type: kind,
				[kind]: {
					...source,
					...(caption.trim() !== '' && { caption }),
					...(filename !== '' && { filename }),
					...(kind === 'audio' && options.voice && { voice: true }),
				},
			};
		},
	};
}

function sourceFields(kind: MediaKind, example: string): INodeProperties[] {
	return [
		{
			displayName: 'File From',
			name: 'mediaSource',
			type: 'options',
			noDataExpression: true,
			default: 'link',
			description: 'Where the file comes from',
			options: [
				{
					name: 'Earlier Upload',
					value: 'id',
					description: 'A file that the platform has already, by its media ID',
				},
				{ name: 'Input Item', value: 'binary', description: 'A file that a node before this one gives out' },
				{ name: 'Web Address', value: 'link', description: 'A file that anyone can open on the web' },
			],
		},
		textField('Web Address', 'mediaLink', {
			displayOptions: { show: { mediaSource: ['link'] } },
			required: true,
			placeholder: `e.g. ${example}`,
			hint: `${SIZES[kind]}. It must open without a login.`,
			description: `Where the ${kind} is on the web`,
		}),
		textField('Input Data Field Name', 'binaryPropertyName', {
			displayOptions: { show: { mediaSource: ['binary'] } },
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: `${SIZES[kind]}. The file is under Binary in the input, in most cases by the name data.`,
			description:
				'The name under which the input holds the file. It is uploaded once, however many contacts get it.',
		}),
		textField('Media ID', 'mediaId', {
			displayOptions: { show: { mediaSource: ['id'] } },
			required: true,
			placeholder: 'e.g. 1234567890123456',
			description: 'The ID from an upload, or the one that the Trigger gives for a file that came in',
		}),
	];
}

/** docs/api.md, "Files". */
const SIZES: Record<MediaKind, string> = {
	image: 'JPEG or PNG, up to 5 MB',
	video: 'MP4 or 3GPP, up to 16 MB',
	audio: 'MP3, OGG, AAC, M4A or AMR, up to 16 MB',
	document: 'PDF, Word, Excel, ZIP and the like, up to 100 MB',
	sticker: 'WebP, up to 100 KB, or 500 KB if it moves',
};

const captionField = textField('Caption', 'caption', {
	typeOptions: { rows: 2 },
	description: 'Text below the file, up to 1024 characters',
});

const fileNameField = textField('File Name', 'fileName', {
	placeholder: 'e.g. invoice-1042.pdf',
	description: 'What the contact sees as the name of the file. Empty: the name that the file has in n8n.',
});

/** `link` or `id` of the file; a name only where n8n knows one. */
async function sourceOf(item: Item, kind: MediaKind): Promise<IDataObject & { fileName?: string }> {
	switch (item.parameter('mediaSource', 'link')) {
		case 'binary':
			return await uploadOnce(item, kind, fileGiven(item, item.parameter('binaryPropertyName', '')));
		case 'id': {
			const id = item.text('mediaId').trim();
			if (id === '') {
				item.refuse('Media ID is empty', 'Enter it, or check the expression that fills it.');
			}
			return { id };
		}
		default:
			return {
				link: item.webAddress('Web Address', item.text('mediaLink')),
			};
	}
}
