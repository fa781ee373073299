import type { INodeProperties } from 'n8n-workflow';

import { notice, textField } from '../fields';
import { keywordsField } from './keywords';
import { linesField } from './registration/lines';
import { officeHoursField } from './officeHours';
import { LONGEST_PAUSE_OF_A_TEST } from './pause';

/** The fields of the trigger's panel. */
export const fields: INodeProperties[] = [
	notice(
		'registrationNotice',
		'Nothing to set up in the gateway: this workflow registers itself there when it goes live, and separately while you test it.',
		{ show: { registration: ['automatic'] } },
	),
	notice(
		'manualNotice',
		"Open Webhook URLs above, choose Production URL, and copy it into your gateway, as the line's forwarding URL. Enter the secret that the gateway signs with as Signing Secret in this node's credential. The Test URL works only while this node listens for a test event.",
		{ show: { registration: ['manual'] } },
	),
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['messages'],
		description:
			'What starts the workflow. Messages leave by the output Message, statuses by Status, alerts by an output of their own. A message you send has up to three statuses, and each starts a run of its own.',
		options: [
			{
				name: 'Message Received',
				value: 'messages',
				description: 'A contact wrote, tapped a button or chose from a list',
			},
			{
				name: 'Outgoing Message Delivered',
				value: 'delivered',
				description: "A message you sent reached the contact's device",
			},
			{
				name: 'Outgoing Message Failed',
				value: 'failed',
				description: 'A message you sent cannot be delivered',
			},
			{ name: 'Outgoing Message Read', value: 'read', description: 'The contact read a message you sent' },
			{
				name: 'Outgoing Message Sent',
				value: 'sent',
				description: 'The platform sent your message on its way',
			},
			{
				name: 'Payment Updated',
				value: 'payments',
				description: 'A payment that you asked for in a message was made, or failed',
			},
			{
				name: 'Problem Alert',
				value: 'alerts',
				description:
					'Something is wrong with your line, or over again: it cannot send, a template was stopped, events do not arrive',
			},
		],
	},
	linesField,
	notice(
		'alertsNotice',
		'To see what an alert looks like, listen for a test event here, and send a test from the control panel of the gateway: Alerts, Channels, then Registered by API.',
		{ show: { events: ['alerts'], registration: ['automatic'] } },
	),
	notice(
		'manualAlertsNotice',
		"Alerts come by a channel of their own. In the control panel of the gateway, open Alerts, Channels, <b>Add a channel</b>, <b>Webhook, signed</b>. Enter the Production URL from above as its address, and the Signing Secret of this node's credential as its signing secret.",
		{ show: { events: ['alerts'], registration: ['manual'] } },
	),
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		description: 'Messages that do not pass all of them start no run. Statuses are not filtered.',
		displayOptions: { show: { events: ['messages'] } },
		options: [
			textField('From', 'from', {
				placeholder: '+1 202 555 0147, +55 11 98765-4321',
				description: 'Only messages of these contacts: phone numbers with country code, separated by commas',
			}),
			textField('From Is Not', 'notFrom', {
				placeholder: '+1 202 555 0147, +55 11 98765-4321',
				description:
					'No messages of these contacts, such as your colleagues: phone numbers with country code, separated by commas',
			}),
			keywordsField,
			{
				displayName: 'Kinds',
				name: 'kinds',
				type: 'multiOptions',
				default: ['text'],
				description: 'Only messages of these kinds',
				options: [
					{ name: 'Audio', value: 'audio' },
					{ name: 'Button or List Reply', value: 'reply' },
					{ name: 'Contacts', value: 'contacts' },
					{ name: 'Document', value: 'document' },
					{ name: 'Image', value: 'image' },
					{ name: 'Location', value: 'location' },
					{ name: 'Order', value: 'order' },
					{ name: 'Other', value: 'other' },
					{ name: 'Reaction', value: 'reaction' },
					{ name: 'Sticker', value: 'sticker' },
					{ name: 'Text', value: 'text' },
					{ name: 'Video', value: 'video' },
				],
			},
			officeHoursField,
			textField('Reply IDs', 'replyIds', {
				placeholder: 'confirm_order, order_*',
				description:
					'Only taps on these buttons or rows: their Reply IDs, separated by commas. An asterisk at the end matches anything.',
			}),
			textField('Text Contains', 'textContains', {
				placeholder: 'invoice',
				description: 'Only messages with these words in their text or caption, in capitals or not',
			}),
			textField('Text Matches', 'textMatches', {
				placeholder: '^(yes|no)\\b',
				description:
					'Only messages whose text fits this regular expression, in capitals or not. Written as /…/ it heeds capitals.',
			}),
		],
	},
	{
		displayName: 'Ignore Contacts With Paused Automation',
		name: 'ignorePaused',
		type: 'boolean',
		default: true,
		displayOptions: { show: { '@version': [{ _cnd: { gte: 1.2 } }], events: ['messages'] } },
		description:
			'Whether messages of a contact start no run while automation is paused for it: by Contact: Pause Automation, in the control panel of the gateway, or because a colleague answered. If switched off, the output says automationPaused.',
	},
	{
		displayName: 'Download Files',
		name: 'downloadFiles',
		type: 'boolean',
		default: false,
		displayOptions: { show: { '@version': [{ _cnd: { gte: 1.1 } }], events: ['messages'] } },
		description:
			'Whether to download the photo, document, voice message or other file of a message, by way of the gateway, and give it out in the field data. If that fails, the message comes all the same and says why in media.downloadError.',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: { show: { events: ['messages'] } },
		options: [
			{
				displayName: 'Download Files',
				name: 'downloadMedia',
				type: 'boolean',
				default: true,
				displayOptions: { show: { '@version': [1] } },
				description:
					'Whether to download the photo, document, voice message or other file of a message, by way of the gateway. If that fails, the message comes all the same and says why in media.downloadError.',
			},
			{
				displayName: 'File Size Limit (MB)',
				name: 'mediaLimit',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 100 },
				default: 16,
				description: 'Larger files are not downloaded. Only with Download Files.',
			},
			textField('Put File in Field', 'mediaField', {
				default: 'data',
				hint: 'The name of the binary field to put the file in',
			}),
			{
				displayName: 'Wait for a Pause (Seconds)',
				name: 'waitForPause',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 300 },
				default: 10,
				hint: 'What a contact writes in quick succession then starts one run, with all texts in text',
				description:
					'How long a contact has to be silent before their messages start a run. The gateway waits and loses nothing. A tap on a button ends the wait, and the wait is never longer than five times this. The output has each message under messages. 0: every message starts a run at once.',
			},
		],
	},
	notice(
		'pauseNotice',
		`While you test, the gateway waits for a pause of ${LONGEST_PAUSE_OF_A_TEST} seconds at most, because n8n listens for two minutes only. The live workflow waits as long as you say.`,
		{
			show: {
				events: ['messages'],
				'/options.waitForPause': [{ _cnd: { gt: LONGEST_PAUSE_OF_A_TEST } }],
			},
		},
	),
	{
		displayName: 'Registration',
		name: 'registration',
		type: 'options',
		default: 'automatic',
		noDataExpression: true,
		description: 'How the gateway learns the address of this workflow',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'The workflow registers itself when it goes live, and takes leave when it is switched off',
			},
			{
				name: 'By Hand',
				value: 'manual',
				description: 'For gateways where the address can only be entered in their control panel',
			},
		],
	},
];
