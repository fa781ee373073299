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
import { fallbackFields, hasFallback, postOrFallBack } from './fallback';
import { clientReferenceField, sendOptions } from './options';
import { checkedRecipient, toField } from './recipient';
import type { Waiting } from './wait/answer';
import { listen, stopListening, triggerListens } from './wait/listen';
import { questionFields, questionOf, type Question } from './wait/question';

const MINUTES = { minutes: 1, hours: 60, days: 24 * 60 };

/** n8n keeps no timer for longer than this. */
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
			'How long to wait for the answer. After that the workflow goes on, and the output has answered set to false. A tap that comes later starts nothing.',
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
	description: 'Ask a contact, and go on with the answer that they give in the chat',
	fields: [
		toField,
		...questionFields,
		...timeLimitFields,
		...fallbackFields(
			'To ask everyone else, choose a template with the same buttons in <b>Outside the 24 Hours</b>.',
		),
		optionsField([
			clientReferenceField,
			textField('Footer', 'footer', {
				displayOptions: { hide: { '/responseType': ['freeText'] } },
				placeholder: 'e.g. Reply STOP to end',
				description: 'Small text below the message, up to 60 characters',
			}),
			textField('Header Text', 'header', {
				displayOptions: { hide: { '/responseType': ['freeText'] } },
				placeholder: 'e.g. Order 1042',
				description: 'Bold text above the message, up to 60 characters',
			}),
		]),
	],

	/** Rows that are the items themselves make one question. */
	isForAllItems(first: Item) {
		return madeOfAllItems(first, 'responseType');
	},

	async execute(item: Item) {
		const items = item.context.getInputData();
		const isOfAll = madeOfAllItems(item, 'responseType');
		if (items.length > 1 && !isOfAll) {
			item.refuse(
				`There are ${items.length} items, and a run can wait for one answer only`,
				'Nothing was sent. Move this node into a workflow of its own, and start that once per item: Loop Over Items with Batch Size 1, then Execute Sub-workflow with Wait For Sub-Workflow Completion switched off. Or have the items be the choices of one question (Buttons From, Rows From).',
			);
		}
		const to = checkedRecipient(item);
		const until = waitsUntil(item);
		const question = questionOf(item, sendOptions(item));

		const isPassedOn = question.responseType !== 'freeText' && (await triggerListens(item));
		const destinationId = isPassedOn ? null : await listen(item, until);
		let json: Waiting;
		try {
			json = await ask(item, to, question, until, destinationId);
		} finally {
			// Set only once the question is out. What kept it back is what counts: the destination ends by itself.
			if (destinationId && !json!) await stopListening(item.context, destinationId).catch(() => undefined);
		}

		const asOutput = (output: IDataObject) =>
			isOfAll ? item.ofAllItems(output) : item.paired({ json: output });
		requireSignature(item.context);
		await item.context.putExecutionToWait(until);
		// What n8n keeps for the run: `receiveAnswer` reads both, and when the time is over the items go on.
		const { waiting, ...asked } = json;
		item.context.getContext('node').waiting = waiting;
		items.splice(0, items.length, asOutput(asked));
		return [asOutput(json)];
	},
};

async function ask(
	item: Item,
	to: string,
	question: Question,
	until: Date,
	destinationId: string | null,
): Promise<Waiting> {
	const { message, payloads, responseType, alsoAccept, choices } = question;
	const { clientRef } = sendOptions(item);
	const canFallBack = hasFallback(item);
	const { sent, more, usedFallback } = await postOrFallBack(item, {
		to,
		build: () => message,
		clientRef,
		canFallBack,
		asksFirst: responseType !== 'freeText',
		given: payloads,
	});
	return {
		answered: false,
		answer: null,
		answerTitle: null,
		...(responseType === 'approval' && { approved: false }),
		...(responseType === 'freeText' && { answerKind: null, media: null, location: null }),
		from: null,
		fromUserId: null,
		name: null,
		answerMessageId: null,
		answeredAt: null,
		...sent,
		line: more.line,
		phoneNumberId: more.phoneNumberId,
		...(canFallBack && { usedFallback }),
		waitsUntil: until.toISOString(),
		waiting: { responseType, ...(alsoAccept && { alsoAccept }), choices, destinationId },
	};
}

function waitsUntil(item: Item): Date {
	const amount = Number(item.parameter('limitAmount', 24));
	const unit = item.parameter('limitUnit', 'hours') as keyof typeof MINUTES;
	const minutes = amount * MINUTES[unit];
	if (!(minutes > 0) || minutes > LONGEST_DAYS * MINUTES.days) {
		item.refuse(
			'Time Limit is not a time from a minute to a year',
			'Enter how long to wait for the answer, such as 24 hours.',
		);
	}
	return new Date(Date.now() + minutes * 60_000);
}

/** n8n up to 2.40 checks the signature of the address only when it is told to; later ones always do. */
function requireSignature(context: IExecuteFunctions): void {
	const { setSignatureValidationRequired: require } = context as {
		setSignatureValidationRequired?: () => void;
	};
	if (typeof require === 'function') require.call(context);
}
