import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { inBothSpellings } from '../../json';

/** Fields that Simplify keeps, by the gateway's names. */
const ESSENTIALS = [
	'name',
	'language',
	'category',
	'status',
	'quality_score',
	'header',
	'body',
	'footer',
	'buttons',
	'variables',
];

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

export const essentials = (template: IDataObject): IDataObject =>
	inBothSpellings(Object.fromEntries(ESSENTIALS.map((name) => [name, template[name]])), 0);
