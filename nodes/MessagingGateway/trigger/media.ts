import {
	ensureError,
	type IDataObject,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { CREDENTIAL, gatewayAddress } from '../transport';

/** The gateway waits 20 seconds for our answer to the event; a file that takes longer is left where it is. */
const TIMEOUT_MS = 15_000;

const MEGABYTE = 1024 * 1024;

/**
 * Adds the file of each message that has one as binary data. What stands in the way of that is told in
 * `media.downloadError`: the message itself always comes out.
 */
export async function withFiles(
	this: IWebhookFunctions,
	messages: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const { downloadMedia, mediaField, mediaLimit } = this.getNodeParameter('options', {}) as {
		downloadMedia?: boolean;
		mediaField?: string;
		mediaLimit?: number;
	};
	if (!downloadMedia && this.getNodeParameter('downloadFiles', false) !== true) return messages;
	const deadline = Date.now() + TIMEOUT_MS;
	return await Promise.all(
		messages.map(async (item) => {
			const file = item.json.media as IDataObject | null;
			if (!file) return item;
			const limit = (mediaLimit ?? 16) * MEGABYTE;
			try {
				const content = await download.call(this, String(file.id), limit, deadline);
				const name = String(file.fileName ?? file.id);
				const type = file.mimeType ? String(file.mimeType).split(';')[0] : undefined;
				const binary = await this.helpers.prepareBinaryData(content, name, type);
				return { ...item, binary: { [mediaField || 'data']: binary } };
			} catch (error) {
				const media = { ...file, downloadError: ensureError(error).message };
				return { ...item, json: { ...item.json, media } };
			}
		}),
	);
}

/** @throws Error with a sentence for the person who reads the item */
async function download(
	this: IWebhookFunctions,
	id: string,
	limit: number,
	deadline: number,
): Promise<Buffer> {
	const { baseUrl } = await gatewayAddress.call(this);
	const get = async (path: string, encoding?: 'arraybuffer') =>
		(await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
			method: 'GET',
			url: `${baseUrl}/v22.0/${encodeURIComponent(id)}${path}`,
			encoding,
			json: encoding === undefined,
			timeout: Math.max(1, deadline - Date.now()),
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
		})) as IN8nHttpFullResponse;

	const described = await get('');
	const file = described.body as IDataObject | undefined;
	if (described.statusCode !== 200) throw new Error(refusal(described.statusCode, file));
	if (!(Number(file?.file_size) <= limit)) {
		throw new Error(
			`The file has ${Math.ceil(Number(file?.file_size) / MEGABYTE) || 'an unknown number of'} MB, more than the ${limit / MEGABYTE} MB of this trigger. Raise File Size Limit under Options.`,
		);
	}
	const { statusCode, body } = await get('/content', 'arraybuffer');
	const content = Buffer.from(body as unknown as ArrayBuffer);
	if (statusCode !== 200) throw new Error(refusal(statusCode, parsed(content)));
	if (content.length > limit) throw new Error('The file is larger than the gateway said.');
	return content;
}

function refusal(statusCode: number, body: IDataObject | undefined): string {
	const error = (body?.error ?? {}) as { message?: string; error_data?: { details?: string } };
	const said = error.error_data?.details ?? error.message;
	return `The gateway did not hand out the file (${statusCode})${said ? `: ${said}` : '.'}`;
}

function parsed(content: Buffer): IDataObject | undefined {
	try {
		return JSON.parse(content.subarray(0, 65_536).toString('utf8')) as IDataObject;
	} catch {
		return undefined;
	}
}
