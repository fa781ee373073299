import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { isObject, jsonIn } from '../json';
import { alertItems } from './alerts';
import type { KnownLine } from './registration/lines';

/** The platform's envelope, as forwarded by the gateway. Contains only fields that every event has. */
export interface Envelope {
	/** Set for an alert, which has no entries. */
	type?: unknown;
	data?: unknown;
	entry?: Array<{ changes?: Array<{ value?: Value }> }>;
}

interface Value {
	metadata?: { phone_number_id?: string };
	contacts?: Contact[];
	messages?: InboundMessage[];
	statuses?: MessageStatus[];
}

interface Contact {
	wa_id?: string;
	user_id?: string;
	profile?: { name?: string };
}

interface InboundMessage extends IDataObject {
	id?: string;
	from?: string;
	from_user_id?: string;
	/** The group ID, for a message in a group. */
	group_id?: string;
	type?: string;
	timestamp?: string;
	context?: InboundContext;
}

interface InboundContext {
	id?: string;
	forwarded?: boolean;
	frequently_forwarded?: boolean;
	referred_product?: IDataObject;
}

interface MessageStatus extends IDataObject {
	id?: string;
	status?: string;
	/** `payment` for the status of a payment; undefined for the status of a message. */
	type?: string;
	timestamp?: string;
	recipient_type?: string;
	recipient_id?: string;
	recipient_user_id?: string;
	biz_opaque_callback_data?: string;
	errors?: UpstreamError[];
}

interface UpstreamError {
	code?: number;
	title?: string;
	message?: string;
	error_data?: { details?: string };
}

/** The outputs of the trigger. */
export interface Items {
	messages: INodeExecutionData[];
	statuses: INodeExecutionData[];
	alerts: INodeExecutionData[];
}

/**
 * Converts an envelope to flat items: one per message, status and alert. Every kind has the same fields (null
 * if not applicable) and the original event in `raw`. Unknown kinds are included.
 * @param lineOf returns the line with a phone number ID
 * @param lateAnswerTo from the gateway: the question that a message answers too late
 * @param automationPaused from the gateway: whether automation is paused for the contact
 */
export function toItems(
	envelope: Envelope,
	lineOf: (phoneNumberId?: string) => KnownLine = () => ({ id: null, name: null }),
	lateAnswerTo: string | null = null,
	automationPaused = false,
): Items {
	const values = (envelope.entry ?? []).flatMap(({ changes }) =>
		(changes ?? []).flatMap(({ value }) => value ?? []),
	);
	const ofValue = ({ metadata }: Value) => lineOf(metadata?.phone_number_id);
	return {
		messages: values.flatMap((value) =>
			(value.messages ?? []).map((message) => ({
				json: { ...messageItem(message, value, ofValue(value)), lateAnswerTo, automationPaused },
			})),
		),
		statuses: values.flatMap((value) =>
			(value.statuses ?? []).map((status) => ({ json: statusItem(status, value, ofValue(value)) })),
		),
		alerts: alertItems(envelope, lineOf),
	};
}

function messageItem(message: InboundMessage, { contacts, metadata }: Value, line: KnownLine): IDataObject {
	const { reply, text, contextId } = said(message);
	const sender = senderOf(message, contacts ?? []);
	return {
		messageId: message.id ?? null,
		from: message.from ?? null,
		fromUserId: message.from_user_id ?? sender?.user_id ?? null,
		groupId: message.group_id ?? null,
		name: sender?.profile?.name ?? null,
		kind: message.type ?? 'unknown',
		text,
		replyId: reply?.id ?? null,
		replyTitle: reply?.title ?? null,
		replyDescription: reply?.description ?? null,
		// Text of the tapped message; read from the gateway later.
		questionText: null,
		media: media(message),
		location: location(message),
		flowAnswers: flowAnswers(message),
		order: order(message),
		product: product(message.context?.referred_product),
		referral: referral(message.referral as IDataObject | undefined),
		forwarded: message.context?.forwarded === true || message.context?.frequently_forwarded === true,
		contextId: contextId ?? message.context?.id ?? null,
		timestamp: isoTime(message.timestamp),
		line: line.id,
		lineName: line.name,
		phoneNumberId: metadata?.phone_number_id ?? null,
		clientRef: (message.biz_opaque_callback_data as string | undefined) ?? null,
		raw: message,
	};
}

function statusItem(status: MessageStatus, { metadata }: Value, line: KnownLine): IDataObject {
	const error = status.errors?.[0];
	return {
		messageId: status.id ?? null,
		messageStatus: wordOf(status),
		recipient: status.recipient_id ?? status.recipient_user_id ?? null,
		groupId: status.recipient_type === 'group' ? (status.recipient_id ?? null) : null,
		timestamp: isoTime(status.timestamp),
		errorCode: error?.code ?? null,
		errorTitle: error?.title ?? error?.message ?? null,
		errorDetails: error?.error_data?.details ?? null,
		line: line.id,
		lineName: line.name,
		phoneNumberId: metadata?.phone_number_id ?? null,
		clientRef: status.biz_opaque_callback_data ?? null,
		raw: status,
	};
}

/**
 * `delivered` for a message, `payment_captured` for a payment. The prefix keeps a failed payment apart from a
 * failed message.
 */
function wordOf({ type = 'message', status = 'unknown' }: MessageStatus): string {
	return type === 'message' ? status : `${type}_${status}`;
}

/**
 * The content of a message: its text, the tapped choice, and the ID of a message that it refers to by itself.
 */
interface Said {
	text: string | null;
	reply?: { id?: string; title?: string; description?: string };
	contextId?: string;
}

function said(message: InboundMessage): Said {
	const part = (message[message.type ?? ''] ?? {}) as IDataObject;
	switch (message.type) {
		case 'text':
			return { text: string(part.body) };
		case 'button':
			return {
				text: string(part.text),
				reply: { id: string(part.payload) ?? undefined, title: string(part.text) ?? undefined },
			};
		case 'interactive': {
			const answer = (part[String(part.type)] ?? {}) as {
				id?: string;
				title?: string;
				description?: string;
				body?: string;
			};
			return { text: answer.title ?? answer.body ?? null, reply: answer };
		}
		case 'reaction':
			return { text: string(part.emoji), contextId: string(part.message_id) ?? undefined };
		case 'contacts':
			return {
				text: ((message.contacts ?? []) as Array<{ name?: { formatted_name?: string } }>)
					.map(({ name }) => name?.formatted_name ?? '')
					.join(', '),
			};
		case 'location':
			return { text: string(part.name) };
		case 'system':
			return { text: string(part.body) };
		case 'order':
			return { text: string(part.text) };
		default:
			return { text: string(part.caption) };
	}
}

const MEDIA_KINDS = ['audio', 'document', 'image', 'sticker', 'video'];

/** Returns the file of a message; `id` downloads it. Only documents have a `fileName`. */
function media(message: InboundMessage): IDataObject | null {
	if (!MEDIA_KINDS.includes(message.type ?? '')) return null;
	const file = (message[String(message.type)] ?? {}) as IDataObject;
	return {
		id: file.id ?? null,
		mimeType: file.mime_type ?? null,
		fileName: file.filename ?? null,
		sha256: file.sha256 ?? null,
		voice: file.voice ?? false,
	};
}

function location(message: InboundMessage): IDataObject | null {
	if (message.type !== 'location') return null;
	const place = (message.location ?? {}) as IDataObject;
	const { latitude = null, longitude = null, name = null, address = null } = place;
	return { latitude, longitude, name, address };
}

/** Returns the fields of a flow or an address request; null if they cannot be parsed. */
function flowAnswers({ type, interactive }: InboundMessage): IDataObject | null {
	if (type !== 'interactive') return null;
	const { nfm_reply: reply } = (interactive ?? {}) as { nfm_reply?: { response_json?: unknown } };
	const answers = isText(reply?.response_json) ? jsonIn(reply.response_json) : undefined;
	return isObject(answers) ? answers : null;
}

/** Returns the order from a catalogue. `price` is per piece. */
function order({ type, order: given }: InboundMessage): IDataObject | null {
	if (type !== 'order') return null;
	const { catalog_id: catalogId, product_items: items } = (given ?? {}) as {
		catalog_id?: string;
		product_items?: IDataObject[];
	};
	return {
		catalogId: catalogId ?? null,
		items: (items ?? []).map(({ product_retailer_id: productId, quantity, item_price: price, currency }) => ({
			productId: productId ?? null,
			quantity: numberIn(quantity),
			price: numberIn(price),
			currency: currency ?? null,
		})),
	};
}

/** Returns the product that the message asks about. */
const product = (given: IDataObject | undefined): IDataObject | null =>
	given ? { catalogId: given.catalog_id ?? null, productId: given.product_retailer_id ?? null } : null;

/** Returns the advertisement or post that led the contact here. */
function referral(given: IDataObject | undefined): IDataObject | null {
	if (!given) return null;
	return {
		sourceType: given.source_type ?? null,
		sourceId: given.source_id ?? null,
		sourceUrl: given.source_url ?? null,
		headline: given.headline ?? null,
		body: given.body ?? null,
		clickId: given.ctwa_clid ?? null,
	};
}

/** Reads a number of an order, which the platform sends as a number or as text. */
const numberIn = (value: unknown): number | null =>
	(typeof value === 'number' || (isText(value) && value.trim() !== '')) && Number.isFinite(Number(value))
		? Number(value)
		: null;

/** Returns the sender's entry in the event's contacts: the matching one, or the only one. */
function senderOf({ from, from_user_id: userId }: InboundMessage, contacts: Contact[]): Contact | undefined {
	return (
		contacts.find(({ wa_id }) => wa_id !== undefined && wa_id === from) ??
		contacts.find(({ user_id }) => user_id !== undefined && user_id === userId) ??
		(contacts.length === 1 ? contacts[0] : undefined)
	);
}

/** Converts the platform's seconds since 1970, given as text, to ISO-8601 in UTC. */
function isoTime(seconds: string | undefined): string | null {
	const time = new Date(seconds === undefined ? NaN : Number(seconds) * 1000);
	return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

const isText = (value: unknown): value is string => typeof value === 'string';

const string = (value: unknown): string | null => (isText(value) ? value : null);
