import type { IDataObject, NodeApiError } from 'n8n-workflow';

import type { Item } from '../../item';
import { LIMITS } from '../../limits';
import { lineOf } from '../../line';
import { NOT_A_GATEWAY } from '../../transport';
import type { Built } from './content/content';
import { idempotencyKey } from './idempotency';
import { postOne } from './outbox';
import { previewOf } from './preview';
import { isGroup } from './recipient';

/** docs/api.md, "The answer to a send". */
export interface SendAnswer extends IDataObject {
	error_code?: string;
	chat_message_id?: string;
	messages?: Array<{ id?: string }>;
	contacts?: Array<{ input?: string; wa_id?: string }>;
	gateway?: { line?: number; quality?: string };
}

/** The gateway's refusal if the contact has not written within the last 24 hours. */
export const OUTSIDE = 'outside_24h_window';

/** Output of the node for a message that the platform has accepted. */
export interface Sent extends IDataObject {
	messageId: string;
	to: string;
	waId: string | null;
	/** The text that the contact reads, if known. */
	text: string | null;
}

export interface Posted {
	sent: Sent;
	/** The sending line and the gateway's other data. */
	more: { line: number | null; phoneNumberId: string | null } & IDataObject;
}

export interface Message {
	to: string;
	/** `type` and the object named after it. */
	message: IDataObject;
	replyTo?: string;
	clientRef?: string;
	/** Tells apart several messages of one item; each part has its own idempotency key. */
	part?: string;
	orOutside?: boolean;
}

/** One or more messages built from one item. */
export type Messages = Omit<Message, 'message'> & { messages: Built };

/**
 * Sends an item's messages in order. Only the first can quote a message or be refused because the window is
 * closed. The output is that of the first, with the text and the IDs of all.
 */
export async function postInOrder(
	item: Item,
	{ messages, part = '', ...message }: Messages,
): Promise<Posted | undefined> {
	if (!Array.isArray(messages)) return await postMessage(item, { ...message, message: messages, part });
	const sent: Posted[] = [];
	for (const [index, one] of messages.entries()) {
		const posted = await postMessage(item, {
			...message,
			...(index > 0 && { replyTo: '', orOutside: false }),
			message: one,
			part: index === 0 ? part : `${part}piece-${index}`,
		}).catch((error: NodeApiError) => {
			const before = `${index} of the ${messages.length} messages of this text were sent before.`;
			if (index > 0) error.description = [before, error.description].filter(Boolean).join('\n');
			throw error;
		});
		if (!posted) return undefined;
		sent.push(posted);
	}
	const [first] = sent;
	return (
		first && {
			...first,
			sent: {
				...first.sent,
				text: sent.map((one) => one.sent.text).join('\n\n'),
				messageIds: sent.map((one) => one.sent.messageId),
			},
		}
	);
}

/**
 * Sends one message. Returns undefined if the closed window forbids it and `orOutside` is set, so that the
 * caller can send its fallback. Without `orOutside`, throws as for any other refusal.
 */
async function postMessage(
	item: Item,
	{ to, message, replyTo = '', clientRef = '', part, orOutside = false }: Message,
): Promise<Posted | undefined> {
	const answer = (await postOne(item, {
		key: idempotencyKey(item, part),
		message: {
			messaging_product: 'whatsapp',
			recipient_type: isGroup(to) ? 'group' : 'individual',
			to,
			...message,
			...(replyTo !== '' && { context: { message_id: replyTo } }),
			...referenceOf(item, clientRef),
		},
		expected: orOutside ? [OUTSIDE] : [],
	})) as SendAnswer;
	return answer.error_code === OUTSIDE ? undefined : await postedBy(item, { to, message }, answer);
}

/** Builds the output for a message that the platform has accepted. */
export async function postedBy(
	item: Item,
	{ to, message }: Pick<Message, 'to' | 'message'>,
	answer: SendAnswer,
): Promise<Posted> {
	const messageId = answer.chat_message_id ?? answer.messages?.[0]?.id;
	if (!messageId) {
		throw item.failure(
			'The gateway accepted this without a message ID',
			'Check that Base URL in the credential is the address of a Messaging Gateway.',
			NOT_A_GATEWAY,
		);
	}
	const { line: tid } = await lineOf.call(item.context, item.index);
	const lineNumber = answer.gateway?.line ?? null;
	return {
		sent: {
			messageId,
			to: answer.contacts?.[0]?.input ?? to,
			waId: answer.contacts?.[0]?.wa_id ?? null,
			// The message is already sent, so a preview that fails must not fail the item.
			text: await previewOf(item, message).catch(() => null),
		},
		more: {
			line: lineNumber,
			// `tid` is the phone number ID or the line number, as in the credential; the answer contains the line
			// number.
			phoneNumberId: tid === String(lineNumber) ? null : tid,
			quality: answer.gateway?.quality ?? null,
			raw: answer,
		},
	};
}

/** Your own reference, which every status of the message repeats. */
export const referenceOf = (item: Item, clientRef: string): IDataObject =>
	clientRef === ''
		? {}
		: { biz_opaque_callback_data: item.within('Client Reference', clientRef, LIMITS.clientRef) };
