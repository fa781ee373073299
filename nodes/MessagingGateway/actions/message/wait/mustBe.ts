import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { textField } from '../../../fields';
import type { Item } from '../../../item';
import { characters, LIMITS } from '../../../limits';
import { listed } from '../../../texts';
import { interactive } from '../content/interactive';
import type { Reply } from './reply';
import type { Step } from './question';
import { choiceIn, dateIn, emailIn, numberIn, type DateReading } from './understood';

/** The required kind of an answer in the contact's own words, or of a file. */
export interface MustBe extends IDataObject {
	kind: string;
	/** The entered choices, if the answer must be one of them. */
	choices?: string[];
	/** Whether the question shows the choices as a numbered list instead of buttons. */
	isNumbered?: boolean;
}

/** Reads the value of an answer; undefined if the answer is not accepted. */
type Reading = (reply: Reply, dates: DateReading, mustBe: MustBe) => unknown;

const ofText =
	(read: (text: string, reply: Reply, dates: DateReading, mustBe: MustBe) => unknown): Reading =>
	(reply, dates, mustBe) => {
		const words = reply.kind === 'text' ? reply.text : reply.replyTitle;
		return words?.trim() ? read(words.trim(), reply, dates, mustBe) : undefined;
	};

const ofFile =
	(...kinds: string[]): Reading =>
	({ kind = '', media }) =>
		kinds.includes(kind) && media ? media : undefined;

interface AnswerKind {
	name: string;
	value: string;
	description: string;
	/** Returns the value of the answer; undefined if it is not accepted. */
	read: Reading;
}

const isPicture = ({ kind, media }: Reply): boolean =>
	kind === 'document' && String(media?.mimeType).startsWith('image/');

const KINDS: AnswerKind[] = [
	{
		name: 'Date',
		value: 'date',
		description: 'Such as 31/3/2027, 31 March 2027 or tomorrow. The output has it as 2027-03-31.',
		// An answer can be delivered late and more than once, so "tomorrow" counts from when it was written.
		read: ofText((text, { timestamp }, dates) =>
			dateIn(text, dates, timestamp ? new Date(timestamp) : undefined),
		),
	},
	{
		name: 'Email Address',
		value: 'email',
		description: 'An email address, with or without words around it',
		read: ofText((text) => emailIn(text)),
	},
	{
		name: 'File',
		value: 'file',
		description: 'A document, photo, video or voice message',
		read: ofFile('document', 'image', 'video', 'audio'),
	},
	{
		name: 'Number',
		value: 'number',
		description: 'Such as 1.234,5 or 1,234.5. The output has it as a number.',
		read: ofText((text, { from, fromUserId }) => numberIn(text, from ?? fromUserId ?? '')),
	},
	{
		name: 'One of the Choices',
		value: 'choice',
		description: 'The contact taps or writes one. The output has it as you entered it.',
		read: ofText((text, _reply, _dates, { choices = [], isNumbered = false }) =>
			choiceIn(text, choices, isNumbered),
		),
	},
	{
		name: 'Photo',
		value: 'photo',
		description: 'A photo, also one that is sent as a document',
		read: (reply) => (isPicture(reply) ? reply.media : ofFile('image')(reply, {} as never, {} as never)),
	},
	{
		name: 'Place',
		value: 'place',
		description: 'A location that the contact shares',
		read: ({ location }) => location ?? undefined,
	},
	{
		name: 'Text',
		value: 'text',
		description: 'Words only: no file and no place',
		read: ofText((text) => text),
	},
	{
		name: 'Voice Message',
		value: 'voice',
		description: 'A voice message or an audio file',
		read: ofFile('audio'),
	},
];

/** Text, and the kinds chosen in Also Accept. */
export const ANYTHING = 'any';

/** Every kind counts as an answer for the gateway, because the node checks the answer itself. */
export const ALL_KINDS = ['text', 'image', 'audio', 'video', 'document', 'location', 'contacts'];

const answerTypeField = (more: Partial<INodeProperties>): INodeProperties => ({
	displayName: 'Answer Must Be',
	name: 'answerType',
	type: 'options',
	default: 'text',
	description: 'What counts as an answer. For anything else, the contact is asked again.',
	options: KINDS.map(({ name, value, description }) => ({ name, value, description })),
	...more,
});

const choicesField = (
	displayName: string,
	displayOptions: INodeProperties['displayOptions'],
): INodeProperties =>
	textField(displayName, 'answerChoices', {
		displayOptions,
		required: true,
		placeholder: 'e.g. Small, Medium, Large',
		description:
			'With commas between, or one per line. Up to three of at most 20 characters are sent as buttons, others as a numbered list below the question.',
	});

const sayingField = (
	displayName: string,
	displayOptions?: INodeProperties['displayOptions'],
): INodeProperties =>
	textField(displayName, 'saying', {
		...(displayOptions && { displayOptions }),
		placeholder: 'e.g. Please write only the number, such as 250.',
		description: 'What the contact reads if the answer does not fit. Empty: the question again.',
	});

const askAgainField = (displayOptions: INodeProperties['displayOptions']): INodeProperties => ({
	displayName: 'Ask Again (Times)',
	name: 'askAgain',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 10 },
	default: 2,
	displayOptions,
	description:
		'How many times to ask again if an answer does not fit. After that the workflow continues, with answered set to false and reason set to notUnderstood.',
});

const checked = { show: { responseType: ['freeText'] }, hide: { answerType: [ANYTHING] } };

/** The fields for the check of one free-text question. */
export const mustBeFields: INodeProperties[] = [
	answerTypeField({
		default: ANYTHING,
		displayOptions: { show: { responseType: ['freeText'] } },
		options: [
			{
				name: 'Anything',
				value: ANYTHING,
				description: 'Any text, and the kinds that you choose in Also Accept',
			},
			...KINDS.map(({ name, value, description }) => ({ name, value, description })),
		],
	}),
	choicesField('Choices', { show: { responseType: ['freeText'], answerType: ['choice'] } }),
	askAgainField(checked),
	sayingField('Saying', checked),
];

/** The form for several questions with their checks. */
export const questionsField: INodeProperties = {
	displayName: 'Questions',
	name: 'questions',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Question', sortable: true },
	placeholder: 'Add Question',
	default: { question: [{ name: '', message: '', answerType: 'text' }] },
	description: 'Each is sent when the one before it is answered',
	displayOptions: { show: { responseType: ['questions'] } },
	options: [
		{
			displayName: 'Question',
			name: 'question',
			values: [
				// n8n's linter requires alphabetical order. These labels are chosen so that it matches the order of
				// filling them in.
				textField('Ask', 'message', {
					required: true,
					placeholder: 'e.g. When were you born?',
					description: 'What the contact reads, up to 4096 characters',
				}),
				textField('Field Name', 'name', {
					required: true,
					placeholder: 'e.g. birthday',
					description: 'The name of this answer in the output, under answers',
				}),
				answerTypeField({ displayName: 'Must Be' }),
				choicesField('One Of', { show: { answerType: ['choice'] } }),
				sayingField('Reply If It Does Not Fit'),
			],
		},
	],
};

export const askAgainOfQuestions = askAgainField({ show: { responseType: ['questions'] } });

export const datesField: INodeProperties = {
	displayName: 'Dates Are Written',
	name: 'dateOrder',
	type: 'options',
	default: 'dayFirst',
	description: 'How to read a date such as 04/05/2027',
	displayOptions: { show: { '/responseType': ['freeText', 'questions'] } },
	options: [
		{ name: 'Day First', value: 'dayFirst', description: '04/05/2027 is 4 May' },
		{ name: 'Month First', value: 'monthFirst', description: '04/05/2027 is April 5' },
	],
};

/** Returns the value of an answer; undefined if it is not accepted. */
export function valueOf(mustBe: MustBe, reply: Reply, dates: DateReading): unknown {
	return KINDS.find(({ value }) => value === mustBe.kind)?.read(reply, dates, mustBe);
}

/**
 * A question with a checked answer, in the platform's format, and the message for an answer that is not
 * accepted.
 */
export function checkedQuestion(
	item: Item,
	{
		field,
		message,
		kind,
		choices,
		saying,
	}: Record<'field' | 'message' | 'kind' | 'choices' | 'saying', string>,
): Pick<Step, 'message' | 'again' | 'mustBe' | 'taps'> {
	const text = (body: string, of = field) => ({
		type: 'text',
		text: { body: item.filled(of, body, LIMITS.text) },
	});
	const sayingOr = (say: (body: string, of?: string) => IDataObject, question: IDataObject) =>
		saying.trim() === '' ? question : say(saying, 'Saying');
	if (kind !== 'choice') {
		const question = text(message);
		return { message: question, again: sayingOr(text, question), mustBe: { kind }, taps: [] };
	}

	const entered = listed(choices);
	if (entered.length < 2) {
		item.refuse(
			`Choices of ${field} holds fewer than two`,
			'Enter them with commas between, such as: Yes, No.',
		);
	}
	item.distinct('choices', entered);
	if (entered.length > LIMITS.buttons || entered.some((one) => characters(one) > LIMITS.buttonTitle)) {
		const lines = entered.map((choice, index) => `${index + 1}. ${choice}`).join('\n');
		const question = text(`${item.entered(field, message)}\n\n${lines}`);
		const mustBe = { kind, choices: entered, isNumbered: true };
		return { message: question, again: sayingOr(text, question), mustBe, taps: [] };
	}
	const buttons = entered.map((title) => ({ type: 'reply', reply: { id: title, title } }));
	const asked = (body: string, of = field) =>
		interactive('button', { body: { text: item.filled(of, body, LIMITS.body) } }, { buttons });
	const question = asked(message);
	return {
		message: question,
		again: sayingOr(asked, question),
		mustBe: { kind, choices: entered },
		taps: entered,
	};
}
