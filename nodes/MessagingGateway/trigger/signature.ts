import { createHmac, timingSafeEqual } from 'node:crypto';

const PREFIX = 'sha256=';

/**
 * Whether `header` (X-Hub-Signature-256) is the signature that `secret` gives these very bytes.
 * Compared in constant time, so that an answer's delay says nothing about the right one.
 */
export function isSignedWith(secret: string, rawBody: Buffer, header: string | undefined): boolean {
	if (!header?.startsWith(PREFIX)) return false;
	const given = Buffer.from(header.slice(PREFIX.length), 'hex');
	const right = createHmac('sha256', secret).update(rawBody).digest();
	return given.length === right.length && timingSafeEqual(given, right);
}
