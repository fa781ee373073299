import type { INodeProperties } from 'n8n-workflow';

/** A text field, empty at first; its other properties follow. */
export const textField = (
	displayName: string,
	name: string,
	more: Partial<INodeProperties>,
): INodeProperties => ({ displayName, name, type: 'string', default: '', ...more });

/**
 * A notice between the fields.
 * @param displayOptions where it is shown; without them, everywhere
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

/** The Options of an operation: each is there once it was added. */
export const optionsField = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options,
});

/**
 * A form with any number of entries, which can be sorted.
 * @param add the label of its button
 */
export const several = (add: string): Pick<INodeProperties, 'typeOptions' | 'placeholder'> => ({
	typeOptions: { multipleValues: true, multipleValueButtonText: add, sortable: true },
	placeholder: add,
});
