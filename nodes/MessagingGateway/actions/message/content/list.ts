import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { several, textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { LIMITS } from '../../../limits';
import { choiceFields, choicesFromData, type Choice } from './choices';
import { type Content } from './content';
import { bodyField, frame, idOrTitle, interactive } from './interactive';

interface Section {
	title?: unknown;
	rows?: { row?: Choice[] };
}

const listButtonField = textField('Button Label', 'listButton', {
	default: 'Choose',
	required: true,
	placeholder: 'e.g. See times',
	description: 'What the contact reads on the button that opens the list, up to 20 characters',
});

/** The form for the sections and rows of a list. */
const sectionsForm: INodeProperties = {
	displayName: 'Sections',
	name: 'sections',
	type: 'fixedCollection',
	...several('Add Section'),
	default: { section: [{ title: '', rows: { row: [{ title: '', description: '', id: '' }] } }] },
	description: 'The groups of the list; one is enough. At most 10 rows in all sections together.',
	options: [
		{
			displayName: 'Section',
			name: 'section',
			values: [
				{
					displayName: 'Rows',
					name: 'rows',
					type: 'fixedCollection',
					...several('Add Row'),
					default: {},
					description: 'What can be chosen in this section',
					options: [
						{
							displayName: 'Row',
							name: 'row',
							values: [
								textField('Title', 'title', {
									required: true,
									placeholder: 'e.g. 9 to 10',
									description: 'What the contact reads and chooses, up to 24 characters',
								}),
								textField('Description', 'description', {
									placeholder: 'e.g. Two places left',
									description: 'Small text below the title, up to 72 characters. May stay empty.',
								}),
								textField('Reply ID', 'id', {
									placeholder: 'e.g. slot_9',
									description:
										'What the Trigger gives you as replyId when the row is chosen. Empty: the same as the title.',
								}),
							],
						},
					],
				},
				textField('Heading', 'title', {
					placeholder: 'Empty for a plain list, or e.g. Morning',
					description:
						'A heading above these rows, up to 24 characters. Only needed when there are several sections.',
				}),
			],
		},
	],
};

/** The fields for the list's button label and its rows. */
export const listFields: INodeProperties[] = [
	listButtonField,
	...choiceFields('row', sectionsForm, [
		textField('Description Field', 'descriptionField', {
			default: 'description',
			description: 'The field of the data that holds the small text below the title. May be missing.',
		}),
		textField('Section Field', 'sectionField', {
			placeholder: 'e.g. category',
			description:
				'The field of the data by which the rows are grouped under headings. Leave empty for one group.',
		}),
	]),
];

export const list: Content = {
	value: 'list',
	name: 'List',
	description: 'A text with a button that opens a list of up to ten rows to choose from',
	action: 'Send list of choices',
	fields: [bodyField, ...listFields],

	build(item: Item, options) {
		return interactive('list', frame(item, options), {
			button: listButton(item),
			sections: sectionsIn(item),
		});
	},
};

export const listButton = (item: Item): string =>
	item.filled('Button Label', item.text('listButton'), LIMITS.listButton);

/** Returns the sections from the data or from the form: limits checked, missing ids filled in. */
export function sectionsIn(item: Item): Array<{ title?: string; rows: IDataObject[] }> {
	const data = choicesFromData(item);
	return sectionsOf(item, data ? grouped(data) : enteredSections(item));
}

function enteredSections(item: Item): Section[] {
	const { section = [] } = item.parameter('sections', {}) as { section?: Section[] };
	return section;
}

/** Groups the rows by section heading, in the order in which each heading first appears. */
function grouped(rows: Choice[]): Section[] {
	const sections = new Map<string, Choice[]>();
	for (const row of rows) {
		const title = textOf(row.section).trim();
		sections.set(title, [...(sections.get(title) ?? []), row]);
	}
	return [...sections].map(([title, row]) => ({ title, rows: { row } }));
}

/** Checks the limits of the sections and fills in missing ids. */
function sectionsOf(item: Item, entered: Section[]): Array<{ title?: string; rows: IDataObject[] }> {
	const rowCount = entered.reduce((sum, { rows }) => sum + (rows?.row?.length ?? 0), 0);
	if (rowCount === 0) {
		item.refuse('The list has no rows', 'Add a section, and one to ten rows in it.');
	}
	item.atMost('sections', entered.length, LIMITS.sections);
	item.atMost('rows in all sections together', rowCount, LIMITS.rows);
	const sections = entered.map((section, index) => {
		const place = `section ${index + 1}`;
		const title = textOf(section.title).trim();
		if (title === '' && entered.length > 1) {
			item.refuse(
				`The title of ${place} is empty`,
				'Every section needs a title as soon as there are several.',
			);
		}
		const rows = section.rows?.row ?? [];
		if (rows.length === 0) {
			item.refuse(`There are no rows in ${place}`, 'Add a row to it, or remove the section.');
		}
		item.within(`Title of ${place}`, title, LIMITS.sectionTitle);
		return {
			...(title !== '' && { title }),
			rows: rows.map((row, rowIndex) => toRow(item, row, `row ${rowIndex + 1} in ${place}`)),
		};
	});
	const ids = sections.flatMap(({ rows }) => rows.map(({ id }) => String(id)));
	item.distinct('reply IDs', ids);
	return sections;
}

function toRow(item: Item, row: Choice, place: string): IDataObject {
	const title = item.filled(`Title of ${place}`, textOf(row.title), LIMITS.rowTitle);
	const description = textOf(row.description).trim();
	item.within(`Description of ${place}`, description, LIMITS.rowDescription);
	const id = item.within(`Reply ID of ${place}`, idOrTitle(row.id, title), LIMITS.rowId);
	return { id, title, ...(description !== '' && { description }) };
}
