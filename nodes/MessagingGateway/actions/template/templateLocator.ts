import type { INodeProperties } from 'n8n-workflow';

import { textField } from '../../fields';

/** Selects a template from a list or by name. A name needs the language in a second field. */
export const templateLocator: INodeProperties[] = [
	{
		displayName: 'Template',
		name: 'template',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: 'The template to get',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a template...',
				typeOptions: { searchListMethod: 'searchAllTemplates', searchable: true },
			},
			{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. order_update' },
		],
	},
	textField('Language Code', 'templateLanguage', {
		displayOptions: { show: { '/template.mode': ['name'] } },
		default: 'en_US',
		required: true,
		placeholder: 'e.g. pt_BR',
		description: 'The language of the template: the same name may exist in several',
	}),
];
