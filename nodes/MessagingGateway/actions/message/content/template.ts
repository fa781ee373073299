import {
	type IDataObject,
	type INodeProperties,
	type INodePropertyTypeOptions,
	type ResourceMapperField,
	type ResourceMapperValue,
} from 'n8n-workflow';

import { notice, textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { isObject } from '../../../json';
import { currentTemplate, templateKey, type Template, type TemplateKey } from '../../../templates/templates';
import { componentsOf } from '../../../templates/templateComponents';
import {
	isPartOfHeader,
	isVariableId,
	variablesOf,
	type TemplateVariable,
} from '../../../templates/templateVariables';
import { type Content } from './content';
import { isFileAbove, refuseUnreadable, withDraggedFiles, withNamedFiles } from './templateValues';

/**
 * Names of the fields for a template. Two sets exist: one for the message, one for the fallback outside the
 * window.
 */
export interface TemplateFieldNames {
	template: string;
	language: string;
	variables: string;
	/** The method in the node's `methods.resourceMapping` that builds the form. */
	method: string;
	/** The field that shows the template's text, which accepts no input, and the method that fills it. */
	text: string;
	textMethod: string;
}

const MESSAGE: TemplateFieldNames = {
	template: 'template',
	language: 'templateLanguage',
	variables: 'templateVariables',
	method: 'getTemplateVariables',
	text: 'templateText',
	textMethod: 'getTemplateText',
};

/** The template picker, and the form for the selected template. */
export const templateFields = (names: TemplateFieldNames): INodeProperties[] => [
	{
		displayName: 'Template',
		name: names.template,
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
	textField('Language Code', names.language, {
		displayOptions: { show: { [`/${names.template}.mode`]: ['name'] } },
		default: 'en_US',
		required: true,
		placeholder: 'e.g. pt_BR',
		description: 'The language in which the template was approved',
	}),
	{
		displayName: 'Text',
		name: names.text,
		description: 'What the contact reads, with the gaps that Variables fills',
		...formOf(names, {
			resourceMapperMethod: names.textMethod,
			mode: 'add',
			fieldWords: { singular: 'text', plural: 'texts' },
			supportAutoMap: false,
		}),
	},
	{
		displayName: 'Variables',
		name: names.variables,
		required: true,
		description:
			'The values that fill the gaps of the template. For a picture, video or document above the text: its web address, its media ID, or the name of the input field that holds the file, such as data.',
		...formOf(names, {
			resourceMapperMethod: names.method,
			mode: 'add',
			valuesLabel: 'Variables',
			fieldWords: { singular: 'variable', plural: 'variables' },
			supportAutoMap: true,
		}),
	},
	notice(
		`${names.variables}Notice`,
		"Columns are named as the template's own variables, or <i>body-1</i>, <i>body-2</i> … where it only numbers them. Others: <i>header-1</i>, <i>header-image-link</i>; <i>button-0-url</i>, <i>button-0-code</i>, <i>button-0-payload</i>, where 0 is the first button; <i>card-0-body-1</i> for the first card of a carousel.",
		{ show: { [`/${names.variables}.mappingMode`]: ['autoMapInputData'] } },
	),
];

/** A form that n8n rebuilds for each selected template. */
const formOf = (
	{ template: chosen, language }: TemplateFieldNames,
	form: NonNullable<INodePropertyTypeOptions['resourceMapper']>,
): Omit<INodeProperties, 'displayName' | 'name'> => ({
	type: 'resourceMapper',
	noDataExpression: true,
	default: { mappingMode: 'defineBelow', value: null },
	displayOptions: { hide: { [`/${chosen}.value`]: [''] } },
	typeOptions: {
		loadOptionsDependsOn: ['line.value', `${chosen}.value`, language],
		// The form's own notice explains missing fields; without this flag, n8n would add an error.
		resourceMapper: { ...form, addAllFields: false, multiKeyMatch: false, hideNoDataError: true },
	},
});

export const template: Content = {
	value: 'template',
	name: 'Template',
	description: 'A message approved beforehand; the only kind that reaches contacts at any time',
	action: 'Send template',
	fields: templateFields(MESSAGE),

	async build(item: Item) {
		return await templateMessage(item, MESSAGE);
	},
};

/**
 * Builds the template message from the values in the form.
 * @param given values of variables that are not in the form
 */
export async function templateMessage(
	item: Item,
	names: TemplateFieldNames,
	given: (template: Template | undefined) => Record<string, string> = () => ({}),
): Promise<IDataObject> {
	const chosen = item.parameter(names.template, '', { extractValue: true });
	const beside = item.parameter(names.language, 'en_US');
	const key = templateKey(textOf(chosen), textOf(beside));
	const { name, language } = key;
	if (name === '') {
		item.refuse('No template is chosen', 'Choose a template From List, or enter its name.');
	}
	if (language === '') {
		item.refuse(
			'Language Code is empty',
			'Enter the language in which the template was approved, such as en_US.',
		);
	}
	const current = await currentTemplate(item, key);
	const { texts, files } = values(item, names, key, current);
	const filledIn = { ...texts, ...given(current) };
	refuseUnreadable(item, filledIn);
	const components = componentsOf({
		...(await withNamedFiles(item, filledIn)),
		...(await withDraggedFiles(item, files, filledIn)),
	});
	return {
		type: 'template',
		template: { name, language: { code: language }, ...(components.length > 0 && { components }) },
	};
}

/**
 * Returns the form's values for this item: text, or files from an expression. With automatic mapping, each
 * variable takes the item's column named by its id. Refuses an empty required variable, which the platform
 * would reject.
 */
function values(
	item: Item,
	names: TemplateFieldNames,
	key: TemplateKey,
	current: Template | undefined,
): { texts: Record<string, string>; files: Record<string, IDataObject> } {
	const form = item.parameter(names.variables, {}) as Partial<ResourceMapperValue>;
	const schema = form.schema ?? [];
	const automatic = form.mappingMode === 'autoMapInputData';
	const entered = automatic
		? item.context.getInputData()[item.index]?.json
		: (form.value as IDataObject | null);
	const source: IDataObject = entered ?? {};
	if (current && !automatic) refuseDrift(item, key, current, schema, Object.keys(source));

	const texts: Record<string, string> = {};
	const files: Record<string, IDataObject> = {};
	for (const { id, label, required, isSentEmpty } of fieldsOf(schema, source, automatic, current)) {
		const value = source[id];
		if (isFileAbove(id) && isObject(value)) {
			files[id] = value;
			continue;
		}
		const text = textOf(value);
		if (text.trim() !== '' || isSentEmpty) texts[id] = text;
		else if (required) {
			item.refuse(
				`The variable "${label}" is empty`,
				automatic
					? `The item has no value in a column named ${id}. Add one, or set Mapping Column Mode to Map Each Column Manually.`
					: 'Enter a value for it, or check the expression that fills it.',
			);
		}
	}
	return { texts, files };
}

/**
 * Returns the variables to fill in: from the current template, or from the form if the gateway does not list
 * the template.
 */
function fieldsOf(
	schema: ResourceMapperField[],
	source: IDataObject,
	automatic: boolean,
	current: Template | undefined,
): TemplateVariable[] {
	if (current) return variablesOf(current);
	if (schema.length > 0) {
		return schema
			.filter(({ removed }) => !removed)
			.map(({ id, displayName, required }) => ({ id, label: displayName ?? id, required }));
	}
	return Object.keys(source)
		.filter((id) => !automatic || isVariableId(id))
		.map((id) => ({ id, label: id, required: !automatic }));
}

/**
 * Refuses a form built from an earlier version of the template, which would send wrong or too few values.
 * Changed words around a variable only show a hint.
 */
function refuseDrift(
	item: Item,
	{ name }: TemplateKey,
	current: Template,
	schema: ResourceMapperField[],
	entered: string[],
): void {
	const now = variablesOf(current);
	const known = schema.length > 0 ? schema.filter(({ removed }) => !removed).map(({ id }) => id) : entered;
	const all = schema.length > 0 ? schema.map(({ id }) => id) : entered;
	const added = now.filter(({ id, required }) => required && !all.includes(id)).map(({ label }) => label);
	const gone = known.filter((id) => !now.some((variable) => variable.id === id));
	if (added.length + gone.length > 0) {
		const says = [
			added.length > 0 && `It needs ${list(added)}, which this node does not fill in.`,
			gone.length > 0 && `It no longer has ${list(gone.map((id) => labelIn(schema, id)))}.`,
		].filter(Boolean);
		item.refuse(
			`The template "${name}" is not the one that Variables was made for`,
			`${says.join(' ')} Open this node and choose the template again: its variables are then loaded anew.`,
		);
	}
	const reworded = now.find(({ id, label }) =>
		schema.some((field) => field.id === id && field.displayName !== label && !isPartOfHeader(id)),
	);
	if (reworded && item.index === 0) {
		item.context.addExecutionHints({
			message: `The words of the template "${name}" have changed since its variables were loaded: it now reads "${reworded.label}". Look whether the values still fit, and choose the template again.`,
			location: 'outputPane',
			type: 'warning',
		});
	}
}

const labelIn = (schema: ResourceMapperField[], id: string): string =>
	schema.find((field) => field.id === id)?.displayName ?? id;

const list = (labels: string[]): string => labels.map((label) => `"${label}"`).join(' and ');
