import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

/** Allows for clock differences and slow requests; an older signature may be a replayed one. */
const MOST_MINUTES_AWAY = 5;

/**
 * Returns the fault of a signature as a sentence; null if one of the secrets signed the bytes. The gateway
 * signs each event by Standard Webhooks and by X-Hub-Signature-256. Only the first is checked: it covers id
 * and time, so a captured event cannot be replayed later.
 */
export function faultOfSignature(secrets: string[], rawBody: Buffer, headers: IDataObject): string | null {
	if (!secrets.some((secret) => isSigned(secret, rawBody, headers))) {
		return 'The signature is missing or wrong; the event was not accepted.';
	}
	const minutesAway = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) / 60;
	return minutesAway <= MOST_MINUTES_AWAY
		? null
		: `The event was signed more than ${MOST_MINUTES_AWAY} minutes before or after the time of this n8n; it was not accepted. Set the clocks of the gateway and of n8n right.`;
}

/** https://www.standardwebhooks.com: one or more entries of `v1,` and base64, over id, time and bytes. */
function isSigned(secret: string, rawBody: Buffer, headers: IDataObject): boolean {
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

/** Compares in constant time, so that the response time reveals nothing about the correct signature. */
const isSame = (right: Buffer, given: Buffer): boolean =>
	given.length === right.length && timingSafeEqual(given, right);
