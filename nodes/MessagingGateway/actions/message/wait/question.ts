import { updateDisplayOptions, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { LIMITS } from '../../../limits';
import type { Template } from '../../../templates/templates';
import { buttonFields, buttonsIn, repliesOf } from '../content/buttons';
import { frameAround, interactive } from '../content/interactive';
import { listButton, listFields, sectionsIn } from '../content/list';
import type { SendOptions } from '../options';
import { hasFallback } from '../fallback';
import {
	ALL_KINDS,
	ANYTHING,
	askAgainOfQuestions,
	checkedQuestion,
	mustBeFields,
	questionsField,
	type MustBe,
} from './mustBe';

/** `approval` is n8n's own word, which its human-in-the-loop tools need. */
export type ResponseType = 'approval' | 'buttons' | 'freeText' | 'list' | 'questions';

/** One possible answer by a tap. */
export interface Choice extends IDataObject {
	/** The ID of the answer in the workflow. */
	id: string;
	title: string;
}

/** One message that waits for an answer. */
export interface Step extends IDataObject {
	/** The output field of the answer, if there are several questions. */
	name?: string;
	/** `type` and the object named after it. */
	message: IDataObject;
	/** Kinds of message that count as the answer, by the gateway's names. */
	accepts: string[];
	/** IDs of the buttons or rows. */
	taps: string[];
	/** The check of the answer, and the message if the answer is not accepted. */
	mustBe?: MustBe;
	again?: IDataObject;
}

export interface Question {
	responseType: ResponseType;
	/** For free text: other kinds of messages that count as the answer. */
	alsoAccept?: string[];
	/** Empty for free text. */
	choices: Choice[];
	/**
	 * Questions in the order in which they are asked. Their buttons and rows carry the IDs that the workflow
	 * uses.
	 */
	steps: [Step, ...Step[]];
	/** For a gateway that does not support questions; undefined if such a gateway cannot ask this one. */
	oldWay?: {
		/** The same message with other button or row IDs. */
		message: (ids: string[]) => IDataObject;
		/** The longest ID that a button or row can have. */
		longestId: number;
	};
}

/** Kinds of answers besides text, by the trigger's names. */
const acceptedField: INodeProperties = {
	displayName: 'Also Accept',
	name: 'alsoAccept',
	type: 'multiOptions',
	default: [],
	displayOptions: { show: { responseType: ['freeText'], answerType: [ANYTHING] } },
	description:
		'What counts as an answer beside text. The output has the kind in answerKind, and the file as media or the place as location.',
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
		displayOptions: { hide: { responseType: ['questions'] } },
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
				description: 'Any text; a voice message, a picture or a place too if you like',
			},
			{ name: 'List', value: 'list', description: 'One of up to ten rows' },
			{
				name: 'Several Questions',
				value: 'questions',
				description: 'One question after the other; each answer is a field of the output',
			},
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
	...mustBeFields,
	acceptedField,
	questionsField,
	askAgainOfQuestions,
];

/** Builds the question and checks its limits. */
export function questionOf(item: Item, options: SendOptions): Question {
	const responseType = item.parameter('responseType', 'approval') as ResponseType;
	switch (responseType) {
		case 'freeText':
			return inOwnWords(item);
		case 'questions':
			return { responseType, choices: [], steps: severalSteps(item) };
		case 'list': {
			const sections = sectionsIn(item);
			const choices = sections
				.flatMap(({ rows }) => rows)
				.map(({ id, title }) => ({ id: String(id), title: String(title) }));
			const action = (ids: string[]) => {
				const next = ids.values();
				const withIds = sections.map((section) => ({
					...section,
					rows: section.rows.map((row) => ({ ...row, id: next.next().value })),
				}));
				return { button: listButton(item), sections: withIds };
			};
			return tapped(item, options, { responseType, choices, type: 'list', action, longestId: LIMITS.rowId });
		}
		default: {
			const choices = repliesOf(item, responseType === 'approval' ? approval(item) : buttonsIn(item));
			const action = (ids: string[]) => ({
				buttons: choices.map(({ title }, index) => ({ type: 'reply', reply: { id: ids[index], title } })),
			});
			return tapped(item, options, {
				responseType,
				choices,
				type: 'button',
				action,
				longestId: LIMITS.buttonId,
			});
		}
	}
}

function tapped(
	item: Item,
	options: SendOptions,
	{
		type,
		action,
		longestId,
		...of
	}: Pick<Question, 'responseType' | 'choices'> & {
		type: 'button' | 'list';
		action: (ids: string[]) => IDataObject;
		longestId: number;
	},
): Question {
	const around = frameAround(item, ['Message', item.text('message')], options);
	const message = (ids: string[]) => interactive(type, around, action(ids));
	const taps = of.choices.map(({ id }) => id);
	// A fallback template answers with buttons, even if it replaces a list.
	const accepts = type === 'list' && hasFallback(item) ? ['button', 'list'] : [type];
	return { ...of, steps: [{ message: message(taps), accepts, taps }], oldWay: { message, longestId } };
}

function inOwnWords(item: Item): Question {
	const responseType = 'freeText';
	const field = 'Message';
	const kind = item.text('answerType') || ANYTHING;
	const message = item.text('message');
	if (kind !== ANYTHING) {
		const asked = { field, message, kind, choices: item.text('answerChoices'), saying: item.text('saying') };
		return { responseType, choices: [], steps: [checkedStep(item, asked)] };
	}
	const text = { type: 'text', text: { body: item.filled(field, message, LIMITS.text) } };
	const alsoAccept = item.parameter('alsoAccept', []) as string[];
	const steps: Question['steps'] = [{ message: text, accepts: ['text', ...alsoAccept], taps: [] }];
	const oldWay = { message: () => text, longestId: LIMITS.buttonId };
	return { responseType, alsoAccept, choices: [], steps, oldWay };
}

/** The gateway must accept every kind, because the node checks the answer itself. */
function checkedStep(item: Item, of: Parameters<typeof checkedQuestion>[1]): Step {
	const step = checkedQuestion(item, of);
	return { ...step, accepts: step.taps.length > 0 ? [...ALL_KINDS, 'button'] : ALL_KINDS };
}

function severalSteps(item: Item): Question['steps'] {
	const { question = [] } = item.parameter('questions', {}) as { question?: IDataObject[] };
	const steps = question.map(({ name, message, answerType, answerChoices, saying }, index): Step => {
		const field = `Question ${index + 1}`;
		const outputField = item.entered(`Field Name of question ${index + 1}`, textOf(name)).trim();
		const asked = { message: textOf(message), choices: textOf(answerChoices), saying: textOf(saying) };
		const kind = textOf(answerType) || 'text';
		return { name: outputField, ...checkedStep(item, { field, kind, ...asked }) };
	});
	const [first, ...others] = steps;
	if (!first)
		return item.refuse('There are no questions', 'Add a question, or choose another Response Type.');
	item.distinct(
		'field names',
		steps.map(({ name = '' }) => name),
	);
	return [first, ...others];
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

/** Returns the payloads of the template's quick replies: the choices, in order. */
export function payloadsOf(
	item: Item,
	template: Template | undefined,
	ids: string[],
): Record<string, string> {
	const count = ids.length;
	const places = (template?.buttons ?? []).flatMap(({ type }, index) =>
		type.toUpperCase() === 'QUICK_REPLY' ? [index] : [],
	);
	if (places.length < count) {
		item.refuse(
			`The template for outside the window has ${places.length} quick ${places.length === 1 ? 'reply' : 'replies'}, and ${count} answers are possible`,
			'Choose a template with a quick reply for each answer, in the same order, or set Outside the 24 Hours to Fail.',
		);
	}
	return Object.fromEntries(ids.map((id, index) => [`button-${places[index]}-payload`, id]));
}
