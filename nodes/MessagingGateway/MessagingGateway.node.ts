import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { lineField } from './actions/lineField';
import { receiveAnswer, sendAndWaitWebhooks } from './actions/message/wait/answer';
import { fieldsOf, operationFieldOf, resources, toolDescriptions } from './actions/resources';
import { router } from './actions/router';
import { methods } from './methods';

/** Sends messages through lines of the gateway, waits for answers, and reads its templates and status. */
export class MessagingGateway implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Gateway',
		name: 'messagingGateway',
		icon: { light: 'file:messagingGateway.svg', dark: 'file:messagingGateway.dark.svg' },
		group: ['output'],
		version: 1,
		// Shown as words, such as "send: location request" or "mark as read: message".
		subtitle:
			'={{ ($parameter["messageType"] ? "send: " + $parameter["messageType"] : $parameter["operation"] + ": " + $parameter["resource"]).replace(/([A-Z])/g, " $1").toLowerCase() }}',
		description: 'Send WhatsApp messages through your own lines: texts, templates, files, buttons, questions',
		defaults: { name: 'Messaging Gateway' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'messagingGatewayApi', required: true, testedBy: 'testCredential' }],
		webhooks: sendAndWaitWebhooks,
		properties: [
			...toolDescriptions,
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: resources.map(({ value, name }) => ({ value, name })),
				default: 'message',
			},
			...resources.map(operationFieldOf),
			lineField,
			...resources.flatMap(fieldsOf),
		],
	};

	methods = methods;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await router.call(this);
	}

	/** Receives the answer to Send and Wait for Response. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveAnswer.call(this);
	}
}
