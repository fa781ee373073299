import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { jsonIn } from '../../../json';

/**
 * How far the questions of a waiting run have come. n8n saves nothing of a run that keeps waiting, so the address at
 * which the next answer is expected carries it. It holds what a contact said, and proxies log addresses: so it is encrypted.
 */
export interface Progress extends IDataObject {
	/** Which of the questions is open, from 0. */
	step: number;
	/** How often it was asked again. */
	again: number;
	/** The answers before it, by their fields of the output. */
	answers: IDataObject;
}

export const START: Progress = { step: 0, again: 0, answers: {} };

/** A key for one run; n8n keeps it with the run. */
export const newKey = (): string => randomBytes(32).toString('base64');

/** The gateway takes addresses of this length. */
const LONGEST_URL = 2048;

/** Where the next answer is expected; undefined if the answers so far are too long for an address. */
export function addressWith(
	context: IExecuteFunctions | IWebhookFunctions,
	progress: Progress,
	key: string,
): string | undefined {
	const url = context.getSignedResumeUrl({ progress: sealed(progress, key) });
	return url.length > LONGEST_URL ? undefined : url;
}

/** The progress of the called URL; undefined for one that this run did not give out. */
export function progressIn(context: IWebhookFunctions, key: string): Progress | undefined {
	const { progress } = context.getQueryData() as { progress?: unknown };
	if (progress === undefined) return START;
	return typeof progress === 'string' ? opened(progress, key) : undefined;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The same for the same progress, so that an answer that comes twice asks the next question once. */
function sealed(progress: Progress, key: string): string {
	const text = JSON.stringify(progress);
	const secret = Buffer.from(key, 'base64');
	const iv = createHmac('sha256', secret).update(text).digest().subarray(0, IV_BYTES);
	const cipher = createCipheriv(ALGORITHM, secret, iv);
	const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
	return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString('base64url');
}

function opened(text: string, key: string): Progress | undefined {
	const bytes = Buffer.from(text, 'base64url');
	const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
	try {
		const decipher = createDecipheriv(ALGORITHM, Buffer.from(key, 'base64'), iv, {
			authTagLength: TAG_BYTES,
		});
		decipher.setAuthTag(tag);
		const content = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
		return jsonIn(content.toString('utf8')) as Progress;
	} catch {
		return undefined;
	}
}
