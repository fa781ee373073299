import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { LIMITS, atMost, distinct, filled, refuse, within } from '../../../limits';
import { textOf, type Content } from './content';
import { bodyField, frame, idOrTitle } from './interactive';
import { windowNotice } from './windowNotice';

interface Section {
	title?: unknown;
	rows?: { row?: Row[] };
}

interface Row {
	title?: unknown;
	description?: unknown;
	id?: unknown;
}

export const list: Content = {
	value: 'list',
	name: 'List',
	description: 'A text with a button that opens a list of up to ten rows to choose from',
	fields: [
		windowNotice,
		bodyField,
		{
			displayName: 'Button Label',
			name: 'listButton',
			type: 'string',
			default: 'Choose',
			required: true,
			placeholder: 'e.g. See times',
			description: 'What the contact reads on the button that opens the list, up to 20 characters',
		},
		{
			displayName: 'Sections',
			name: 'sections',
			type: 'fixedCollection',
			typeOptions: {
				multipleValues: true,
				multipleValueButtonText: 'Add Section',
				sortable: true,
			},
			default: { section: [{ title: '', rows: { row: [{ title: '', description: '', id: '' }] } }] },
			placeholder: 'Add Section',
			description: 'The groups of the list; one is enough. At most 10 rows in all sections together.',
			options: [
				{
					displayName: 'Section',
					name: 'section',
					values: [
						{
							displayName: 'Title',
							name: 'title',
							type: 'string',
							default: '',
							placeholder: 'e.g. Morning',
							description:
								'Heading above its rows, up to 24 characters. Needed when there are several sections.',
						},
						{
							displayName: 'Rows',
							name: 'rows',
							type: 'fixedCollection',
							typeOptions: {
								multipleValues: true,
								multipleValueButtonText: 'Add Row',
								sortable: true,
							},
							default: {},
							placeholder: 'Add Row',
							description: 'What can be chosen in this section',
							options: [
								{
									displayName: 'Row',
									name: 'row',
									values: [
										{
											displayName: 'Title',
											name: 'title',
											type: 'string',
											default: '',
											required: true,
											placeholder: 'e.g. 9 to 10',
											description: 'What the contact reads and chooses, up to 24 characters',
										},
										{
											displayName: 'Description',
											name: 'description',
											type: 'string',
											default: '',
											placeholder: 'e.g. Two places left',
											description: 'Small text below the title, up to 72 characters. May stay empty.',
										},
										{
											displayName: 'Reply ID',
											name: 'id',
											type: 'string',
											default: '',
											placeholder: 'e.g. slot_9',
											description:
												'What the Trigger gives you as replyId when the row is chosen. Empty: the same as the title.',
										},
									],
								},
							],
						},
					],
				},
			],
		},
	],

	build(itemIndex, options) {
		const { section: entered = [] } = this.getNodeParameter('sections', itemIndex, {}) as {
			section?: Section[];
		};
		const rowCount = entered.reduce((sum, { rows }) => sum + (rows?.row?.length ?? 0), 0);
		if (rowCount === 0) {
			refuse(this, itemIndex, 'The list has no rows', 'Add a section, and one to ten rows in it.');
		}
		atMost(this, itemIndex, 'sections', entered.length, LIMITS.sections);
		atMost(this, itemIndex, 'rows in all sections together', rowCount, LIMITS.rows);

		const label = textOf(this.getNodeParameter('listButton', itemIndex));
		const button = filled(this, itemIndex, 'Button Label', label, LIMITS.listButton);
		const sections = entered.map((section, index) => {
			const place = `section ${index + 1}`;
			const title = textOf(section.title).trim();
			if (title === '' && entered.length > 1) {
				refuse(
					this,
					itemIndex,
					`The title of ${place} is empty`,
					'Every section needs a title as soon as there are several.',
				);
			}
			const rows = section.rows?.row ?? [];
			if (rows.length === 0) {
				refuse(this, itemIndex, `There are no rows in ${place}`, 'Add a row to it, or remove the section.');
			}
			within(this, itemIndex, `Title of ${place}`, title, LIMITS.sectionTitle);
			return {
				...(title !== '' && { title }),
				rows: rows.map((row, rowIndex) => toRow(this, itemIndex, row, `row ${rowIndex + 1} in ${place}`)),
			};
		});
		const ids = sections.flatMap(({ rows }) => rows.map(({ id }) => String(id)));
		distinct(this, itemIndex, 'reply IDs', ids);

		return {
			type: 'interactive',
			interactive: { type: 'list', ...frame(this, itemIndex, options), action: { button, sections } },
		};
	},
};

function toRow(context: IExecuteFunctions, itemIndex: number, row: Row, place: string): IDataObject {
	const title = filled(context, itemIndex, `Title of ${place}`, textOf(row.title), LIMITS.rowTitle);
	const description = textOf(row.description).trim();
	within(context, itemIndex, `Description of ${place}`, description, LIMITS.rowDescription);
	const id = within(context, itemIndex, `Reply ID of ${place}`, idOrTitle(row.id, title), LIMITS.rowId);
	return { id, title, ...(description !== '' && { description }) };
}
