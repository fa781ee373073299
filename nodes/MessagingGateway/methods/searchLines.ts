import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';

import { gatewayOf, isOfSeveralLines } from '../line';
import { linesOfToken } from '../tokenLines';

/**
 * Returns the lines of the credential's token for the field Lines, which asks whenever the panel opens. Empty
 * for the token of one line.
 */
export async function getLines(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const { credential } = await gatewayOf.call(this);
	if (!isOfSeveralLines(credential)) return [];
	const { results } = await searchLines.call(this);
	return results;
}

/** Searches the lines of the credential's token by name, phone number or phone number ID. */
export async function searchLines(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
	const wanted = filter.trim().toLowerCase();
	const lines = await linesOfToken.call(this);
	const found = lines.filter((line) => {
		const { name, phone_number: number, phone_number_id: id } = line;
		return `${name} ${number} ${number.replace(/\D/g, '')} ${id}`.toLowerCase().includes(wanted);
	});
	const results = found.map((line) => ({
		name: `${line.name} (${line.phone_number})`,
		value: line.phone_number_id,
	}));
	return { results: results.sort((one, other) => one.name.localeCompare(other.name)) };
}
