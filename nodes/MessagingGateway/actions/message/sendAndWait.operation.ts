import {
	SEND_AND_WAIT_OPERATION,
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
} from 'n8n-workflow';

import { optionsField, textField } from '../../fields';
import type { Item } from '../../item';
import type { Operation } from '../operation';
import { madeOfAllItems } from './content/choices';
import { fallbackFields } from './fallback';
import { clientReferenceField, sendOptions } from './options';
import { checkedRecipient, toField } from './recipient';
import { askByAddress, askByQuestion } from './wait/ask';
import { datesField } from './wait/mustBe';
import { questionFields, questionOf } from './wait/question';

const MINUTES = { minutes: 1, hours: 60, days: 24 * 60 };

/** n8n cannot wait longer than this. */
const LONGEST_DAYS = 365;

const timeLimitFields: INodeProperties[] = [
	{
		displayName: 'Time Limit',
		name: 'limitAmount',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 24,
		required: true,
		description:
			'How long to wait for the answer. Then the workflow continues, and the output has answered set to false. A later answer starts the Messaging Gateway Trigger, with lateAnswerTo.',
	},
	{
		displayName: 'Unit',
		name: 'limitUnit',
		type: 'options',
		noDataExpression: true,
		default: 'hours',
		description: 'The unit of the time limit',
		options: [
			{ name: 'Days', value: 'days' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Minutes', value: 'minutes' },
		],
	},
];

export const sendAndWait: Operation = {
	value: SEND_AND_WAIT_OPERATION,
	name: 'Send and Wait for Response',
	action: 'Send message and wait for response',
	description: 'Ask a contact, and continue with their answer from the chat',
	fields: [
		toField,
		...questionFields,
		...timeLimitFields,
		...fallbackFields(
			'To ask everyone else, choose a template that asks the same in <b>Outside the 24 Hours</b>.',
		),
		optionsField([
			{
				displayName: 'Also Start Triggers',
				name: 'alsoForward',
				type: 'boolean',
				default: true,
				description:
					'Whether the answer also starts workflows with a Messaging Gateway Trigger. Without this option it goes to this run only.',
			},
			clientReferenceField,
			datesField,
			textField('Footer', 'footer', {
				displayOptions: { hide: { '/responseType': ['freeText', 'questions'] } },
				placeholder: 'e.g. Reply STOP to end',
				description: 'Small text below the message, up to 60 characters',
			}),
			textField('Header Text', 'header', {
				displayOptions: { hide: { '/responseType': ['freeText', 'questions'] } },
				placeholder: 'e.g. Order 1042',
				description: 'Bold text above the message, up to 60 characters',
			}),
			{
				displayName: 'If a Question Is Open',
				name: 'ifOpen',
				type: 'options',
				default: 'replace',
				description:
					'What to do if the contact has not answered an earlier question. Without this option, approvals, buttons and lists are sent beside it, and other questions replace it.',
				options: [
					{ name: 'Fail', value: 'fail', description: 'Nothing is sent, and the node says so' },
					{
						name: 'Replace It',
						value: 'replace',
						description: 'The earlier question ends; an answer to it starts triggers, with lateAnswerTo',
					},
				],
			},
		]),
	],

	/** Whether the items are the rows of one question. */
	isForAllItems(first: Item) {
		return madeOfAllItems(first, 'responseType');
	},

	async execute(item: Item) {
		const items = item.context.getInputData();
		const isOfAll = madeOfAllItems(item, 'responseType');
		if (items.length > 1 && !isOfAll) {
			item.refuse(
				`There are ${items.length} items, and a run can wait for one answer only`,
				'Nothing was sent. Move this node into a sub-workflow, and call that for each item: put Loop Over Items before Execute Sub-workflow, and turn off Wait For Sub-Workflow Completion there. The example "reminders from a sheet" does. Or have the items be the choices of one question (Buttons From, Rows From).',
			);
		}
		const to = checkedRecipient(item);
		const seconds = secondsToWait(item);
		const question = questionOf(item, sendOptions(item));
		const ask = { to, question, seconds };
		const { waiting, ...asked } = (await askByQuestion(item, ask)) ?? (await askByAddress(item, ask));

		const asOutput = (output: IDataObject) =>
			isOfAll ? item.ofAllItems(output) : item.paired({ json: output });
		requireSignature(item.context);
		await item.context.putExecutionToWait(new Date(asked.waitsUntil));
		// n8n stores both with the run: `receiveAnswer` reads them, and the items continue after the time limit.
		item.context.getContext('node').waiting = waiting;
		items.splice(0, items.length, asOutput(asked));
		return [asOutput({ ...asked, ...(!waiting.question && { waiting }) })];
	},
};

function secondsToWait(item: Item): number {
	const amount = Number(item.parameter('limitAmount', 24));
	const unit = item.parameter('limitUnit', 'hours') as keyof typeof MINUTES;
	const minutes = amount * MINUTES[unit];
	if (!(minutes > 0) || minutes > LONGEST_DAYS * MINUTES.days) {
		item.refuse(
			'Time Limit is not a time from a minute to a year',
			'Enter how long to wait for the answer, such as 24 hours.',
		);
	}
	return minutes * 60;
}

/** n8n up to 2.40 checks the signature of the URL only if this is called; later versions always check it. */
function requireSignature(context: IExecuteFunctions): void {
	const { setSignatureValidationRequired: require } = context as {
		setSignatureValidationRequired?: () => void;
	};
	if (typeof require === 'function') require.call(context);
}
