import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { jsonIn } from '../../../json';

/**
 * Progress of a waiting run through its questions. n8n saves no data of a run that keeps waiting, so the URL
 * for the next answer carries it. Encrypted, because it contains the contact's answers and proxies log URLs.
 */
export interface Progress extends IDataObject {
	/** Index of the open question, from 0. */
	step: number;
	/** How often the open question was asked again. */
	again: number;
	/** The earlier answers, by their output fields. */
	answers: IDataObject;
}

export const START: Progress = { step: 0, again: 0, answers: {} };

/** Creates the key of one run; n8n stores it with the run. */
export const newKey = (): string => randomBytes(32).toString('base64');

/** The longest URL that the gateway accepts. */
const LONGEST_URL = 2048;

/** Returns the URL for the next answer; undefined if the answers so far make it too long. */
export function addressWith(
	context: IExecuteFunctions | IWebhookFunctions,
	progress: Progress,
	key: string,
): string | undefined {
	const url = context.getSignedResumeUrl({ progress: sealed(progress, key) });
	return url.length > LONGEST_URL ? undefined : url;
}

/** Returns the progress in the called URL; undefined if this run did not issue the URL. */
export function progressIn(context: IWebhookFunctions, key: string): Progress | undefined {
	const { progress } = context.getQueryData() as { progress?: unknown };
	if (progress === undefined) return START;
	return typeof progress === 'string' ? opened(progress, key) : undefined;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts deterministically, so that an answer that arrives twice asks the next question once. */
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
