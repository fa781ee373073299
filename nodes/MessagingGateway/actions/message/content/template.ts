import type { IDataObject, IExecuteFunctions, ResourceMapperValue } from 'n8n-workflow';

import { refuse } from '../../../limits';
import { templateKey } from '../../../templates';
import { componentsOf, isVariableId } from '../../../templateVariables';
import { textOf, type Content } from './content';

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
			displayOptions: { hide: { '/template.value': [''] } },
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
					// The form's own notice says why there are none; n8n would add an error to it.
					hideNoDataError: true,
				},
			},
		},
		{
			displayName:
				"Columns are named as the template's own variables, or <i>body-1</i>, <i>body-2</i> … where it only numbers them. Others: <i>header-1</i>, <i>header-image-link</i>; <i>button-0-url</i>, <i>button-0-code</i>, <i>button-0-payload</i>, where 0 is the first button.",
			name: 'columnsNotice',
			type: 'notice',
			displayOptions: { show: { '/templateVariables.mappingMode': ['autoMapInputData'] } },
			default: '',
		},
	],

	build(itemIndex) {
		const chosen = this.getNodeParameter('template', itemIndex, '', { extractValue: true });
		const beside = this.getNodeParameter('templateLanguage', itemIndex, 'en_US');
		const { name, language } = templateKey(textOf(chosen), textOf(beside));
		if (name === '') {
			refuse(this, itemIndex, 'No template is chosen', 'Choose a template From List, or enter its name.');
		}
		if (language === '') {
			refuse(
				this,
				itemIndex,
				'Language Code is empty',
				'Enter the language in which the template was approved, such as en_US.',
			);
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
		const text = textOf(source[id]);
		const field = schema.find((entry) => entry.id === id);
		if (text.trim() !== '') filledIn[id] = text;
		else if (field?.required ?? !automatic) {
			refuse(
				context,
				itemIndex,
				`The variable "${field?.displayName ?? id}" is empty`,
				automatic
					? `The item has no value in a column named ${id}. Add one, or set Mapping Column Mode to Map Each Column Manually.`
					: 'Enter a value for it, or check the expression that fills it.',
			);
		}
	}
	return filledIn;
}
