import { createHash } from 'node:crypto';
import type { IBinaryData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { withoutParameters } from './download';
import { isVoice, OF_NO_TYPE, typeOf } from './fileType';
import { textOf, type Item } from '../item';
import { isObject } from '../json';
import { keptFor } from '../kept';
import { capital } from '../texts';
import { type ByteStream } from '../transport';
import { Turns } from '../turns';

export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

/** Limits from docs/api.md, "Files". The gateway checks the content again and decides. */
const RULES: Record<MediaKind, { types: RegExp; named: string; bytes: number; size: string }> = {
	image: { types: /^image\/(jpe?g|pjpeg|png)$/, named: 'JPEG or PNG', bytes: 5 * MEGABYTE, size: '5 MB' },
	video: { types: /^video\/(mp4|3gpp?)$/, named: 'MP4 or 3GPP', bytes: 16 * MEGABYTE, size: '16 MB' },
	audio: {
		types: /^audio\/(mpeg|mp3|ogg|opus|aac|x-aac|mp4|m4a|x-m4a|amr)$/,
		named: 'MP3, OGG, AAC, M4A or AMR',
		bytes: 16 * MEGABYTE,
		size: '16 MB',
	},
	document: {
		types: /^(application|text)\//,
		named: 'a PDF, Word, Excel, ZIP or text file',
		bytes: 100 * MEGABYTE,
		size: '100 MB',
	},
	sticker: { types: /^image\/webp$/, named: 'WebP', bytes: 500 * KILOBYTE, size: '500 KB' },
};

/** Allows the largest document to upload over a slow connection. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/** The gateway accepts 20 parallel transfers per line. The other half is for other programs on the line. */
const UPLOADS_AT_ONCE = 10;

/** Uploads of a run. Failed uploads are not cached. */
const uploadsOfRun = keptFor((_run: IExecuteFunctions) => ({
	begun: new Map<string, Promise<string>>(),
	turns: new Turns(UPLOADS_AT_ONCE),
}));

/** A file of an item, and its name for messages to people. */
export interface GivenFile {
	name: string;
	/** Identifies the file within the item; names can repeat. */
	key: string;
	file: IBinaryData;
}

/**
 * Returns the file that a field names or an expression supplies. A file dragged from the input arrives as
 * n8n's description of it. For a file in memory, `$binary` lacks the content, so the item's files are searched.
 */
export function fileGiven(item: Item, value: unknown): GivenFile {
	if (!isObject(value) || typeof value.mimeType !== 'string') return fileNamed(item, textOf(value).trim());
	const file = value as unknown as IBinaryData;
	const name = file.fileName ?? 'the expression';
	if (file.id || file.data) {
		const key = file.id ?? createHash('sha256').update(file.data).digest('hex');
		return { name, key, file };
	}
	const alike = Object.entries(item.files()).filter(([, own]) =>
		Object.entries(file).every(([key, known]) => own[key as keyof IBinaryData] === known),
	);
	const [same] = alike;
	if (same && alike.every(([, { data }]) => data === same[1].data))
		return { name: same[0], key: same[0], file: same[1] };
	return item.refuse(
		`The expression describes the file "${name}" without its content`,
		"Take the file of the node that gives it out, such as {{ $('HTTP Request').item.binary.data }}, or enter the name of its field, such as data.",
	);
}

/**
 * Uploads a file and returns its media ID. Uploads once per item and execution: a second upload would get
 * another ID, and a retry would no longer match its Idempotency-Key.
 */
export async function uploadOnce(
	item: Item,
	kind: MediaKind,
	given: GivenFile,
): Promise<IDataObject & { id: string; fileName?: string }> {
	const { context, index } = item;
	const uploads = context.getContext('node');
	const known = `uploaded-${context.getWorkflowDataProxy(index).$runIndex}-${index}-${kind}-${given.key}`;
	uploads[known] ??= await together(context, known, async () => await upload(item, kind, given));
	return { id: uploads[known] as string, fileName: given.file.fileName };
}

/** Shares one upload between parallel requests, for example for several contacts of one item. */
async function together(
	context: IExecuteFunctions,
	name: string,
	start: () => Promise<string>,
): Promise<string> {
	const { begun, turns } = uploadsOfRun(context);
	const started = begun.get(name) ?? turns.take(start);
	if (!begun.has(name)) void started.catch(() => begun.delete(name));
	begun.set(name, started);
	return await started;
}

/** Picks the kind of message for a file. OGG with Opus becomes a voice message. */
export async function wayToSend(item: Item, given: GivenFile): Promise<{ kind: MediaKind; voice: boolean }> {
	const kind = await kindOfFile(item, given);
	return { kind, voice: kind === 'audio' && (await isVoice(item.context, given.file)) };
}

/** Returns the kind for a file; refuses a file that the platform does not accept. */
export async function kindOfFile(item: Item, { name, file }: GivenFile): Promise<MediaKind> {
	const type = await typeOf(item.context, file);
	return (
		kindOf(type) ??
		item.refuse(
			`The file in "${name}" is of the type ${type || 'unknown'}, which the platform takes as no message`,
			'Convert it to a picture (JPEG, PNG), a video (MP4), an audio file (MP3, OGG, M4A) or a document (PDF, Word, Excel, ZIP, text). Any file can be sent as a ZIP: the node Compression makes one.',
		)
	);
}

/** Returns the kind for a type; undefined if the platform does not accept the type. */
export const kindOf = (type: string): MediaKind | undefined =>
	(Object.keys(RULES) as MediaKind[]).find((kind) => RULES[kind].types.test(type));

function fileNamed(item: Item, name: string): GivenFile {
	const files = item.files();
	const file = files[name];
	if (file) return { name, key: name, file };
	const others = Object.keys(files);
	return item.refuse(
		`The item has no file in "${name}"`,
		others.length > 0
			? `Set Input Data Field Name to ${others.map((other) => `"${other}"`).join(' or ')}.`
			: 'No file reaches this node. A node before it must give one out, such as HTTP Request with Response Format set to File.',
	);
}

async function upload(item: Item, kind: MediaKind, { name, file }: GivenFile): Promise<string> {
	const { types, named, bytes: limit, size } = RULES[kind];
	const type = await typeOf(item.context, file);
	if (type === OF_NO_TYPE) {
		item.refuse(
			`The type of the file in "${name}" is not known`,
			'The type is clear neither from its name nor from its content. Give it a name with an ending, such as invoice.pdf, or set its type in the node that outputs it.',
		);
	}
	if (!types.test(type)) {
		item.refuse(
			`The file in "${name}" is of the type ${type || 'unknown'}, which cannot be sent as ${NAMES[kind]}`,
			`${capital(NAMES[kind])} must be ${named}. ${whatTakes(type)}`,
		);
	}
	const { length, content } = await contentOf(item, file);
	if (length === 0) item.refuse(`The file in "${name}" is empty`, 'Check the node that gives it out.');
	if (length > limit) {
		item.refuse(
			`The file in "${name}" has ${megabytes(length)} MB, ${megabytes(length - limit)} MB more than the ${size} allowed`,
			kind === 'document'
				? 'Make it smaller, or send its web address in a text.'
				: 'Make it smaller, put it into a ZIP with the node Compression (a document may have 100 MB), or send its web address in a text.',
		);
	}

	const declared = asTaken(type);
	const isTold = withoutParameters(file.mimeType ?? '').toLowerCase() === declared;
	const { head, tail, boundary } = form(
		file.fileName ?? `file.${file.fileExtension ?? kind}`,
		isTold ? file.mimeType : declared,
	);
	const answer = await item.ask({
		method: 'POST',
		path: 'media',
		headers: {
			'Content-Type': `multipart/form-data; boundary=${boundary}`,
			'Content-Length': String(head.length + length + tail.length),
		},
		body: Buffer.isBuffer(content) ? Buffer.concat([head, content, tail]) : joined(head, content, tail),
		timeoutMs: UPLOAD_TIMEOUT_MS,
	});
	return String(answer.id);
}

/** Returns text/plain for JSON, XML and other text types, which the platform would reject. */
const asTaken = (type: string): string =>
	/^text\/(?!plain$|csv$|x-csv$|rtf$)|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript)$/.test(
		type,
	)
		? 'text/plain'
		: type;

const NAMES: Record<MediaKind, string> = {
	image: 'an image',
	video: 'a video',
	audio: 'an audio file',
	document: 'a document',
	sticker: 'a sticker',
};

/** Suggests another way to send a file of this type. */
function whatTakes(type: string): string {
	const other = kindOf(type);
	return other
		? `Send it as ${capital(other)}, or convert the file.`
		: 'Convert the file, or send its web address in a text.';
}

const megabytes = (bytes: number): string => (Math.ceil((bytes / MEGABYTE) * 100) / 100).toString();

/** Returns a stream for a file on disk or in external storage, or the bytes of a file in memory. */
async function contentOf(
	{ context, index }: Item,
	file: IBinaryData,
): Promise<{ length: number; content: Buffer | ByteStream }> {
	if (file.id) {
		const { fileSize } = await context.helpers.getBinaryMetadata(file.id);
		if (fileSize) return { length: fileSize, content: await context.helpers.getBinaryStream(file.id) };
	}
	const content = await context.helpers.getBinaryDataBuffer(index, file);
	return { length: content.length, content };
}

/**
 * The parts of the multipart form before and after the file. A form library would hold the file in memory.
 */
function form(fileName: string, mimeType: string): { head: Buffer; tail: Buffer; boundary: string } {
	const boundary = `gateway-${createHash('sha256').update(`${fileName}|${Date.now()}|${Math.random()}`).digest('hex').slice(0, 32)}`;
	const quoted = fileName.replace(/[\r\n]/g, ' ').replace(/"/g, '%22');
	const type = mimeType.replace(/[\r\n]/g, ' ');
	const lines = [
		`--${boundary}`,
		'Content-Disposition: form-data; name="messaging_product"',
		'',
		'whatsapp',
		`--${boundary}`,
		'Content-Disposition: form-data; name="type"',
		'',
		type,
		`--${boundary}`,
		`Content-Disposition: form-data; name="file"; filename="${quoted}"`,
		`Content-Type: ${type}`,
		'',
		'',
	];
	return { boundary, head: Buffer.from(lines.join('\r\n')), tail: Buffer.from(`\r\n--${boundary}--\r\n`) };
}

/**
 * Joins all three parts into one stream. Nodes may not import node:stream, so this uses the class of the
 * given stream.
 */
function joined(head: Buffer, content: ByteStream, tail: Buffer): ByteStream {
	async function* parts() {
		yield head;
		for await (const chunk of content) yield chunk as Buffer;
		yield tail;
	}
	return (content.constructor as unknown as { from(chunks: AsyncIterable<Buffer>): ByteStream }).from(
		parts(),
	);
}
