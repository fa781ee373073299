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

/** The contact has not written within the last 24 hours. */
export const OUTSIDE = 'outside_24h_window';

/** A message that the platform has accepted, as the node gives it out. */
export interface Sent extends IDataObject {
	messageId: string;
	to: string;
	waId: string | null;
	/** The text that the contact reads, if known. */
	text: string | null;
}

export interface Posted {
	sent: Sent;
	/** The line that sent it, and the gateway's other data. */
	more: { line: number | null; phoneNumberId: string | null } & IDataObject;
}

export interface Message {
	to: string;
	/** `type` and the object of that name. */
	message: IDataObject;
	replyTo?: string;
	clientRef?: string;
	/** Which of the item's possible messages; each has its own idempotency key. */
	part?: string;
	orOutside?: boolean;
}

/** What an item became: one message, or several. */
export type Messages = Omit<Message, 'message'> & { messages: Built };

/**
 * Sends the messages that an item became, each after the one before it: only the first quotes another, or is refused
 * for the window. The output of several is that of the first, with the text and the IDs of all.
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
 * Sends one message. Returns undefined for one that the window forbids, where `orOutside` says that the caller has
 * another one for that case; otherwise that is a failure as any other.
 */
export async function postMessage(
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

/** What the node gives out of a message that the platform has accepted. */
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
			// It is sent: if its details cannot be read, that is no failure.
			text: await previewOf(item, message).catch(() => null),
		},
		more: {
			line: lineNumber,
			// The credential names the line by either id; the answer says which one it is.
			phoneNumberId: tid === String(lineNumber) ? null : tid,
			quality: answer.gateway?.quality ?? null,
			raw: answer,
		},
	};
}

/** Your own reference, which statuses of the message give back. */
export const referenceOf = (item: Item, clientRef: string): IDataObject =>
	clientRef === ''
		? {}
		: { biz_opaque_callback_data: item.within('Client Reference', clientRef, LIMITS.clientRef) };
