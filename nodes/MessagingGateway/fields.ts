import type { INodeProperties } from 'n8n-workflow';

/** A field that takes text, empty at first; what else is to be said of it comes behind. */
export const textField = (
	displayName: string,
	name: string,
	more: Partial<INodeProperties>,
): INodeProperties => ({ displayName, name, type: 'string', default: '', ...more });

/** Words between the fields. @param displayOptions where they stand; without it everywhere */
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

/** Of a form that holds as many of one thing as were added, in the order of the person. @param add what its button says */
export const several = (add: string): Pick<INodeProperties, 'typeOptions' | 'placeholder'> => ({
	typeOptions: { multipleValues: true, multipleValueButtonText: add, sortable: true },
	placeholder: add,
});
