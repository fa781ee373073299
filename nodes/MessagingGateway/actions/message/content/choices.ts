import { type IDataObject, type INodeProperties } from 'n8n-workflow';

import { textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { jsonIn } from '../../../json';
import { capital } from '../../../texts';

/** A button or a list row, from the form or from the data. */
export interface Choice {
	title?: unknown;
	id?: unknown;
	description?: unknown;
	/** The section heading; lists only. */
	section?: unknown;
}

/** The source of the choices. */
type Source = 'form' | 'items' | 'array';

const fromData = { show: { choicesFrom: ['items', 'array'] } };

/**
 * The fields that select the source of buttons or rows: a form, all incoming items, or an array in a field.
 * @param one singular noun: "button" or "row"
 * @param form the form, with its own display options
 */
export function choiceFields(
	one: string,
	form: INodeProperties,
	more: INodeProperties[] = [],
): INodeProperties[] {
	const several = `${one}s`;
	const field = (displayName: string, name: string, description: string): INodeProperties =>
		textField(displayName, name, {
			displayOptions: fromData,
			default: name.replace('Field', ''),
			description,
		});
	return [
		{
			displayName: `${capital(several)} From`,
			name: 'choicesFrom',
			type: 'options',
			default: 'form',
			noDataExpression: true,
			description: `Where the ${several} come from`,
			options: [
				{
					name: 'All Input Items',
					value: 'items',
					description: `Every item that comes in becomes a ${one} of one message, which goes to the contact of the first item`,
				},
				{
					name: 'Array in the Item',
					value: 'array',
					description: `Each element of an array, such as the result of a search, becomes a ${one}`,
				},
				{ name: 'Entered Below', value: 'form', description: `You enter the ${several} yourself` },
			],
		},
		{ ...form, displayOptions: { show: { choicesFrom: ['form'] } } },
		textField('Array', 'choicesArray', {
			displayOptions: { show: { choicesFrom: ['array'] } },
			required: true,
			placeholder: 'e.g. {{ $json.times }}',
			description:
				'The array; drag it here from the input. Its elements are objects, or plain texts that become the titles.',
		}),
		field(
			'Title Field',
			'titleField',
			`The field of the data that holds what the contact reads on the ${one}`,
		),
		field(
			'Reply ID Field',
			'idField',
			'The field of the data that holds what the Trigger gives you as replyId. Without a value it is the title.',
		),
		...more.map((property) => ({ ...property, displayOptions: fromData })),
	];
}

/**
 * Whether all incoming items form one message, as its buttons or rows.
 * @param typeField name of the field that selects buttons, a list or another type
 */
export const madeOfAllItems = (first: Item, typeField: string): boolean =>
	['buttons', 'list'].includes(first.text(typeField)) && sourceOf(first) === 'items';

const sourceOf = (item: Item): Source => item.parameter('choicesFrom', 'form') as Source;

/** The choices from the data, or undefined if they are entered in the form. */
export function choicesFromData(item: Item): Choice[] | undefined {
	const source = sourceOf(item);
	if (source === 'form') return undefined;
	const elements = source === 'items' ? item.context.getInputData().map(({ json }) => json) : arrayOf(item);
	const names = {
		title: item.text('titleField'),
		id: item.text('idField'),
		description: item.text('descriptionField'),
		section: item.text('sectionField'),
	};
	return elements.map((element) => {
		if (typeof element !== 'object' || element === null) return { title: element };
		const data = element as IDataObject;
		return {
			title: data[names.title],
			id: data[names.id],
			...(names.description !== '' && { description: data[names.description] }),
			...(names.section !== '' && { section: data[names.section] }),
		};
	});
}

function arrayOf(item: Item): unknown[] {
	const given = item.parameter('choicesArray', '') as unknown;
	const array = typeof given === 'string' ? jsonIn(given) : given;
	if (!Array.isArray(array)) {
		const shown = typeof given === 'object' && given ? JSON.stringify(given) : textOf(given);
		item.refuse(
			`Array holds no array but ${shown.trim() === '' ? 'nothing' : `"${shown.slice(0, 40)}"`}`,
			'Drag a field that holds several values here, or enter an array such as ["Today", "Tomorrow"].',
		);
	}
	return array;
}
