import { updateDisplayOptions, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { LIMITS } from '../../../limits';
import type { Template } from '../../../templates/templates';
import { buttonFields, buttonsIn, repliesOf } from '../content/buttons';
import { frameAround, interactive } from '../content/interactive';
import { listButton, listFields, sectionsIn } from '../content/list';
import type { SendOptions } from '../options';
import { RESUME_LIMITS, resumeIds } from './resumeId';

/** `approval` is n8n's own word for its human-in-the-loop tools. */
export type ResponseType = 'approval' | 'buttons' | 'freeText' | 'list';

/** What can be answered. */
export interface Choice extends IDataObject {
	/** What the workflow knows the answer by. */
	id: string;
	title: string;
}

export interface Question {
	responseType: ResponseType;
	/** Of free text: what counts as the answer beside words. */
	alsoAccept?: string[];
	/** None where the contact writes what they like. */
	choices: Choice[];
	/** `type` and the object of that name. */
	message: IDataObject;
	/** For a template in the place of the message: what its quick replies carry. */
	payloads(template: Template | undefined): Record<string, string>;
}

/** What counts as an answer beside words; as the trigger calls the kinds. */
const acceptedField: INodeProperties = {
	displayName: 'Also Accept',
	name: 'alsoAccept',
	type: 'multiOptions',
	default: [],
	description:
		'What counts as the answer beside words. The output tells in answerKind what came, and holds the file as media or the place as location.',
	options: [
		{ name: 'Document', value: 'document' },
		{ name: 'Location', value: 'location' },
		{ name: 'Picture', value: 'image' },
		{ name: 'Video', value: 'video' },
		{ name: 'Voice Message', value: 'audio' },
	],
};

export const questionFields: INodeProperties[] = [
	textField('Message', 'message', {
		typeOptions: { rows: 3 },
		required: true,
		placeholder: 'e.g. May we deliver tomorrow?',
		description: 'The question, up to 1024 characters; up to 4096 where the answer is free text',
	}),
	{
		displayName: 'Response Type',
		name: 'responseType',
		type: 'options',
		noDataExpression: true,
		default: 'approval',
		description: 'How the contact answers, in the chat itself',
		options: [
			{ name: 'Approval', value: 'approval', description: 'Two buttons: one for yes, one for no' },
			{ name: 'Buttons', value: 'buttons', description: 'One of up to three buttons' },
			{
				name: 'Free Text',
				value: 'freeText',
				description:
					'Whatever the contact writes next; a voice message, a picture or a place too if you like',
			},
			{ name: 'List', value: 'list', description: 'One of up to ten rows' },
		],
	},
	{
		displayName: 'Approval Options',
		name: 'approvalOptions',
		type: 'collection',
		placeholder: 'Add option',
		displayOptions: { show: { responseType: ['approval'] } },
		default: {},
		options: [
			textField('Approve Button', 'approveLabel', {
				default: 'Approve',
				description: 'What the contact reads on the button for yes, up to 20 characters',
			}),
			textField('Decline Button', 'declineLabel', {
				default: 'Decline',
				description: 'What the contact reads on the button for no, up to 20 characters',
			}),
		],
	},
	...updateDisplayOptions({ show: { responseType: ['buttons'] } }, buttonFields),
	...updateDisplayOptions({ show: { responseType: ['list'] } }, listFields),
	...updateDisplayOptions({ show: { responseType: ['freeText'] } }, [acceptedField]),
];

/** The question as a message whose buttons or rows carry the way back to this run. */
export function questionOf(item: Item, options: SendOptions): Question {
	const responseType = item.parameter('responseType', 'approval') as ResponseType;
	const body = item.text('message');
	const asked = (choices: Choice[], type: string, action: IDataObject): Question => ({
		responseType,
		choices,
		message: interactive(type, frameAround(item, ['Message', body], options), action),
		payloads: (template) => payloadsOf(item, template, choices.length),
	});
	switch (responseType) {
		case 'freeText':
			return {
				responseType,
				alsoAccept: item.parameter('alsoAccept', []) as string[],
				choices: [],
				message: { type: 'text', text: { body: item.filled('Message', body, LIMITS.text) } },
				payloads: () => ({}),
			};
		case 'list': {
			const sections = sectionsIn(item);
			const rows = sections.flatMap((section) => section.rows);
			const choices = rows.map(({ id, title }) => ({ id: String(id), title: String(title) }));
			const ids = resumeIds(item, rows.length, RESUME_LIMITS.row).values();
			const answered = sections.map((section) => ({
				...section,
				rows: section.rows.map((row) => ({ ...row, id: ids.next().value })),
			}));
			return asked(choices, 'list', { button: listButton(item), sections: answered });
		}
		default: {
			const entered = responseType === 'approval' ? approval(item) : buttonsIn(item);
			const choices = repliesOf(item, entered);
			const ids = resumeIds(item, choices.length, RESUME_LIMITS.button);
			const buttons = choices.map(({ title }, index) => ({
				type: 'reply',
				reply: { id: ids[index], title },
			}));
			return asked(choices, 'button', { buttons });
		}
	}
}

function approval(item: Item): Choice[] {
	const { approveLabel, declineLabel } = item.parameter('approvalOptions', {}) as IDataObject;
	const title = (label: unknown, otherwise: string, field: string) =>
		item.within(field, textOf(label).trim() || otherwise, LIMITS.buttonTitle);
	return [
		{ id: 'approve', title: title(approveLabel, 'Approve', 'Approve Button') },
		{ id: 'decline', title: title(declineLabel, 'Decline', 'Decline Button') },
	];
}

/** The quick replies of a template stand for the choices in their order. */
function payloadsOf(item: Item, template: Template | undefined, count: number): Record<string, string> {
	const places = (template?.buttons ?? []).flatMap(({ type }, index) =>
		type.toUpperCase() === 'QUICK_REPLY' ? [index] : [],
	);
	if (places.length < count) {
		item.refuse(
			`The template that stands in outside the window has ${places.length} quick ${places.length === 1 ? 'reply' : 'replies'}, and ${count} answers are possible`,
			'Choose a template with a quick reply for each answer, in the same order, or set Outside the 24 Hours to Fail.',
		);
	}
	const ids = resumeIds(item, count, RESUME_LIMITS.button);
	return Object.fromEntries(ids.map((id, index) => [`button-${places[index]}-payload`, id]));
}
