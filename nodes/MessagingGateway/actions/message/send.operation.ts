import { createHash } from 'node:crypto';
import {
	NodeOperationError,
	updateDisplayOptions,
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
} from 'n8n-workflow';

import { LIMITS, refuse, within } from '../../limits';
import { callGateway, gatewayAddress } from '../../transport';
import type { Operation } from '../operation';
import { buttons } from './content/buttons';
import { textOf, type Content, type SendOptions } from './content/content';
import { list } from './content/list';
import { template } from './content/template';
import { text } from './content/text';

/** Every value of Message Type, in the order of the field. */
const CONTENTS: Content[] = [buttons, list, template, text];

const optionsFor = (types: Content[], option: INodeProperties): INodeProperties => ({
	...option,
	displayOptions: { show: { '/messageType': types.map(({ value }) => value) } },
});

const OPTIONS: INodeProperties[] = [
	{
		displayName: 'Client Reference',
		name: 'clientRef',
		type: 'string',
		default: '',
		placeholder: 'e.g. order 1042',
		description:
			'Your own reference, up to 512 characters. The Trigger gives it back as clientRef with every status of this message.',
	},
	optionsFor([buttons, list], {
		displayName: 'Footer',
		name: 'footer',
		type: 'string',
		default: '',
		placeholder: 'e.g. Reply STOP to end',
		description: 'Small text below the body, up to 60 characters',
	}),
	optionsFor([buttons, list], {
		displayName: 'Header',
		name: 'header',
		type: 'string',
		default: '',
		placeholder: 'e.g. Order 1042',
		description: 'Bold text above the body, up to 60 characters',
	}),
	optionsFor([text], {
		displayName: 'Link Preview',
		name: 'previewUrl',
		type: 'boolean',
		default: true,
		description: 'Whether to show a preview of the first link in the text',
	}),
	{
		displayName: 'Reply To Message ID',
		name: 'replyTo',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.messageId }}',
		description: 'The messageId of the message that this one quotes and answers',
	},
];

export const send: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send message',
	description: 'Send a message to a contact',
	fields: [
		{
			displayName: 'To',
			name: 'to',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. +55 11 98765-4321',
			description:
				"The contact's number with country code. Spaces, brackets, dashes and a leading + are fine.",
		},
		{
			displayName: 'Message Type',
			name: 'messageType',
			type: 'options',
			noDataExpression: true,
			default: 'text',
			description: 'What kind of message to send',
			options: CONTENTS.map(({ value, name, description }) => ({ value, name, description })),
		},
		...CONTENTS.flatMap(({ value, fields }) =>
			updateDisplayOptions({ show: { messageType: [value] } }, fields),
		),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: OPTIONS,
		},
	],

	/** One contact receives its messages in the order of the items. */
	lane(itemIndex) {
		return recipient(this, itemIndex).replace(/[\s()+-]/g, '');
	},

	async execute(itemIndex) {
		const to = recipient(this, itemIndex);
		if (to === '') {
			refuse(this, itemIndex, 'To is empty', "Enter the contact's number with country code.");
		}
		const messageType = this.getNodeParameter('messageType', itemIndex) as string;
		const options = sendOptions(this, itemIndex);
		const content = CONTENTS.find(({ value }) => value === messageType);
		if (!content) {
			return refuse(
				this,
				itemIndex,
				`There is no message type "${messageType}"`,
				'Choose Message Type again.',
			);
		}
		const { replyTo, clientRef } = options;

		const answer = (await callGateway.call(this, {
			method: 'POST',
			path: 'messages',
			headers: { 'Idempotency-Key': idempotencyKey(this, itemIndex) },
			body: {
				messaging_product: 'whatsapp',
				recipient_type: 'individual',
				to,
				...content.build.call(this, itemIndex, options),
				...(replyTo !== '' && { context: { message_id: replyTo } }),
				...(clientRef !== '' && {
					biz_opaque_callback_data: within(this, itemIndex, 'Client Reference', clientRef, LIMITS.clientRef),
				}),
			},
			itemIndex,
		})) as SendAnswer;

		const messageId = answer.chat_message_id ?? answer.messages?.[0]?.id;
		if (!messageId) {
			throw new NodeOperationError(this.getNode(), `The gateway accepted this without a message ID`, {
				description: 'Check that Base URL in the credential is the address of a Messaging Gateway.',
				itemIndex,
			});
		}
		return [
			{
				json: {
					messageId,
					to: answer.contacts?.[0]?.input ?? to,
					waId: answer.contacts?.[0]?.wa_id ?? null,
					messageType,
					line: answer.gateway?.line ?? (await gatewayAddress.call(this)).line,
					quality: answer.gateway?.quality ?? null,
					raw: answer,
				},
				pairedItem: { item: itemIndex },
			},
		];
	},
};

/** Specification, "Send response": shape A or B; contract §4 has both in one. */
interface SendAnswer extends IDataObject {
	chat_message_id?: string;
	messages?: Array<{ id?: string }>;
	contacts?: Array<{ input?: string; wa_id?: string }>;
	gateway?: { line?: number; quality?: string };
}

/** Numbers may come as numbers from a spreadsheet. */
function recipient(context: IExecuteFunctions, itemIndex: number): string {
	return textOf(context.getNodeParameter('to', itemIndex)).trim();
}

function sendOptions(context: IExecuteFunctions, itemIndex: number): SendOptions {
	const added = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
	return {
		clientRef: textOf(added.clientRef),
		footer: textOf(added.footer),
		header: textOf(added.header),
		previewUrl: added.previewUrl === true,
		replyTo: textOf(added.replyTo).trim(),
	};
}

/**
 * The same for every try of the same item, so that Retry On Fail never sends it twice; another one for the next
 * execution, the next round of a loop and the next call by an agent. n8n numbers executions from 1 on every
 * instance, so instance and start time are part of it.
 */
function idempotencyKey(context: IExecuteFunctions, itemIndex: number): string {
	const parts = [
		context.getInstanceId(),
		context.getWorkflow().id,
		context.getExecutionId(),
		context.getExecutionContext()?.establishedAt,
		context.getNode().id,
		context.getWorkflowDataProxy(itemIndex).$runIndex,
		itemIndex,
	];
	return `n8n-${createHash('sha256').update(parts.join('|')).digest('hex').slice(0, 40)}`;
}
