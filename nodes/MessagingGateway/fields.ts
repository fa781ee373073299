import type { INodeProperties } from 'n8n-workflow';

/** A text field that is empty by default; `more` overrides other properties. */
export const textField = (
	displayName: string,
	name: string,
	more: Partial<INodeProperties>,
): INodeProperties => ({ displayName, name, type: 'string', default: '', ...more });

/**
 * A notice between the fields.
 * @param displayOptions when to show it; default: always
 */
export const notice = (
	name: string,
	words: string,
	displayOptions?: INodeProperties['displayOptions'],
): INodeProperties => ({
	displayName: words,
	name,
	type: 'notice',
	default: '',
	...(displayOptions && { displayOptions }),
});

/** The Options field of an operation. People add each option separately. */
export const optionsField = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options,
});

/**
 * Properties of a form with any number of entries, which can be sorted.
 * @param add label of the button
 */
export const several = (add: string): Pick<INodeProperties, 'typeOptions' | 'placeholder'> => ({
	typeOptions: { multipleValues: true, multipleValueButtonText: add, sortable: true },
	placeholder: add,
});
