import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { textOf, type Item } from '../../item';
import { type SendOptions } from './content/content';

const only = (types: string[], option: INodeProperties): INodeProperties => ({
	...option,
	displayOptions: { show: { '/messageType': types } },
});

const text = (
	displayName: string,
	name: keyof SendOptions,
	placeholder: string,
	description: string,
): INodeProperties => ({ displayName, name, type: 'string', default: '', placeholder, description });

const FRAMED = ['buttons', 'flow', 'linkButton', 'list'];
const WITH_FOOTER = [...FRAMED, 'addressRequest', 'locationRequest', 'products'];
const WITH_FILE_ABOVE = ['buttons', 'flow', 'linkButton'];

/** The Options of Message: Send, each shown for the types that it can be sent with. */
export const sendOptionFields: INodeProperties[] = [
	text(
		'Client Reference',
		'clientRef',
		'e.g. order 1042',
		'Your own reference, up to 512 characters. The Trigger gives it back as clientRef with every status of this message.',
	),
	only(['flow'], {
		displayName: 'Draft Flow',
		name: 'flowDraft',
		type: 'boolean',
		default: true,
		description: 'Whether to send the flow as a draft, to test it before it is published',
	}),
	only(
		['flow'],
		text('First Screen', 'flowScreen', 'e.g. WELCOME', 'The ID of the screen that the flow opens with'),
	),
	only(['flow'], {
		displayName: 'Flow Data',
		name: 'flowData',
		type: 'json',
		default: '{}',
		description: 'What the first screen is filled in with, as a JSON object',
	}),
	only(
		['flow'],
		text('Flow Token', 'flowToken', 'e.g. order 1042', 'Your own word, which comes back with the answer'),
	),
	only(
		WITH_FOOTER,
		text('Footer', 'footer', 'e.g. Reply STOP to end', 'Small text below the text, up to 60 characters'),
	),
	only(
		WITH_FILE_ABOVE,
		text(
			'Header Document',
			'headerDocument',
			'e.g. https://shop.example.com/menu.pdf',
			'A document above the text: its web address, or its media ID',
		),
	),
	only(
		WITH_FILE_ABOVE,
		text(
			'Header Image',
			'headerImage',
			'e.g. https://shop.example.com/cake.jpg',
			'An image above the text: its web address, or its media ID',
		),
	),
	only(
		FRAMED,
		text('Header Text', 'header', 'e.g. Order 1042', 'Bold text above the text, up to 60 characters'),
	),
	only(
		WITH_FILE_ABOVE,
		text(
			'Header Video',
			'headerVideo',
			'e.g. https://shop.example.com/tour.mp4',
			'A video above the text: its web address, or its media ID',
		),
	),
	only(['text'], {
		displayName: 'Link Preview',
		name: 'previewUrl',
		type: 'boolean',
		default: true,
		description: 'Whether to show a preview of the first link in the text',
	}),
	{
		displayName: 'Messages per Second',
		name: 'rate',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 0.1, maxValue: 1000 },
		default: 20,
		description:
			'Starts at most so many sends per second. Without it the node sends as fast as the gateway allows, and waits when the gateway says so.',
	},
	{
		...text(
			'Reply To Message ID',
			'replyTo',
			'e.g. {{ $json.messageId }}',
			'The messageId of the message that this one quotes and answers',
		),
		displayOptions: { hide: { '/messageType': ['reaction'] } },
	},
	only(['audio'], {
		displayName: 'Voice Message',
		name: 'voice',
		type: 'boolean',
		default: true,
		description:
			'Whether to show it as a voice message, as if it had been spoken. The file must be OGG with Opus.',
	}),
];

export function sendOptions(item: Item): SendOptions {
	const added = item.parameter('options', {}) as IDataObject;
	const trimmed = (name: keyof SendOptions) => textOf(added[name]).trim();
	const { flowData } = added;
	return {
		clientRef: textOf(added.clientRef),
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
		voice: added.voice === true,
	};
}
