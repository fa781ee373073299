import { updateDisplayOptions } from 'n8n-workflow';

import { optionsField } from '../../fields';
import type { Item } from '../../item';
import type { Operation } from '../operation';
import { addressRequest } from './content/addressRequest';
import { audio } from './content/audio';
import { buttons } from './content/buttons';
import { madeOfAllItems } from './content/choices';
import { contacts } from './content/contacts';
import type { Content } from './content/content';
import { document } from './content/document';
import { flow } from './content/flow';
import { image } from './content/image';
import { json } from './content/json';
import { linkButton } from './content/linkButton';
import { list } from './content/list';
import { location } from './content/location';
import { locationRequest } from './content/locationRequest';
import { products } from './content/products';
import { reaction } from './content/reaction';
import { sticker } from './content/sticker';
import { template } from './content/template';
import { text } from './content/text';
import { video } from './content/video';
import { fallbackFields, hasFallback, postOrFallBack } from './fallback';
import { sendOptionFields, sendOptions } from './options';
import { checked, recipients, sameContact, toFieldForSeveral } from './recipient';

/** Every value of Message Type, in the order of the field. */
const CONTENTS: Content[] = [
	addressRequest,
	audio,
	buttons,
	contacts,
	document,
	flow,
	image,
	json,
	linkButton,
	list,
	location,
	locationRequest,
	products,
	reaction,
	sticker,
	template,
	text,
	video,
];

/** These reach contacts only inside the window, and a template may say the same in their place. */
const WITH_FALLBACK = CONTENTS.filter((content) => content !== template && content !== reaction);

export const send: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send message',
	description: 'Send a message to a contact',
	fields: [
		toFieldForSeveral,
		{
			displayName: 'Message Type',
			name: 'messageType',
			type: 'options',
			noDataExpression: true,
			default: 'text',
			description: 'What kind of message to send',
			options: CONTENTS.map(({ value, name, description }) => ({ value, name, description })),
		},
		...CONTENTS.flatMap((content) =>
			updateDisplayOptions({ show: { messageType: [content.value] } }, content.fields),
		),
		...updateDisplayOptions(
			{ show: { messageType: WITH_FALLBACK.map(({ value }) => value) } },
			fallbackFields(
				'For everyone else, set Message Type to Template, or choose a template in <b>Outside the 24 Hours</b>.',
			),
		),
		optionsField(sendOptionFields),
	],

	isOnceOnly: true,

	/** One contact receives its messages in the order of the items. */
	lane(item: Item, part) {
		return sameContact(recipients(item)[part] ?? '');
	},

	parts(item: Item) {
		return recipients(item);
	},

	/** What they send goes out in batches of up to 50: while one is answered, the next is made ready. */
	atOnce: 200,

	/** Buttons or rows that are the items themselves make one message. */
	isForAllItems(first: Item) {
		return madeOfAllItems(first, 'messageType');
	},

	rate(first: Item) {
		// This option alone: an expression in another one may fail, and then concerns its item only.
		return first.parameter('options.rate', 0) as number;
	},

	async execute(item: Item, part) {
		const to = checked(item, recipients(item)[part] ?? '');
		const messageType = item.parameter('messageType') as string;
		const content = CONTENTS.find(({ value }) => value === messageType);
		if (!content) {
			return item.refuse(`There is no message type "${messageType}"`, 'Choose Message Type again.');
		}
		const options = sendOptions(item);
		const { replyTo, clientRef } = options;
		const canFallBack = WITH_FALLBACK.includes(content) && hasFallback(item);

		const { sent, more, usedFallback } = await postOrFallBack(item, {
			to,
			build: () => content.build(item, options),
			replyTo: content === reaction ? '' : replyTo,
			clientRef,
			canFallBack,
			asksFirst: content !== text,
			part: part === 0 ? '' : `recipient-${part}`,
		});
		const json = {
			...sent,
			messageType: usedFallback ? template.value : messageType,
			...(canFallBack && { usedFallback }),
			...more,
		};
		return [madeOfAllItems(item, 'messageType') ? item.ofAllItems(json) : { json }];
	},
};
