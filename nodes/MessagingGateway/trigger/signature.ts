import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

/**
 * Whether one of the secrets has signed these very bytes. The gateway signs each event twice: as the messaging platform
 * does (X-Hub-Signature-256), and by Standard Webhooks. Either will do: while a secret is being exchanged for
 * another, only the second family carries both signatures.
 */
export const isSignedByOneOf = (secrets: string[], rawBody: Buffer, headers: IDataObject): boolean =>
	secrets.some(
		(secret) =>
			isSignedWith(secret, rawBody, headers['x-hub-signature-256']) || isStandard(secret, rawBody, headers),
	);

const PREFIX = 'sha256=';

function isSignedWith(secret: string, rawBody: Buffer, header: unknown): boolean {
	if (typeof header !== 'string' || !header.startsWith(PREFIX)) return false;
	return isSame(hmac(secret, rawBody), Buffer.from(header.slice(PREFIX.length), 'hex'));
}

/** https://www.standardwebhooks.com: `v1,` and base64, of which there may be several, over id, time and bytes. */
function isStandard(secret: string, rawBody: Buffer, headers: IDataObject): boolean {
	const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers;
	if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof given !== 'string') return false;
	const key = secret.startsWith('whsec_') ? createSecretKey(secret.slice('whsec_'.length), 'base64') : secret;
	const right = hmac(key, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), rawBody]));
	return given
		.split(' ')
		.some((one) => one.startsWith('v1,') && isSame(right, Buffer.from(one.slice('v1,'.length), 'base64')));
}

const hmac = (key: string | KeyObject, bytes: Buffer): Buffer =>
	createHmac('sha256', key).update(bytes).digest();

/** In constant time, so that an answer's delay says nothing about the right one. */
const isSame = (right: Buffer, given: Buffer): boolean =>
	given.length === right.length && timingSafeEqual(given, right);
