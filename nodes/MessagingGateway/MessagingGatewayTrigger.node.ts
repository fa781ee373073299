import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { getLines } from './methods/searchLines';
import { testCredential } from './methods/testCredential';
import { fields } from './trigger/fields';
import { answerHandshake, receiveEvents } from './trigger/receive';
import { isRegistered, register, unregister } from './trigger/registration/registration';

const output = (displayName: string) => ({ type: NodeConnectionTypes.Main, displayName });
const ALWAYS = [output('Message'), output('Status')];
const OUTPUTS: INodeTypeDescription['outputs'] = `={{ $parameter["events"].includes("alerts") ? ${JSON.stringify([...ALWAYS, output('Alert')])} : ${JSON.stringify(ALWAYS)} }}`;

/** Starts a workflow when a contact writes, a sent message changes its status, or something is wrong with the line. */
export class MessagingGatewayTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Gateway Trigger',
		name: 'messagingGatewayTrigger',
		icon: { light: 'file:messagingGateway.svg', dark: 'file:messagingGateway.dark.svg' },
		group: ['trigger'],
		// From 1.1 on, Download Files is a field instead of an option. From 1.2 on, messages of
		// contacts with paused automation start no run.
		version: [1, 1.1, 1.2],
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description:
			'Starts the workflow when a contact writes to one of your lines on WhatsApp, when a message you sent is delivered, read or failed, or when something is wrong with the line',
		eventTriggerDescription: 'Waiting for a message: write to your line from a phone',
		activationMessage: 'From now on the workflow starts by itself when a contact writes to your line.',
		triggerPanel: {
			header: 'Wait for a message',
			executionsHelp: {
				inactive:
					"<b>To try it</b>, click 'Execute step' and write to your line from a phone. A workflow that is live already keeps receiving while you do.<br /><br /><b>When it works</b>, publish the workflow. It then starts by itself.",
				active:
					'<b>To try it</b>, click \'Execute step\' and write to your line from a phone. Your live workflow keeps receiving while you do.<br /><br />Its runs are listed under <a data-key="executions">Executions</a>.',
			},
			activationHint: 'Publish the workflow, and it starts by itself when a contact writes.',
		},
		defaults: { name: 'Messaging Gateway Trigger' },
		inputs: [],
		// The third output appears only if alerts are selected, so that older workflows keep their two outputs.
		outputs: OUTPUTS,
		credentials: [{ name: 'messagingGatewayApi', required: true, testedBy: 'testCredential' }],
		webhooks: [
			{ name: 'setup', httpMethod: 'GET', responseMode: 'onReceived', path: 'webhook', ndvHideUrl: true },
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// With an empty value, n8n sends our own answer. Without this property, it sends the text
				// "firstEntryJson".
				responseData: '',
				path: 'webhook',
				// People need the URL only for a manual setup.
				ndvHideUrl: '={{ $parameter["registration"] !== "manual" }}',
				ndvHideMethod: true,
			},
		],
		properties: fields,
	};

	methods = { credentialTest: { testCredential }, loadOptions: { getLines } };

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
