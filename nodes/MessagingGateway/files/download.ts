import type { IBinaryData, IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Sentence, Sentences } from '../failures';
import { type GatewayCaller } from '../line';
import { callGateway, openFile, type ByteStream, type GatewayRequest } from '../transport';

const NO_FILE: Sentence = {
	happened: 'The messaging platform has no file with this ID',
	next: 'It keeps what was uploaded for 30 days, and what a contact sent for 7 days. Check that the credential is of the line that the file came to.',
	isWhole: true,
};

/** For an unknown ID, the platform answers that it does not support such a request. */
export const FILE_SENTENCES: Sentences = { not_found: NO_FILE, 'upstream_error 100': NO_FILE };

/** The platform's description of a file. */
interface FileAnswer extends IDataObject {
	mime_type?: string;
	sha256?: string;
	file_size?: number | string;
}

/** A file stored by the platform. */
export interface PlatformFile {
	/** Without parameters, such as a codec. */
	mimeType: string | undefined;
	/** NaN if the platform does not report the size. */
	bytes: number;
	sha256: string | null;
	/** Opens the content as a stream. */
	open(): Promise<ByteStream>;
}

/** `audio/ogg; codecs=opus` → `audio/ogg` */
export const withoutParameters = (mimeType: string): string => mimeType.replace(/;.*$/s, '').trim();

/**
 * Fetches the platform's description of a file.
 * @param timeoutMs for each of the two requests
 */
export async function fileOf(
	this: GatewayCaller,
	id: string,
	{ timeoutMs, ...of }: { timeoutMs: () => number } & Pick<GatewayRequest, 'itemIndex' | 'line'>,
): Promise<PlatformFile> {
	const path = encodeURIComponent(id);
	const request = () =>
		({
			...of,
			method: 'GET',
			isObject: true,
			timeoutMs: timeoutMs(),
			sentences: FILE_SENTENCES,
		}) as const;
	const described = (await callGateway.call(this, { ...request(), path })) as FileAnswer;
	return {
		mimeType: described.mime_type && withoutParameters(described.mime_type),
		bytes: Number(described.file_size),
		sha256: described.sha256 ?? null,
		open: async () => await openFile.call(this, { ...request(), path: `${path}/content` }),
	};
}

/** A file extension such as `.jpg` at the end of a name; "Offer 1.2" has none. */
const ENDING = /\.(?=[a-z0-9]{0,7}[a-z])[a-z0-9]{1,8}$/i;

/**
 * Stores a file in n8n. A name without an extension gets one from its type, because many services detect the
 * type by it.
 * @param name the sender's file name; defaults to the ID
 */
export async function namedBinary(
	this: IExecuteFunctions | IWebhookFunctions,
	content: Buffer | ByteStream,
	{ id, name, mimeType }: { id: string; name: string | undefined; mimeType: string | undefined },
): Promise<IBinaryData> {
	const whole = name && ENDING.test(name) ? name : undefined;
	const binary = await this.helpers.prepareBinaryData(content, whole, mimeType);
	const { fileExtension: ending } = binary;
	// Without a name, n8n would use the end of the URL.
	binary.fileName = whole ?? `${name ?? id}${ending ? `.${ending}` : ''}`;
	return binary;
}
