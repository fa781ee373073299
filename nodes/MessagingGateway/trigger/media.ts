import type { IDataObject, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { fileOf, namedBinary, withoutParameters } from '../files/download';
import { lineOfEvent } from './registration/lines';

/** The gateway waits 20 seconds for the answer to an event, so a slower download is skipped. */
const TIMEOUT_MS = 15_000;

const MEGABYTE = 1024 * 1024;

/**
 * Adds each message's file as binary data. If a download fails, `media.downloadError` gives the reason and
 * the message is still output.
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
				const id = String(file.id);
				const content = await download.call(this, id, {
					line: lineOfEvent(this, item.json),
					limit,
					deadline,
				});
				const name = file.fileName ? String(file.fileName) : undefined;
				const mimeType = file.mimeType ? withoutParameters(String(file.mimeType)) : undefined;
				const binary = await namedBinary.call(this, content, { id, name, mimeType });
				return { ...item, binary: { [mediaField || 'data']: binary } };
			} catch (error) {
				const media = { ...file, downloadError: reasonOf(error) };
				return { ...item, json: { ...item.json, media } };
			}
		}),
	);
}

/** @throws Error with a sentence for the user */
async function download(
	this: IWebhookFunctions,
	id: string,
	{ line, limit, deadline }: { line: string | undefined; limit: number; deadline: number },
): Promise<Buffer> {
	const timeoutMs = () => Math.max(1, deadline - Date.now());
	const file = await fileOf.call(this, id, { timeoutMs, line });
	if (!(file.bytes <= limit)) {
		throw new Error(
			`The file has ${Math.ceil(file.bytes / MEGABYTE) || 'an unknown number of'} MB, more than the ${limit / MEGABYTE} MB of this trigger. Raise File Size Limit under Options.`,
		);
	}
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of await file.open()) {
		chunks.push(chunk as Buffer);
		bytes += (chunk as Buffer).length;
		if (bytes > limit) throw new Error('The file is larger than the gateway said.');
		if (Date.now() > deadline) {
			throw new Error(
				'The file did not arrive in time. Download it with the operation Download of Media, by its ID.',
			);
		}
	}
	return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
	const { message, description } = error as { message: string; description?: string | null };
	return [message, description?.split('\n')[0]].filter(Boolean).join('. ');
}
