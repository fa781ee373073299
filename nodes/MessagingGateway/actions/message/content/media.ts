import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { textField } from '../../../fields';
import { fileOf } from '../../../files/download';
import { isVoice, typeByName } from '../../../files/fileType';
import {
	fileGiven,
	kindOf,
	uploadOnce,
	wayToSend,
	type GivenFile,
	type MediaKind,
} from '../../../files/media';
import type { Item } from '../../../item';
import { LIMITS } from '../../../limits';
import { type Content } from './content';

/** Texts of the panel for one kind of file. */
interface Kind {
	kind: MediaKind;
	name: string;
	description: string;
	action: string;
	/** An example URL for the placeholder. */
	example: string;
	/** The placeholder of the caption field; undefined if this kind allows no caption. */
	caption?: string;
}

/** A message with a file: by URL, uploaded from n8n, or uploaded earlier. */
export function mediaContent({ kind, name, description, action, example, caption }: Kind): Content {
	return {
		value: kind,
		name,
		description,
		action,
		fields: [
			...sourceFields(kind, { example, size: SIZES[kind] }),
			...(caption ? [captionField(caption)] : []),
			...(kind === 'document' ? [fileNameField] : []),
		],

		async build(item: Item, options) {
			return await fileMessage(item, kind, sourceOf(item), options.voice);
		},
	};
}

/**
 * The fields for the file's source.
 * @param required whether n8n requires a value before it runs the node
 */
function sourceFields(
	kind: string,
	{ example, size, required = true }: { example: string; size?: string; required?: boolean },
): INodeProperties[] {
	const upTo = size ? `${size}. ` : '';
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
			...(required && { required }),
			placeholder: `e.g. ${example}`,
			hint: `${upTo}It must open without a login.`,
			description: `Where the ${kind} is on the web`,
		}),
		textField('Input Data Field Name', 'binaryPropertyName', {
			displayOptions: { show: { mediaSource: ['binary'] } },
			default: 'data',
			...(required && { required }),
			placeholder: 'e.g. data',
			hint: `${upTo}The file is under Binary in the input, in most cases by the name data.`,
			description:
				"The name under which the input holds the file, or an expression for the file of an earlier node, such as {{ $('HTTP Request').item.binary.data }}. It is uploaded once, however many contacts get it.",
		}),
		textField('Media ID', 'mediaId', {
			displayOptions: { show: { mediaSource: ['id'] } },
			...(required && { required }),
			placeholder: 'e.g. 1234567890123456',
			description: 'The ID from an upload, or the one that the Trigger gives for a file that came in',
		}),
	];
}

/** Limits from docs/api.md, "Files". */
const SIZES: Record<MediaKind, string> = {
	image: 'JPEG or PNG, up to 5 MB',
	video: 'MP4 or 3GPP, up to 16 MB',
	audio: 'MP3, OGG, AAC, M4A or AMR, up to 16 MB',
	document: 'PDF, Word, Excel, ZIP and the like, up to 100 MB',
	sticker: 'WebP, up to 100 KB, or 500 KB if it moves',
};

const WITH_CAPTION: MediaKind[] = ['image', 'video', 'document'];

function captionField(example: string): INodeProperties {
	return textField('Caption', 'caption', {
		typeOptions: { rows: 2 },
		placeholder: `e.g. ${example}`,
		description: 'Text below the file, up to 1024 characters',
	});
}

const fileNameField = textField('File Name', 'fileName', {
	placeholder: 'e.g. invoice-1042.pdf',
	description: 'What the contact sees as the name of the file. Empty: the name that the file has in n8n.',
});

const FILE_EXAMPLES = { example: 'https://shop.example.com/invoice-1042.pdf' };
const FILE_CAPTION = 'Your invoice for order 1042';

/** A message with a file of any kind. The node picks image, video, audio or document from the file's type. */
export const file: Content = {
	value: 'file',
	name: 'File',
	description: 'A picture, video, audio file, voice message, sticker or document: whichever the file is',
	action: 'Send file',
	fields: [...sourceFields('file', FILE_EXAMPLES), captionField(FILE_CAPTION), fileNameField],

	async build(item: Item) {
		const source = sourceOf(item);
		const { kind, voice } = await wayFor(item, source);
		return await fileMessage(item, kind, source, voice);
	},
};

/** Like `file.fields`, but optional: if an expression chooses the kind, the message may need no file. */
export const fieldsOfAnyFile: INodeProperties[] = [
	...sourceFields('file', { ...FILE_EXAMPLES, required: false }),
	captionField(FILE_CAPTION),
	fileNameField,
];

/** The source of the file, as entered in the form. */
type Source = { link: string } | { id: string } | { given: GivenFile };

function sourceOf(item: Item): Source {
	switch (item.parameter('mediaSource', 'link')) {
		case 'binary':
			return { given: fileGiven(item, item.parameter('binaryPropertyName', '')) };
		case 'id': {
			const id = item.text('mediaId').trim();
			if (id === '') {
				item.refuse('Media ID is empty', 'Enter it, or check the expression that fills it.');
			}
			return { id };
		}
		default:
			return { link: item.webAddress('Web Address', item.text('mediaLink')) };
	}
}

/** Picks the kind of message for the file. */
async function wayFor(item: Item, source: Source): Promise<{ kind: MediaKind; voice: boolean }> {
	if ('given' in source) return await wayToSend(item, source.given);
	const isLink = 'link' in source;
	const type = isLink ? typeOfLink(source.link) : await typeOfUpload(item, source.id);
	const kind = kindOf(type ?? '');
	if (kind) return { kind, voice: false };
	return item.refuse(
		isLink
			? `What "${source.link.slice(0, 60)}" is, is not clear from its ending`
			: `The uploaded file is of the type ${type ?? 'unknown'}, which the platform takes as no message`,
		isLink
			? 'Send it as Image, Video, Audio, Document or Sticker. Or download the file with HTTP Request and set File From to Input Item.'
			: 'Upload it as a picture (JPEG, PNG), a video (MP4), an audio file (MP3, OGG, M4A) or a document (PDF, Word, Excel, ZIP, text).',
	);
}

const typeOfLink = (link: string): string | undefined => typeByName(link.replace(/[?#].*$/s, ''));

const ANSWER_TIMEOUT_MS = 60_000;

async function typeOfUpload({ context, index }: Item, id: string): Promise<string | undefined> {
	const timeoutMs = () => ANSWER_TIMEOUT_MS;
	return (await fileOf.call(context, id, { timeoutMs, itemIndex: index })).mimeType;
}

async function fileMessage(
	item: Item,
	kind: MediaKind,
	source: Source,
	voice: boolean,
): Promise<IDataObject> {
	const hasCaption = WITH_CAPTION.includes(kind);
	const caption = item.within('Caption', item.text('caption'), LIMITS.caption);
	if (!hasCaption && caption.trim() !== '')
		item.hintOnce(
			'Audio files, voice messages and stickers have no caption: the text in Caption was left out.',
		);
	const isVoiceMessage = kind === 'audio' && voice;
	if (isVoiceMessage) await warnOfSilentVoice(item, source);
	const { id, link, fileName } = await sent(item, kind, source);
	const filename = kind === 'document' ? item.text('fileName').trim() || fileName : '';
	return {
		type: kind,
		[kind]: {
			...(link ? { link } : { id }),
			...(hasCaption && caption.trim() !== '' && { caption }),
			...(filename && { filename }),
			...(isVoiceMessage && { voice: true }),
		},
	};
}

/** Returns `link` or `id` of the file, and the file name if n8n knows it. */
async function sent(
	item: Item,
	kind: MediaKind,
	source: Source,
): Promise<{ id?: string; link?: string; fileName?: string }> {
	return 'given' in source ? await uploadOnce(item, kind, source.given) : source;
}

/** Shows a hint for audio that may arrive as a plain audio file instead of a voice message. */
async function warnOfSilentVoice(item: Item, source: Source): Promise<void> {
	if ('id' in source) return;
	const isHeard =
		'given' in source
			? await isVoice(item.context, source.given.file)
			: (typeOfLink(source.link) ?? 'audio/ogg') === 'audio/ogg';
	if (isHeard) return;
	item.hintOnce(
		'A voice message must be a file in OGG with Opus, and this one is not: contacts may get a plain audio file, without a transcript. Choose OGG with Opus (often called "opus") in the service that makes the file, or convert it, for example with ffmpeg -c:a libopus. To send it as an audio file, remove the option Voice Message.',
	);
}
