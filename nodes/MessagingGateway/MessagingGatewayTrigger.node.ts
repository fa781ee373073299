import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { answerHandshake, receiveEvents } from './trigger/receive';
import { isRegistered, register, unregister } from './trigger/registration';

/** Starts a workflow when a contact writes, or when a sent message changes its status. */
export class MessagingGatewayTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Gateway Trigger',
		name: 'messagingGatewayTrigger',
		icon: { light: 'file:messagingGateway.svg', dark: 'file:messagingGateway.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description:
			'Starts the workflow when a contact writes to your line, or when a message you sent is delivered, read or failed',
		eventTriggerDescription: 'Waiting for a message: write to your line from a phone',
		activationMessage: 'From now on the workflow starts by itself when a contact writes to your line.',
		defaults: { name: 'Messaging Gateway Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		outputNames: ['Message', 'Status'],
		credentials: [{ name: 'messagingGatewayApi', required: true }],
		webhooks: [
			{ name: 'setup', httpMethod: 'GET', responseMode: 'onReceived', path: 'webhook', ndvHideUrl: true },
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Empty, so that n8n sends our own answer: without it, it sends the text "firstEntryJson".
				responseData: '',
				path: 'webhook',
				ndvHideUrl: true,
			},
		],
		properties: [
			{
				displayName:
					'Nothing to set up in the gateway: this workflow registers itself there when it goes live, and separately while you test it.',
				name: 'registrationNotice',
				type: 'notice',
				default: '',
			},
			{
				displayName: 'Trigger On',
				name: 'events',
				type: 'multiOptions',
				required: true,
				default: ['messages'],
				description:
					'What starts the workflow. Messages leave by the output Message, statuses by the output Status. A message you send has up to three statuses, and each starts a run of its own.',
				options: [
					{
						name: 'Message Received',
						value: 'messages',
						description: 'A contact wrote, tapped a button or chose from a list',
					},
					{
						name: 'Status: Delivered',
						value: 'delivered',
						description: "A message you sent reached the contact's device",
					},
					{ name: 'Status: Failed', value: 'failed', description: 'A message you sent cannot be delivered' },
					{ name: 'Status: Read', value: 'read', description: 'The contact read a message you sent' },
					{ name: 'Status: Sent', value: 'sent', description: 'The platform sent your message on its way' },
				],
			},
		],
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await isRegistered.call(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await register.call(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await unregister.call(this);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return this.getWebhookName() === 'setup' ? answerHandshake.call(this) : await receiveEvents.call(this);
	}
}
