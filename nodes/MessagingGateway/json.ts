import type { IDataObject } from 'n8n-workflow';

export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON; undefined if invalid, so that the caller can report it in a sentence. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/**
 * Returns the gateway's fields in both spellings, such as `phone_number` and `phoneNumber`. Includes objects
 * directly inside.
 */
export function inBothSpellings(answer: IDataObject, depth = 1): IDataObject {
	const both: IDataObject = {};
	for (const [name, given] of Object.entries(answer)) {
		const value = depth > 0 && isObject(given) ? inBothSpellings(given, depth - 1) : given;
		both[name] = value;
		both[name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())] ??= value;
	}
	return both;
}
