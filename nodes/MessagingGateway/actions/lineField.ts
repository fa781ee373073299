import type { INodeProperties } from 'n8n-workflow';

/** Selects a line of a token of several lines. `lineOf` reads it. */
export const lineField: INodeProperties = {
	displayName: 'Line',
	name: 'line',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description:
		'The line to use, such as the number that sends the message. Leave it empty to use the line of the credential. With an expression, each item names its own line.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Line of the credential',
			typeOptions: { searchListMethod: 'searchLines', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 106540352242922',
			hint: 'The phone number ID, or the number of the line in the gateway',
		},
	],
};
