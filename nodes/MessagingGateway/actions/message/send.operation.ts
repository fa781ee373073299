import { updateDisplayOptions, type IDisplayOptions, type INodeProperties } from 'n8n-workflow';

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
import { fieldsOfAnyFile, file } from './content/media';
import { CHOSEN_BY_WORD, typeMeant } from './content/messageType';
import { products } from './content/products';
import { reaction } from './content/reaction';
import { sticker } from './content/sticker';
import { template } from './content/template';
import { text } from './content/text';
import { video } from './content/video';
import { fallbackFields, hasFallback, postOrFallBack } from './fallback';
import { sendOptionFields, sendOptions } from './options';
import { checked, isGroup, recipients, sameContact, toFieldForSeveral } from './recipient';

/** Every value of Message Type, in the order of the field. */
const CONTENTS: Content[] = [
	addressRequest,
	audio,
	buttons,
	contacts,
	document,
	file,
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

/**
 * Shows fields for one kind of message. While an expression chooses the kind, n8n treats each `show`
 * condition as true and would report missing required fields, so this uses `hide`.
 */
const onlyFor = (type: string): IDisplayOptions => ({ hide: { messageType: [{ _cnd: { not: type } }] } });

/** Shown if an expression chooses the kind of message. */
const byExpression: IDisplayOptions = { hide: { messageType: CONTENTS.map(({ value }) => value) } };

/** Fields for all kinds that an expression can choose. */
const fieldsByExpression: INodeProperties[] = [
	...text.fields.map((field) => ({
		...field,
		required: false,
		description: `${field.description} Sent if Message Type resolves to text.`,
	})),
	...fieldsOfAnyFile,
];

/** Kinds that reach contacts only inside the window and can be replaced by a template. */
const WITH_FALLBACK = CONTENTS.filter((content) => content !== template && content !== reaction);

export const send: Operation = {
	value: 'send',
	name: 'Send',
	action: 'Send message',
	description: 'Send a message to a contact',
	forModels:
		'Send a WhatsApp message. Write the number with country code, such as +5511987654321. Texts and files reach only contacts who wrote to you within the last 24 hours: everyone else can only be sent an approved template. If it fails, the answer says why and what to do.',
	presets: {
		field: 'messageType',
		operations: CONTENTS.flatMap(({ value, name, description, action }) =>
			action === undefined
				? []
				: {
						value: `send${value.charAt(0).toUpperCase()}${value.slice(1)}`,
						name: `Send ${name}`,
						action,
						description,
						preset: { name, value },
					},
		),
	},
	fields: [
		toFieldForSeveral,
		{
			displayName: 'Message Type',
			name: 'messageType',
			type: 'options',
			default: 'text',
			description:
				'What kind of message to send. An expression may resolve to text, image, video, audio, voice, document, sticker or file.',
			options: CONTENTS.map(({ value, name, description }) => ({ value, name, description })),
		},
		...CONTENTS.flatMap((content) => updateDisplayOptions(onlyFor(content.value), content.fields)),
		...updateDisplayOptions(byExpression, fieldsByExpression),
		...updateDisplayOptions(
			{ hide: { messageType: [template.value, reaction.value] } },
			fallbackFields(
				'For everyone else, use the operation <b>Send Template</b>, or choose a template in <b>Outside the 24 Hours</b>.',
			),
		),
		optionsField(sendOptionFields),
	],

	isOnceOnly: true,

	/** Sends messages to the same contact in the order of the items. */
	lane(item: Item, part) {
		return sameContact(recipients(item)[part] ?? '');
	},

	parts(item: Item) {
		return recipients(item);
	},

	/** Messages are sent in batches of up to 50, so the next batches are prepared while one is being sent. */
	atOnce: 200,

	/** Whether the items are the buttons or rows of one message. */
	isForAllItems(first: Item) {
		return madeOfAllItems(first, 'messageType');
	},

	rate(first: Item) {
		// Reads only this option: a failing expression in another option must fail its own item only.
		return first.parameter('options.rate', 0) as number;
	},

	async execute(item: Item, part) {
		const entered = recipients(item)[part] ?? '';
		const to = isGroup(entered) ? entered : checked(item, entered);
		const { content, isVoice } = chosen(item);
		const options = sendOptions(item);
		const { replyTo, clientRef } = options;
		const canFallBack = WITH_FALLBACK.includes(content) && hasFallback(item);
		let messageType = content.value;

		const { sent, more, usedFallback } = await postOrFallBack(item, {
			to,
			build: async () => {
				const built = await content.build(item, isVoice ? { ...options, voice: true } : options);
				if (content === file && !Array.isArray(built)) messageType = String(built.type);
				return built;
			},
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

/** Returns the selected kind of message. Accepts synonyms if an expression supplies the value. */
function chosen(item: Item): { content: Content; isVoice: boolean } {
	const entered = item.text('messageType').trim();
	const isExpression = String(item.context.getNode().parameters.messageType).startsWith('=');
	const type = isExpression ? typeMeant(entered) : entered;
	const isVoice = type === 'voice';
	const content = CONTENTS.find(({ value }) => value === (isVoice ? 'audio' : type));
	if (content) return { content, isVoice };
	return item.refuse(
		entered === '' ? 'Message Type is empty' : `There is no message type "${entered.slice(0, 40)}"`,
		isExpression
			? `An expression may resolve to ${CHOSEN_BY_WORD.slice(0, -1).join(', ')}, or to file, which then decides by the file. Any other type is chosen from the list.`
			: 'Choose Message Type again.',
	);
}
