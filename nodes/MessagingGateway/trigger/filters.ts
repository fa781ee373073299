import {
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { textOf } from '../item';
import { BETWEEN_CONTACTS, shortened } from '../phoneNumber';
import { listed } from '../texts';
import type { Items } from './events';
import { hasKeyword, type Keywords } from './keywords';
import { faultOfHours, isInHours, type OfficeHours } from './officeHours';
import { oneSpelling } from './spelling';

/** The values under Filters. An empty value matches everything. */
interface Filters {
	kinds?: string[];
	from?: string;
	notFrom?: string;
	keywords?: Keywords;
	officeHours?: OfficeHours;
	textContains?: string;
	textMatches?: string;
	replyIds?: string;
}

/** Platform kinds behind each choice in the panel; `other` is every kind that is not listed. */
const KINDS: Record<string, string[]> = {
	audio: ['audio'],
	contacts: ['contacts'],
	document: ['document'],
	image: ['image'],
	location: ['location'],
	order: ['order'],
	reaction: ['reaction'],
	reply: ['interactive', 'button'],
	sticker: ['sticker'],
	text: ['text'],
	video: ['video'],
};
const NAMED = Object.values(KINDS).flat();

/** `played` is what follows `read` for a voice message, so choosing read includes it. */
const STATUS_EVENTS: Record<string, string> = { played: 'read' };

/** Returns the filters as text. An expression can return a number, a list or nothing. */
function filtersOf(context: IHookFunctions | IWebhookFunctions): Filters {
	const { kinds, keywords, officeHours, ...texts } = context.getNodeParameter('filters', {}) as Filters;
	const asTexts = Object.entries(texts).map(([name, value]) => [name, textOf(value)]);
	return { kinds, keywords, officeHours, ...(Object.fromEntries(asTexts) as Filters) };
}

/** Returns the items of the selected events; messages must also pass every filter. */
export function wanted(this: IWebhookFunctions, { messages, statuses, alerts }: Items): Items {
	const events = this.getNodeParameter('events') as string[];
	const filters = filtersOf(this);
	const zone = this.getTimezone();
	const ignoresPaused = this.getNodeParameter('ignorePaused', false) as boolean;
	return {
		messages: events.includes('messages')
			? messages.filter(
					({ json }) => !(ignoresPaused && json.automationPaused) && passes(json, filters, zone),
				)
			: [],
		statuses: statuses.filter(({ json }) => {
			const messageStatus = String(json.messageStatus);
			const event = messageStatus.startsWith('payment_') ? 'payments' : messageStatus;
			return events.includes(STATUS_EVENTS[event] ?? event);
		}),
		alerts: events.includes('alerts') ? alerts : [],
	};
}

/** @param zone the workflow's time zone */
function passes(message: IDataObject, filters: Filters, zone: string): boolean {
	const { kinds = [], from, notFrom, textContains, textMatches, replyIds = '' } = filters;
	const text = String(message.text ?? '');
	const kind = String(message.kind);
	if (kinds.length > 0 && !kinds.some((one) => (KINDS[one] ?? []).includes(kind))) {
		if (!kinds.includes('other') || NAMED.includes(kind)) return false;
	}
	const sender = [message.from, message.fromUserId].filter(Boolean).map((one) => oneSpelling(String(one)));
	const isAmong = (contacts: string[]) => sender.some((one) => contacts.includes(one));
	const senders = contactsIn(from);
	if (senders.length > 0 && !isAmong(senders)) return false;
	if (isAmong(contactsIn(notFrom))) return false;
	if (filters.keywords && !hasKeyword(text, filters.keywords)) return false;
	// A message without a timestamp counts as written now.
	const writtenAt = message.timestamp ? new Date(String(message.timestamp)) : new Date();
	if (filters.officeHours && !isInHours(filters.officeHours, writtenAt, zone)) return false;
	if (textContains && !text.toLowerCase().includes(textContains.toLowerCase())) return false;
	if (textMatches && !regularExpression(textMatches).test(text)) return false;
	const ids = listed(replyIds, DIVIDER);
	return ids.length === 0 || ids.some((id) => fits(id, String(message.replyId ?? '')));
}

/** Separates entries. A semicolon can be part of an entry. */
const DIVIDER = /[,\n]/;

const contactsIn = (text = ''): string[] => listed(text, DIVIDER).map(oneSpelling);

/** `order_*` matches every ID that begins with `order_`. */
const fits = (wantedId: string, id: string): boolean =>
	wantedId.endsWith('*') ? id.startsWith(wantedId.slice(0, -1)) : id === wantedId;

/**
 * Parses `/yes|no/` with flags, or a pattern without slashes. Without flags, case is ignored only in the
 * second form.
 */
function regularExpression(text: string): RegExp {
	const written = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text);
	return written?.[1] ? new RegExp(written[1], written[2]) : new RegExp(text, 'i');
}

/** Refuses an invalid pattern, shortened number or office hours before the workflow is published. */
export function checkFilters(this: IHookFunctions): void {
	const { from = '', notFrom = '', officeHours, textMatches } = filtersOf(this);
	const faults = [
		...listed(from, BETWEEN_CONTACTS).map((sender) => shortened('From', sender)),
		...listed(notFrom, BETWEEN_CONTACTS).map((sender) => shortened('From Is Not', sender)),
		officeHours && faultOfHours.call(this, officeHours),
	];
	for (const fault of faults) {
		if (fault) throw new NodeOperationError(this.getNode(), fault.problem, { description: fault.next });
	}
	if (!textMatches) return;
	try {
		regularExpression(textMatches);
	} catch {
		throw new NodeOperationError(this.getNode(), `"${textMatches}" is no regular expression`, {
			description:
				'Correct Text Matches under Filters. For plain words use Text Contains; for one word of several write yes|no|maybe.',
		});
	}
}
