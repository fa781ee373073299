import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

/** Clocks differ, and requests take time; an older signature may have been captured and sent again. */
const MOST_MINUTES_AWAY = 5;

/**
 * The fault of the signature of these bytes, in a sentence; null if one of the secrets has signed them. The
 * gateway signs each event twice: by Standard Webhooks, and like the messaging platform (X-Hub-
 * Signature-256). Only the first counts: it covers the id and the time, and an event that was captured long
 * ago would pass with the second.
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

/** https://www.standardwebhooks.com: `v1,` and base64, possibly several, over id, time and bytes. */
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

/** In constant time, so that an answer's delay says nothing about the right one. */
const isSame = (right: Buffer, given: Buffer): boolean =>
	given.length === right.length && timingSafeEqual(given, right);
