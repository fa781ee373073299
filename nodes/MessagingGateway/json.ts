import type { IDataObject } from 'n8n-workflow';

export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON value of a text; undefined if it is invalid: the caller reports that in a sentence. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/**
 * The fields of an answer of the gateway, those with an underscore also as the nodes spell them: `phone_number` and
 * `phoneNumber`. Objects directly in it are treated alike.
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
