import type { IDataObject, IExecuteFunctions, ResourceMapperValue } from 'n8n-workflow';

import { refuse } from '../../../limits';
import { templateKey } from '../../../templates';
import { componentsOf, isVariableId } from '../../../templateVariables';
import type { Content } from './content';

export const template: Content = {
	value: 'template',
	name: 'Template',
	description: 'A message approved beforehand; the only kind that reaches contacts at any time',
	fields: [
		{
			displayName: 'Template',
			name: 'template',
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			required: true,
			description: 'The approved template to send',
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: 'Select a template...',
					typeOptions: { searchListMethod: 'searchTemplates', searchable: true },
				},
				{
					displayName: 'By Name',
					name: 'name',
					type: 'string',
					placeholder: 'e.g. order_update',
					validation: [
						{
							type: 'regex',
							properties: {
								regex: '^\\s*[a-z0-9_]+\\s*$',
								errorMessage: 'A template name has only small letters, digits and underscores',
							},
						},
					],
				},
			],
		},
		{
			displayName: 'Language Code',
			name: 'templateLanguage',
			type: 'string',
			displayOptions: { show: { '/template.mode': ['name'] } },
			default: 'en_US',
			required: true,
			placeholder: 'e.g. pt_BR',
			description: 'The language in which the template was approved',
		},
		{
			displayName: 'Variables',
			name: 'templateVariables',
			type: 'resourceMapper',
			noDataExpression: true,
			default: { mappingMode: 'defineBelow', value: null },
			required: true,
			description: 'The values that fill the gaps of the template',
			typeOptions: {
				loadOptionsDependsOn: ['template.value', 'templateLanguage'],
				resourceMapper: {
					resourceMapperMethod: 'getTemplateVariables',
					mode: 'add',
					valuesLabel: 'Variables',
					fieldWords: { singular: 'variable', plural: 'variables' },
					addAllFields: false,
					multiKeyMatch: false,
					supportAutoMap: true,
					noFieldsError: 'Choose a template first; its variables appear here.',
				},
			},
		},
	],

	build(itemIndex) {
		const chosen = this.getNodeParameter('template', itemIndex, '', { extractValue: true });
		const beside = this.getNodeParameter('templateLanguage', itemIndex, 'en_US') as string;
		const { name, language } = templateKey(String(chosen ?? ''), beside);
		if (name === '') {
			refuse(this, itemIndex, 'No template is chosen', 'Choose a template From List, or enter its name.');
		}
		const components = componentsOf(values(this, itemIndex));
		return {
			type: 'template',
			template: { name, language: { code: language }, ...(components.length > 0 && { components }) },
		};
	},
};

/**
 * The values of the form for this item, as text. Mapped automatically, a variable takes the value of the item's
 * column that bears its id. A variable that the template needs must not be empty: the platform refuses it.
 */
function values(context: IExecuteFunctions, itemIndex: number): Record<string, string> {
	const form = context.getNodeParameter('templateVariables', itemIndex, {}) as Partial<ResourceMapperValue>;
	const schema = (form.schema ?? []).filter(({ removed }) => !removed);
	const automatic = form.mappingMode === 'autoMapInputData';
	const source: IDataObject = automatic
		? context.getInputData()[itemIndex].json
		: ((form.value ?? {}) as IDataObject);
	const ids =
		schema.length > 0
			? schema.map(({ id }) => id)
			: Object.keys(source).filter((id) => !automatic || isVariableId(id));

	const filledIn: Record<string, string> = {};
	for (const id of ids) {
		const value = source[id];
		const text = value === undefined || value === null ? '' : String(value);
		const field = schema.find((entry) => entry.id === id);
		if (text.trim() !== '') filledIn[id] = text;
		else if (field?.required ?? !automatic) {
			refuse(
				context,
				itemIndex,
				`The variable "${field?.displayName ?? id}" is empty`,
				automatic
					? `The item has no value in a column named ${id}. Add one, or set Mapping Mode to map each variable manually.`
					: 'Enter a value for it, or check the expression that fills it.',
			);
		}
	}
	return filledIn;
}
