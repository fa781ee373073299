import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { withoutParameters } from './download';

/** Types that servers and file stores report for unknown files. */
export const OF_NO_TYPE = 'application/octet-stream';
const UNKNOWN = ['', OF_NO_TYPE, 'binary/octet-stream', 'application/binary'];

/** Types that the platform accepts, by file extension. */
const BY_ENDING: Record<string, string> = {
	aac: 'audio/aac',
	amr: 'audio/amr',
	csv: 'text/csv',
	doc: 'application/msword',
	docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
	htm: 'text/html',
	html: 'text/html',
	jpeg: 'image/jpeg',
	jpg: 'image/jpeg',
	json: 'application/json',
	m4a: 'audio/mp4',
	md: 'text/markdown',
	mp3: 'audio/mpeg',
	mp4: 'video/mp4',
	odp: 'application/vnd.oasis.opendocument.presentation',
	ods: 'application/vnd.oasis.opendocument.spreadsheet',
	odt: 'application/vnd.oasis.opendocument.text',
	oga: 'audio/ogg',
	ogg: 'audio/ogg',
	opus: 'audio/ogg',
	pdf: 'application/pdf',
	png: 'image/png',
	ppt: 'application/vnd.ms-powerpoint',
	pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
	rtf: 'application/rtf',
	txt: 'text/plain',
	webp: 'image/webp',
	xls: 'application/vnd.ms-excel',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	xml: 'application/xml',
	zip: 'application/zip',
	'3gp': 'video/3gpp',
	'3gpp': 'video/3gpp',
};

/** Types that the platform accepts, by the first bytes of the content as Latin-1 text. */
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
	[/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, 'application/msword'],
	[/^\{\\rtf/, 'application/rtf'],
	[/^[^\0-\x08\x0e-\x1a\x1c-\x1f]+$/, 'text/plain'],
];

/** Long enough for every signature above, and to tell text from binary data. */
const HEAD_BYTES = 512;

/**
 * Returns the type of a file without parameters. If n8n does not know the type, the name decides, then the
 * content.
 */
export async function typeOf(context: IExecuteFunctions, file: IBinaryData): Promise<string> {
	const told = withoutParameters(file.mimeType ?? '').toLowerCase();
	if (!UNKNOWN.includes(told)) return told;
	const byName = typeByName(file.fileName ?? '');
	if (byName) return byName;
	const head = await headOf(context, file);
	return BY_CONTENT.find(([begins]) => begins.test(head))?.[1] ?? told;
}

/** Returns the type for a file name or an extension; undefined if the platform does not accept it. */
export function typeByName(name: string): string | undefined {
	const [, ending = ''] = /(?:^|\.)(\w+)$/.exec(name) ?? [];
	return BY_ENDING[ending.toLowerCase()];
}

/** Whether a file can be sent as a voice message: OGG with Opus. */
export async function isVoice(context: IExecuteFunctions, file: IBinaryData): Promise<boolean> {
	const told = (file.mimeType ?? '').toLowerCase();
	return /opus/.test(told) || (await headOf(context, file)).startsWith('OpusHead', FIRST_PAGE_BYTES);
}

/** Length of an Ogg page header, which precedes the first packet. */
const FIRST_PAGE_BYTES = 28;

/** Returns the first bytes of a file as Latin-1 text. */
async function headOf(context: IExecuteFunctions, file: IBinaryData): Promise<string> {
	const head = async () => {
		if (!file.id) return Buffer.from(file.data.slice(0, 2 * HEAD_BYTES), 'base64');
		for await (const chunk of await context.helpers.getBinaryStream(file.id)) return chunk as Buffer;
		return Buffer.alloc(0);
	};
	return (await head()).subarray(0, HEAD_BYTES).toString('latin1');
}
