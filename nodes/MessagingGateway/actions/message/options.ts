import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { textField } from '../../fields';
import { textOf, type Item } from '../../item';

/** Shows an option only for these types of message. */
const only = (types: string[]): Pick<INodeProperties, 'displayOptions'> => ({
	displayOptions: { show: { '/messageType': types } },
});

const FRAMED = ['buttons', 'flow', 'linkButton', 'list'];
const WITH_FOOTER = [...FRAMED, 'addressRequest', 'locationRequest', 'products'];
const WITH_FILE_ABOVE = ['buttons', 'flow', 'linkButton'];

export const clientReferenceField = textField('Client Reference', 'clientRef', {
	placeholder: 'e.g. order 1042',
	description:
		'Your own reference, up to 512 characters. The Trigger gives it back as clientRef with every status of this message.',
});

/** The options of Message: Send. Each is shown only for the types that support it. */
export const sendOptionFields: INodeProperties[] = [
	clientReferenceField,
	{
		displayName: 'Convert Markdown',
		name: 'convertMarkdown',
		type: 'boolean',
		default: true,
		description:
			'Whether to show **bold**, headings, links and tables of Markdown in the formatting of the chat. As the tool of an AI agent, the node does so unless you add this option and switch it off.',
		...only(['text']),
	},
	{
		displayName: 'Draft Flow',
		name: 'flowDraft',
		type: 'boolean',
		default: true,
		description: 'Whether to send the flow as a draft, to test it before it is published',
		...only(['flow']),
	},
	textField('First Screen', 'flowScreen', {
		...only(['flow']),
		placeholder: 'e.g. WELCOME',
		description: 'The ID of the screen that the flow opens with',
	}),
	{
		displayName: 'Flow Data',
		name: 'flowData',
		type: 'json',
		default: '{}',
		description: 'What the first screen is filled in with, as a JSON object',
		...only(['flow']),
	},
	textField('Flow Token', 'flowToken', {
		...only(['flow']),
		placeholder: 'e.g. order 1042',
		description: 'Your own word, which comes back with the answer',
	}),
	textField('Footer', 'footer', {
		...only(WITH_FOOTER),
		placeholder: 'e.g. Reply STOP to end',
		description: 'Small text below the text, up to 60 characters',
	}),
	textField('Header Document', 'headerDocument', {
		...only(WITH_FILE_ABOVE),
		placeholder: 'e.g. https://shop.example.com/menu.pdf',
		description: 'A document above the text: its web address, or its media ID',
	}),
	textField('Header Image', 'headerImage', {
		...only(WITH_FILE_ABOVE),
		placeholder: 'e.g. https://shop.example.com/cake.jpg',
		description: 'An image above the text: its web address, or its media ID',
	}),
	textField('Header Text', 'header', {
		...only(FRAMED),
		placeholder: 'e.g. Order 1042',
		description: 'Bold text above the text, up to 60 characters',
	}),
	textField('Header Video', 'headerVideo', {
		...only(WITH_FILE_ABOVE),
		placeholder: 'e.g. https://shop.example.com/tour.mp4',
		description: 'A video above the text: its web address, or its media ID',
	}),
	{
		displayName: 'Link Preview',
		name: 'previewUrl',
		type: 'boolean',
		default: true,
		description: 'Whether to show a preview of the first link in the text',
		...only(['text']),
	},
	{
		displayName: 'Messages per Second',
		name: 'rate',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 0.1, maxValue: 1000 },
		default: 20,
		description:
			'Starts at most so many sends per second from each line. Without it the node sends as fast as the gateway allows, and waits when the gateway says so.',
	},
	textField('Reply To Message ID', 'replyTo', {
		displayOptions: { hide: { '/messageType': ['reaction'] } },
		placeholder: 'e.g. {{ $json.messageId }}',
		description: 'The messageId of the message that this one quotes and answers',
	}),
	{
		displayName: 'Split Long Text',
		name: 'splitText',
		type: 'boolean',
		default: true,
		description:
			'Whether to send a text of more than 4096 characters as several messages, in order. As the tool of an AI agent, the node does so unless you add this option and switch it off.',
		...only(['text']),
	},
	{
		displayName: 'Voice Message',
		name: 'voice',
		type: 'boolean',
		default: true,
		description:
			'Whether to show it as a voice message, as if it had been spoken. The file must be OGG with Opus.',
		...only(['audio']),
	},
];

/** Returns the options. A text option that is missing or has no value is an empty string. */
export function sendOptions(item: Item) {
	const added = item.parameter('options', {}) as IDataObject;
	const trimmed = (name: string) => textOf(added[name]).trim();
	const { flowData } = added;
	return {
		clientRef: textOf(added.clientRef),
		convertMarkdown: added.convertMarkdown ?? item.isTool,
		flowData: typeof flowData === 'object' && flowData ? JSON.stringify(flowData) : trimmed('flowData'),
		flowDraft: added.flowDraft === true,
		flowScreen: trimmed('flowScreen'),
		flowToken: trimmed('flowToken'),
		footer: textOf(added.footer),
		header: textOf(added.header),
		headerDocument: trimmed('headerDocument'),
		headerImage: trimmed('headerImage'),
		headerVideo: trimmed('headerVideo'),
		previewUrl: added.previewUrl === true,
		replyTo: trimmed('replyTo'),
		splitText: added.splitText ?? item.isTool,
		voice: added.voice === true,
	};
}

export type SendOptions = ReturnType<typeof sendOptions>;
