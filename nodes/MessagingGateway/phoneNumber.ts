/**
 * A number without the 00 by which people dial abroad: no country code begins with 0. Whatever is no number with 00
 * before it stays as it is. The gateway does the same.
 */
export function withoutPrefix(contact: string): string {
	if (!/^[\d\s()+-]+$/.test(contact)) return contact;
	const [, number] = /^00([1-9]\d{6,14})$/.exec(contact.replace(/\D/g, '')) ?? [];
	return number ?? contact;
}
