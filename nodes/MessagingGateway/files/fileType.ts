import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { withoutParameters } from './download';

/** What servers and file stores say of a file whose type they do not know. */
export const OF_NO_TYPE = 'application/octet-stream';
const UNKNOWN = ['', OF_NO_TYPE, 'binary/octet-stream', 'application/binary'];

/** Types that the platform takes, by the endings of their names. */
const BY_ENDING: Record<string, string> = {
	aac: 'audio/aac',
	amr: 'audio/amr',
	csv: 'text/csv',
	doc: 'application/msword',
	docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
	jpeg: 'image/jpeg',
	jpg: 'image/jpeg',
	m4a: 'audio/mp4',
	mp3: 'audio/mpeg',
	mp4: 'video/mp4',
	oga: 'audio/ogg',
	ogg: 'audio/ogg',
	opus: 'audio/ogg',
	pdf: 'application/pdf',
	png: 'image/png',
	ppt: 'application/vnd.ms-powerpoint',
	pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
	txt: 'text/plain',
	webp: 'image/webp',
	xls: 'application/vnd.ms-excel',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	zip: 'application/zip',
	'3gp': 'video/3gpp',
};

/** The same by how their content begins, as Latin-1 text. */
const BY_CONTENT: Array<[begins: RegExp, type: string]> = [
	[/^\x89PNG\r\n/, 'image/png'],
	[/^\xff\xd8\xff/, 'image/jpeg'],
	[/^RIFF....WEBP/s, 'image/webp'],
	[/^%PDF-/, 'application/pdf'],
	[/^OggS/, 'audio/ogg'],
	[/^(?:ID3|\xff[\xfb\xf3\xf2])/, 'audio/mpeg'],
	[/^\xff[\xf1\xf9]/, 'audio/aac'],
	[/^#!AMR/, 'audio/amr'],
	[/^....ftypM4A/s, 'audio/mp4'],
	[/^....ftyp3g/s, 'video/3gpp'],
	[/^....ftyp/s, 'video/mp4'],
	[/^PK\x03\x04/, 'application/zip'],
];

const HEAD_BYTES = 16;

/** The type of a file, without parameters. One that n8n was not told is seen by the name, or else by the content. */
export async function typeOf(context: IExecuteFunctions, file: IBinaryData): Promise<string> {
	const told = withoutParameters(file.mimeType ?? '').toLowerCase();
	if (!UNKNOWN.includes(told)) return told;
	const ending = /\.(\w+)$/.exec(file.fileName ?? '')?.[1] ?? '';
	const byName = BY_ENDING[ending.toLowerCase()];
	if (byName) return byName;
	const head = (await headOf(context, file)).toString('latin1');
	return BY_CONTENT.find(([begins]) => begins.test(head))?.[1] ?? told;
}

async function headOf(context: IExecuteFunctions, file: IBinaryData): Promise<Buffer> {
	if (!file.id) return Buffer.from(file.data.slice(0, 2 * HEAD_BYTES), 'base64');
	for await (const chunk of await context.helpers.getBinaryStream(file.id)) return chunk as Buffer;
	return Buffer.alloc(0);
}
